"""The standings of a contest, with faults, times and head to head."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from koth.contest.bracket import Bracket
from koth.contest.knockout import bracket_of
from koth.contest.reading import MatchReader, count_faults, group_faults
from koth.contest.record import RunRecord, stages_of
from koth.contest.seating import trial_text
from koth.contest.timing import Timing
from koth.engine.settings import choose, describe_settings, expand_variants
from koth.errors import KothError, visible
from koth.games import load
from koth.standings.head import HeadToHead, same_bots
from koth.standings.table import Standing, Standings, flat_row, standings
from koth.standings.text import counted


def standings_title(game: str, ruleset: str, done: int, total: int | None, turns: int | None, aggregate: str) -> str:
    """Return the title of standings with the number of matches; `total` is the planned number, None if reached."""
    missing = "" if total is None else f"{done} of "
    matches = counted(done if total is None else total, "match", "matches")
    return f"{game} ({visible(ruleset)}), {missing}{matches}{trial_text(turns)}, {aggregate}"


@dataclass(frozen=True, repr=False)
class StandingsReport:
    """The standings of a contest, finished or not: iterate over the lines, best first, or use `rows`."""

    record: RunRecord
    matches: int
    planned: int | None
    """The planned number of matches; None if unknown."""
    standings: Standings
    faults: Mapping[str, Mapping[str, int]]
    times: Mapping[str, Timing]
    heads: HeadToHead
    uncounted: int
    """Matches on record that no longer count, because bots left or were replaced."""
    bracket: Bracket
    """The knockout so far; empty without a knockout."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The settings of the matches that count, if not all variants of the contest do."""

    @property
    def order(self) -> list[str]:
        """The bots, best first."""
        return self.standings.order

    @property
    def same(self) -> list[list[str]]:
        """Groups of bots with the same files, by name."""
        return same_bots((bot["name"], bot["digest"]) for bot in self.record["bots"])

    @property
    def title(self) -> str:
        """The game, the ruleset, and the number of matches."""
        record = self.record
        rules = ", ".join(filter(None, (record["ruleset"], describe_settings(self.settings))))
        total = self.planned if self.planned is not None and self.matches < self.planned else None
        return standings_title(
            record["game"], rules, self.matches, total, record["max_turns"], self.standings.aggregate
        )

    def __iter__(self) -> Iterator[Standing]:
        return iter(self.standings.lines)

    def __len__(self) -> int:
        return len(self.standings.lines)

    def __getitem__(self, bot: str) -> Standing:
        """Return a bot's line. Raises KeyError."""
        return {line.bot: line for line in self}[bot]

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON."""
        return {
            "game": self.record["game"],
            "ruleset": self.record["ruleset"],
            "matches": self.matches,
            "planned": self.planned,
            "uncounted": self.uncounted,
            "max_turns": self.record["max_turns"],
            "aggregate": self.standings.aggregate,
            "standings": self.standings.as_json(self.faults),
            "notes": self.standings.notes,
            "explanations": self.standings.explanations,
            "knockout": self.bracket.as_json() if self.bracket.rounds else None,
            "head_to_head": self.heads.as_json(self.order),
            "same": self.same,
            "skipped": self.record["skipped"],
            "unrepeatable": self.record["unrepeatable"],
        }

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A dict for each bot, for `pandas.DataFrame(run.standings.rows)`."""
        return [flat_row(line) for line in self.standings.as_json(self.faults)]

    def _cells(self) -> list[list[str]]:
        """Return the standings as text: the headings, then a row for each bot."""
        columns = self.standings.columns
        texts = [line.texts(self.faults.get(line.bot, {})) for line in self]
        return [list(columns.values()), *([cells[key] for key in columns] for cells in texts)]

    def __str__(self) -> str:
        rows = self._cells()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) for row in rows]
        return "\n".join(
            [self.title, *(line.rstrip() for line in lines), *self.standings.notes, *self.bracket.lines()]
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head, *rows = ["".join(f"<td>{html.escape(text)}</td>" for text in row) for row in self._cells()]
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        notes, meanings = (
            "".join(f"<p>{html.escape(text)}</p>" for text in texts)
            for texts in ([*self.standings.notes, *self.bracket.lines()], self.standings.explanations)
        )
        title, head = html.escape(self.title), head.replace("td>", "th>")
        return (
            f"<table><caption>{title}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"
            f"<details><summary>What is this?</summary>{meanings}</details>"
        )


def report_standings(
    reader: MatchReader, may_be_empty: bool = False, settings: Mapping[str, Any] = MappingProxyType({})
) -> StandingsReport:
    """Compute the standings of a contest. Raises KothError, if no match is over, too, unless `may_be_empty`.

    With `settings` only the matches of the variants with these values count.
    """
    record, scores, counts = reader.plan(), reader.scores(), reader.counts()
    planned, reasons = counts.planned, reader.fault_reasons
    if settings:
        has = _find_variants(reader, record, settings)
        scores = scores.take(np.array([has(block) for block in scores.block.tolist()], np.bool_)).drop_absent()
        others = {row.number for row in reader.matches() if not has(row.block)} | reader.uncounted_matches()
        planned, reasons = None, partial(group_faults, reader.faults(), others)
    if not len(scores) and not may_be_empty:
        raise KothError(f"{reader.where}: no match of it is over")
    table = standings(scores, load(record["game"]).contest_defaults, record["matches"])
    drawn, commitment = reader.knockout(), stages_of(record)[-1]["commitment"]
    return StandingsReport(
        record,
        len(scores),
        planned,
        table,
        count_faults(reasons()),
        reader.timings(),
        HeadToHead.of(scores),
        counts.uncounted,
        bracket_of(table, record["knockout"], commitment, drawn, reader.matches()),
        settings,
    )


def _find_variants(reader: MatchReader, record: RunRecord, settings: Mapping[str, Any]) -> Callable[[int], bool]:
    """Return whether a block plays a variant with these settings. Raises KothError if no variant has them."""

    def read(one: Mapping[str, Any]) -> Any:
        return choose(load(record["game"]), record["ruleset"], one, files=False)[1]

    fits = [read(one) == read({**one, **settings}) for one in expand_variants(record["settings"])]
    if not any(fits):
        asked, known = describe_settings(settings), describe_settings(record["settings"]) or "the ruleset's"
        raise KothError(f"{reader.where}: no match has the settings {asked} (the contest has {known})")
    return lambda block: fits[reader.variant(block) % len(fits)]
