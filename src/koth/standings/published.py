"""A run's standings beside a published table: do they agree, and where do they not?"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from koth.errors import KothError
from koth.standings.table import Standing

NAMES = ("bot", "name", "player", "entry", "species", "team")
SCORES = ("score", "points", "mean", "median", "sum", "total", "average")
SPAN = 2 * 1.959964
"""A 95 % interval is about so many standard errors wide."""


@dataclass(frozen=True)
class Compared:
    """One bot here and there. `errors`: how many standard errors of this run's score it is above; None: not known."""

    bot: str
    score: float
    published: float
    errors: float | None

    def as_json(self) -> dict[str, Any]:
        """The line as JSON."""
        return {"bot": self.bot, "score": self.score, "published": self.published, "errors": self.errors}


@dataclass(frozen=True)
class Comparison:
    """Spearman's rank correlation (None below three bots), every bot of both tables, and who is in one only."""

    correlation: float | None
    lines: list[Compared]
    only_here: list[str]
    only_there: list[str]


def read_table(file: Path) -> dict[str, float]:
    """Bots and scores of a CSV file whose head names a column of each. Raises KothError with the line."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise KothError(f"{file}: {getattr(error, 'strerror', None) or 'not UTF-8'}") from None
    rows = list(csv.reader(text.splitlines()))
    head = [cell.strip().lower() for cell in rows[0]] if rows else []
    name, score = (_column(file, head, words) for words in (NAMES, SCORES))
    table: dict[str, float] = {}
    for line, row in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in row):
            continue
        try:
            bot, value = row[name].strip(), float(row[score].replace(",", "").replace(" ", ""))
        except (IndexError, ValueError):
            raise KothError(f"{file}, line {line}: no score that can be read in column {head[score]!r}") from None
        if bot in table:
            raise KothError(f"{file}, line {line}: {bot!r} is there twice")
        table[bot] = value
    if not table:
        raise KothError(f"{file}: no bot in it")
    return table


def _column(file: Path, head: Sequence[str], words: Sequence[str]) -> int:
    for word in words:
        if word in head:
            return head.index(word)
    raise KothError(
        f"{file}, line 1: no column is called {' or '.join(words)} (there are: {', '.join(head) or 'none'})"
    )


def compared(lines: Sequence[Standing], table: dict[str, float]) -> Comparison:
    """Compare standings with a published table, by names (upper and lower case alike)."""
    there = {name.casefold(): name for name in table}
    found = []
    for line in lines:
        name = there.pop(line.bot.casefold(), None)
        if name is not None:
            found.append(Compared(line.bot, line.score, table[name], _errors(line, table[name])))
    both = {line.bot for line in found}
    correlation = _spearman([line.score for line in found], [line.published for line in found])
    return Comparison(correlation, found, [line.bot for line in lines if line.bot not in both], list(there.values()))


def _errors(line: Standing, published: float) -> float | None:
    low, high = line.interval.low, line.interval.high
    if low is None or high is None or high <= low:
        return None
    return (line.score - published) / ((high - low) / SPAN)


def _spearman(here: Sequence[float], there: Sequence[float]) -> float | None:
    """The correlation of ranks, equal ones averaged."""
    if len(here) < 3 or len(set(here)) == 1 or len(set(there)) == 1:
        return None
    return float(np.corrcoef(_ranks(here), _ranks(there))[0, 1])


def _ranks(values: Sequence[float]) -> list[float]:
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2 for value in values
    ]
