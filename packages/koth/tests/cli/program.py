"""koth's command line, run inside this process or as a program."""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from koth.cli import main

SMALL = ["--set", "players=3", "--set", "vision=2", "--set", "shoot_range=2", "--set", "density=0.02"]
"""Settings of zombies with which a match is over soon."""

GOOD = """
from koth.games.zombies.bot import Move

class Good:
    def do_turn(self, context):
        return Move.values()[(context.game_clock + context.id.number) % 9]
"""

FULL_DISK = """
from koth.cli import main
from koth.sandbox.host_process import NEEDED
del NEEDED["RLIMIT_FSIZE"]
main()
"""


@dataclass
class Done:
    """What a command came to."""

    code: int
    out: str
    err: str


class Koth:
    """Runs commands inside this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
        self.monkeypatch = monkeypatch
        self._capfd = capfd

    def __call__(self, *words: object) -> Done:
        self.monkeypatch.setattr(sys, "argv", ["koth", *map(str, words)])
        self._capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        captured = self._capfd.readouterr()
        code = ended.value.code
        return Done(code if isinstance(code, int) else 0, captured.out, captured.err)

    def refused(self, *words: object) -> str:
        """The one line with which a command that can't work ends."""
        done = self(*words)
        assert done.code == 2, done
        assert done.out == ""
        *before, line = done.err.splitlines()
        assert all(said.endswith(" ...") for said in before), done.err  # what it was doing
        assert line.startswith("koth: ")
        return line.removeprefix("koth: ")


def program(*words: object, cwd: Path, largest: int | None = None) -> subprocess.Popen[str]:
    """koth as a program of its own, like from a shell: in a session of its own, and open to Ctrl-C.

    (Who runs the tests in the background hands down that Ctrl-C is ignored.) No file of it grows beyond
    `largest` bytes, as if the disk were full: koth would refuse such a limit if it knew.
    """

    def prepare() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if largest is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))

    knows = ["-m", "koth"] if largest is None else ["-B", "-c", FULL_DISK]  # Python keeps what it compiles, if cut
    argv = [sys.executable, *knows, *map(str, words)]
    return subprocess.Popen(
        argv,
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=prepare,
    )


def finished(process: subprocess.Popen[str], seconds: float = 600) -> Done:
    """Wait for its end."""
    out, err = process.communicate(timeout=seconds)
    return Done(process.returncode, out, err)


def bot_file(folder: Path, name: str, source: str = GOOD) -> Path:
    """A bot in Python."""
    file = folder / f"{name}.py"
    file.write_text(source, encoding="utf-8")
    return file


def words_of(line: str) -> Sequence[str]:
    """The columns of a line of a plain table."""
    return [word.strip() for word in line.split("  ") if word.strip()]
