"""Processor time of a game's first start, everything compiled: `python benchmarks/compiling.py [OTHER/src]`.

Each game is compiled by a process of its own in an empty cache. With the sources of another version (a checkout's
`src`), that is compiled in turn with this one, and the ratio is printed: seconds vary with what else a machine does.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import machine

from koth.games import GAMES

HERE = Path(__file__).parents[1] / "packages/koth/src"
START = "import sys; from koth.cli.compiling import open_game; open_game(sys.argv[1])"


def spent(source: Path, game: str) -> float:
    """Seconds of processor time from the start of Python to the end of the compilation."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "PYTHONPATH": str(source), "KOTH_CACHE_DIR": cache, "NUMBA_DISABLE_JIT": "0"}
        subprocess.run([sys.executable, "-c", START, game], env=environment, check=True, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    print(machine.name())
    others = [Path(word).resolve() for word in sys.argv[1:2]]
    for game in GAMES:
        here, *there = (spent(source, game) for source in (HERE, *others))
        print(f"{game}: {here:.1f} s", *(f"(the other version: {s:.1f} s; {here / s:.2f} of it)" for s in there))
