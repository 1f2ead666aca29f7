"""Comparison of a run's standings with a published table."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from koth.errors import KothError, visible
from koth.game import Array
from koth.standings.intervals import Interval
from koth.standings.table import Standing
from koth.standings.text import number

NAMES = ("bot", "name", "player", "entry", "species", "team")
SCORES = ("score", "points", "mean", "median", "sum", "total", "average")
COLUMNS = ("bot", "here", "published", "difference", "within the interval")
"""The column heads of `Compared.texts`."""


@dataclass(frozen=True)
class Compared:
    """One bot in both tables. `within` says whether its interval here holds the published score; None without an
    interval.
    """

    bot: str
    score: float
    published: float
    within: bool | None

    @property
    def difference(self) -> float:
        """The score here minus the published one."""
        return self.score - self.published

    def texts(self) -> list[str]:
        """Return the cells of the line as text."""
        within = "no interval" if self.within is None else "yes" if self.within else "no"
        return [visible(self.bot), *map(number, (self.score, self.published, self.difference)), within]

    def as_json(self) -> dict[str, Any]:
        """Return the line as JSON."""
        return {"bot": self.bot, "score": self.score, **self.beside()}

    def beside(self) -> dict[str, Any]:
        """Return the keys that are added to the line of the standings."""
        return {"published": self.published, "difference": self.difference, "within": self.within}


@dataclass(frozen=True)
class PublishedComparison:
    """Spearman's rank correlation (None below three bots), every bot of both tables, and the bots in one of them
    only.
    """

    correlation: float | None
    lines: list[Compared]
    only_here: list[str]
    only_there: list[str]


def csv_rows(file: Path) -> list[list[str]]:
    """Return the rows of a CSV file. Raises KothError if it is not UTF-8, or no CSV."""
    try:
        return list(csv.reader(io.StringIO(file.read_text(encoding="utf-8-sig"), newline="")))
    except csv.Error as error:
        raise KothError(f"{file}: {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise KothError(f"{file}: {getattr(error, 'strerror', None) or 'not UTF-8'}") from None


def read_table(file: Path) -> dict[str, float]:
    """Return bots and scores of a CSV file whose head names a column of each. Raises KothError with the line."""
    rows = csv_rows(file)
    head = [cell.strip().lower() for cell in rows[0]] if rows else []
    name, score = (_column(file, head, words) for words in (NAMES, SCORES))
    table: dict[str, float] = {}
    for line, row in enumerate(rows[1:], 2):
        if not any(cell.strip() for cell in row):
            continue
        try:
            bot, value = row[name].strip(), float(row[score].replace(",", "").replace(" ", ""))
            if not math.isfinite(value):
                raise ValueError
        except (IndexError, ValueError):
            raise KothError(f"{file}, line {line}: column {head[score]!r} has no number") from None
        if bot in table:
            raise KothError(f"{file}, line {line}: {bot!r} is listed twice")
        table[bot] = value
    if not table:
        raise KothError(f"{file}: it lists no bot")
    return table


def _column(file: Path, head: Sequence[str], words: Sequence[str]) -> int:
    for word in words:
        if word in head:
            return head.index(word)
    raise KothError(
        f"{file}, line 1: no column is called {' or '.join(words)} (there are: {', '.join(head) or 'none'})"
    )


def compared(lines: Sequence[Standing], table: dict[str, float]) -> PublishedComparison:
    """Compare standings with a published table, by names (upper and lower case alike)."""
    there = {name.casefold(): name for name in table}
    found = []
    for line in lines:
        name = there.pop(line.bot.casefold(), None)
        if name is not None:
            found.append(Compared(line.bot, line.score, table[name], _within(line.interval, table[name])))
    both = {line.bot for line in found}
    correlation = _spearman([line.score for line in found], [line.published for line in found])
    return PublishedComparison(
        correlation, found, [line.bot for line in lines if line.bot not in both], list(there.values())
    )


def _within(interval: Interval, published: float) -> bool | None:
    low, high = interval.low, interval.high
    if low is None and high is None:
        return None
    return (low is None or low <= published) and (high is None or published <= high)


def _spearman(here: Sequence[float], there: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation."""
    if len(here) < 3 or len(set(here)) == 1 or len(set(there)) == 1:
        return None
    return float(np.corrcoef(_ranks(here), _ranks(there))[0, 1])


def _ranks(values: Sequence[float]) -> Array:
    """Return float64[values], their ranks from 1; equal values share the mean of theirs."""
    ordered = np.sort(values)
    below, up_to = (np.searchsorted(ordered, values, side) for side in ("left", "right"))
    return (below + up_to + 1) / 2
