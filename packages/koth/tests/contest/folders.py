"""The contents of a run's folder, made comparable."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from pathlib import Path

SLOW_BOT = """
import time
from koth.games.zombies.bot import Move

class Bot:
    def do_turn(self, context):
        time.sleep({seconds})
        if context.game_clock == 5 and context.id.number % 3 == 0:
            raise ValueError("I fail at turn 5")
        return Move.values()[(context.game_clock + context.id.number) % 9]
"""
"""A bot of zombies whose matches take long enough to be caught in the middle; it has a fault."""

PLAIN = ("matches", "scores", "faults")
"""The tables that hang on seed and answers alone; the others hold what was measured."""


def rows(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of the results, in order."""
    database = sqlite3.connect(folder / "results.sqlite")
    try:
        return {name: sorted(database.execute(f"SELECT * FROM {name}"), key=repr) for name in PLAIN}
    finally:
        database.close()


def replays(folder: Path) -> dict[str, bytes]:
    """Every replay, by its name."""
    return {file.name: file.read_bytes() for file in sorted((folder / "replays").iterdir())}


def processes(word: str) -> list[int]:
    """The running processes with this word in their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if word.encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue  # it has just ended
    return found


def workers(parent: int) -> list[int]:
    """Return the worker processes of a running contest or hill."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, IndexError):
            its_parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            if its_parent == parent and b"koth.contest.workers" in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
    return found


def wait_until(ready: object, seconds: float = 300) -> None:
    """Wait for something to be true; `seconds` only guards against a hang."""
    assert callable(ready)
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)
