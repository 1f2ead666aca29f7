"""The speed of a machine: the processor time of a fixed compiled workload."""

from __future__ import annotations

import socket
import time
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from koth.game import Array
from koth.kernel import COMPILED, kernel

ROUNDS = 12
"""Passes over `CELLS` numbers that make up the workload: some milliseconds."""
CELLS = 1 << 17
"""The length of an array of a megabyte, like the windows of a large question."""
SHARE = 1 if COMPILED else 64
"""The divisor of the workload without compilation, which makes it a few hundred times slower."""
TRIES = 5
"""Measurements, of which the quickest counts: the others were disturbed."""
AGAIN = 60.0
"""Seconds after which it is measured again: machines get hot."""


@dataclass(frozen=True)
class MachineSpeed:
    """The machine of a match: its host's name, and the seconds of the workload there."""

    name: str
    seconds: float


def machine() -> MachineSpeed:
    """Return this machine, measured within the last minute."""
    return MachineSpeed(socket.gethostname(), _measured(int(time.monotonic() / AGAIN)))


@lru_cache(maxsize=1)
def _measured(_: int) -> float:
    cells = np.arange(CELLS // SHARE, dtype=np.uint64)
    took = []
    with np.errstate(over="ignore"):  # uncompiled, NumPy warns of what is meant
        work(cells, 1)  # compiled, and in the cache
        for _ in range(TRIES):
            begun = time.thread_time()
            work(cells, ROUNDS)
            took.append(time.thread_time() - begun)
    return min(took) * SHARE


@kernel
def work(cells: Array, rounds: int) -> int:
    """Mix numbers and follow them as indices: half arithmetic, half memory. Return the last index."""
    place = np.uint64(1)
    for turn in range(rounds):
        for i in range(len(cells)):
            mixed = (cells[i] ^ (cells[i] >> np.uint64(13))) * np.uint64(0x9E3779B97F4A7C15)
            cells[i] = mixed + np.uint64(turn)
            if i % 8 == 0:
                place = cells[(place ^ mixed) % np.uint64(len(cells))]
    return int(place)
