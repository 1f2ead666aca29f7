"""What a run's bots took: charged, by the wall clock, and waiting for a core, over all questions on record.

None of it is a result: it depends on the machine.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from koth.errors import KothError
from koth.game import Array

LOADED = 0.2
"""The share of their time that bots waited for a core from which it is worth telling."""


@dataclass(frozen=True)
class Timing:
    """One bot's questions: seconds charged (median and worst of one), and sums over all."""

    questions: int
    median: float
    worst: float
    charged: float
    wall: float
    queue: float


def questions(folder: Path, match: int | None = None) -> dict[str, Array]:
    """By bot, a row per question: turn, and seconds charged, by the wall clock, and waiting. Raises KothError."""
    file = folder / "results.sqlite"
    where, values = ("", ()) if match is None else ('WHERE "match" = ?', (match,))
    query = f'SELECT bot, each FROM timings {where} ORDER BY "match"'
    try:
        database = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
        try:
            rows = database.execute(query, values).fetchall()
        finally:
            database.close()
    except sqlite3.Error as error:
        raise KothError(f"{file}: {error}") from None
    found: dict[str, list[Array]] = {}
    for bot, packed in rows:
        found.setdefault(bot, []).append(np.frombuffer(zlib.decompress(packed), "<f4").reshape(-1, 4))
    return {bot: np.concatenate(parts) for bot, parts in found.items()}


def timings(folder: Path) -> dict[str, Timing]:
    """Every bot's, over all matches on record. Raises KothError."""
    told = {}
    for bot, each in questions(folder).items():
        if len(each):
            charged, wall, queue = (float(column.sum(dtype=np.float64)) for column in each[:, 1:].T)
            median, worst = float(np.median(each[:, 1])), float(each[:, 1].max())
            told[bot] = Timing(len(each), median, worst, charged, wall, queue)
    return told


def load(told: Mapping[str, Timing]) -> float:
    """The share of all bots' time in which they waited for a core that others held."""
    wall = sum(timing.wall for timing in told.values())
    return sum(timing.queue for timing in told.values()) / wall if wall else 0.0
