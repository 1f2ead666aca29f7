"""How fast a machine is: what one fixed compiled workload takes there, in processor time."""

from __future__ import annotations

import socket
import time
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from koth.game import Array
from koth.kernel import COMPILED, kernel

ROUNDS = 12
"""So many passes over `CELLS` numbers are the workload: some milliseconds."""
CELLS = 1 << 17
"""A megabyte of numbers, as the windows of a large question are."""
SHARE = 1 if COMPILED else 64
"""Uncompiled, which takes a few hundred times as long, one of so many numbers stands for all."""
TRIES = 5
"""The quickest of so many counts: the others were disturbed."""
AGAIN = 60.0
"""Seconds after which it is measured anew: machines get hot."""


@dataclass(frozen=True)
class Machine:
    """Where a match was played: its host's name, and the seconds that the workload took there."""

    name: str
    seconds: float


@dataclass
class Speed:
    """Which machines are welcome: all, or those that differ from the first by no more than a factor."""

    factor: float | None = None
    like: float | None = None
    """Seconds of the first machine; None while there is none."""

    def refusal(self, seconds: float) -> str:
        """Return why a machine is too fast or too slow compared with the first; empty if it is neither."""
        if self.like is None:
            self.like = seconds
        times = max(seconds, self.like) / min(seconds, self.like)
        if self.factor is None or times <= self.factor:
            return ""
        told = (
            f"the fixed workload takes {seconds * 1000:.1f} ms there, {self.like * 1000:.1f} ms on the first machine"
        )
        return f"{told}: {times:.2f} times; --same-speed allows {self.factor:g}"


def machine() -> Machine:
    """Return this machine, measured within the last minute."""
    return Machine(socket.gethostname(), _measured(int(time.monotonic() / AGAIN)))


@lru_cache(maxsize=1)
def _measured(_: int) -> float:
    cells = np.arange(CELLS // SHARE, dtype=np.uint64)
    work(cells, 1)  # compiled, and in the cache
    took = []
    for _ in range(TRIES):
        begun = time.thread_time()
        work(cells, ROUNDS)
        took.append(time.thread_time() - begun)
    return min(took) * SHARE


@kernel
def work(cells: Array, rounds: int) -> int:
    """Mix numbers and follow where they point to: half arithmetic, half memory. The end of the way."""
    place = np.uint64(1)
    for turn in range(rounds):
        for i in range(len(cells)):
            mixed = (cells[i] ^ (cells[i] >> np.uint64(13))) * np.uint64(0x9E3779B97F4A7C15)
            cells[i] = mixed + np.uint64(turn)
            if i % 8 == 0:
                place = cells[(place ^ mixed) % np.uint64(len(cells))]
    return int(place)
