"""An author's command: a program of the host's, which works on its bot in a folder of its own, for a limited time.

Nothing keeps it apart: it has the host's rights and environment. All that it has started ends with it, or with koth.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from koth.sandbox.command import how_it_ended
from koth.sandbox.isolation import PLAIN
from koth.sandbox.policy import FOR_BOTS

LOOK = 0.2
"""Seconds between two looks whether it is to be ended."""
LARGEST = 64 << 20
"""Bytes of the log of a turn; a command that prints more is ended."""


@dataclass(frozen=True)
class Turn:
    """A turn of an author's command: its seconds, and its problem, empty if there was none."""

    seconds: float
    problem: str


def take_turn(command: str, folder: Path, log: Path, timeout: float, is_ended: Event) -> Turn:
    """Run a line of the shell in a folder, and write what it prints to a log.

    `is_ended` ends it early; what it has done by then is no turn. Raises OSError and SandboxError.
    """
    words = ["/bin/sh", "-c", f'exec >"$0" 2>&1\n{command}', str(log.absolute())]
    begin = time.monotonic()
    child = PLAIN.start(words, folder, os.environ, FOR_BOTS)
    try:
        while child.poll() is None and time.monotonic() - begin < timeout and not is_ended.is_set():
            if _size(log) > LARGEST:
                break
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(LOOK)
        code = child.returncode
        child.end()
    finally:
        child.close()
    seconds = time.monotonic() - begin
    if _size(log) > LARGEST:
        os.truncate(log, LARGEST)
        return Turn(seconds, f"its command printed more than {LARGEST >> 20} MB")
    if code is None:
        return Turn(seconds, f"its command was not done after {timeout:g} s")
    return Turn(seconds, f"its command failed: {how_it_ended(code)}" if code else "")


def _size(log: Path) -> int:
    return log.stat().st_size if log.exists() else 0
