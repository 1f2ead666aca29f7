"""The standings of a contest, with faults, times and head to head."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from koth.contest.reading import MatchReader, fault_counts
from koth.contest.timing import Timing
from koth.errors import KothError
from koth.games import load
from koth.standings.head import HeadToHead, same_bots
from koth.standings.published import Comparison, compared, read_table
from koth.standings.table import Standings, standings


@dataclass(frozen=True)
class StandingsReport:
    """The standings of a contest, over or not."""

    record: Mapping[str, Any]
    matches: int
    planned: int | None
    """The number of matches at the end; None if it is not on record."""
    standings: Standings
    faults: Mapping[str, Mapping[str, int]]
    times: Mapping[str, Timing]
    heads: HeadToHead
    against: Comparison | None
    uncounted: int
    """Matches on record that no longer count, since bots left or were replaced."""

    @property
    def order(self) -> list[str]:
        """The bots, best first."""
        return [line.bot for line in self.standings.lines]

    @property
    def same(self) -> list[list[str]]:
        """Groups of names of bots with the same files."""
        return same_bots(self.record["bots"])


def standings_of(reader: MatchReader, published: Path | None = None) -> StandingsReport:
    """Compute the standings of a contest, and compare them with a `published` table. Raises KothError."""
    record, scores, counts = reader.plan(), reader.scores(), reader.counts()
    if not len(scores):
        raise KothError(f"{reader.where}: no match of it is over")
    table = standings(scores, load(record["game"]).contest_defaults, record["games"])
    return StandingsReport(
        record,
        len(scores),
        counts.planned,
        table,
        fault_counts(reader.fault_reasons()),
        reader.timings(),
        HeadToHead.of(scores),
        None if published is None else compared(table.lines, read_table(published)),
        counts.uncounted,
    )
