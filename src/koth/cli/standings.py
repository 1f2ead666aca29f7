"""`koth standings`: what a run on disk has come to, for people, spreadsheets, scripts and pages."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from koth.cli.screen import console, counted, marked, show
from koth.cli.table import show_standings, title_of
from koth.contest.record import read_run
from koth.contest.store import Store
from koth.contest.timing import Timing
from koth.errors import KothError, visible
from koth.escaping import csv_cell, markdown
from koth.games import load
from koth.standings.head import HeadToHead, same_bots
from koth.standings.published import COLUMNS as AGAINST
from koth.standings.published import Comparison, compared, read_table
from koth.standings.table import Standings, flat_row, standings
from koth.standings.text import unrepeatable_text

MANY = 24
"""With more bots the head-to-head table is left to the other formats: no screen holds it."""


@dataclass(frozen=True)
class Told:
    """All that is printed of a run."""

    record: dict[str, Any]
    matches: int
    planned: int | None
    """The number of matches at the end; None if it is not on record."""
    standings: Standings
    faults: dict[str, dict[str, int]]
    times: dict[str, Timing]
    heads: HeadToHead
    against: Comparison | None
    uncounted: int
    """Matches on record that count no more, since the field has changed."""

    @property
    def order(self) -> list[str]:
        """The bots, best first."""
        return [line.bot for line in self.standings.lines]

    @property
    def same(self) -> list[str]:
        """Sentences that name bots with the same files."""
        return [f"The same bot, byte for byte: {', '.join(names)}." for names in same_bots(self.record["bots"])]

    @property
    def notes(self) -> list[str]:
        """Sentences about the bots beside their scores."""
        unrepeatable = self.record["unrepeatable"]
        return [*self.same, *([unrepeatable_text(unrepeatable)] if unrepeatable else [])]


def standings_of(folder: Path, form: str, published: Path | None) -> None:
    """Print the standings of the run in `folder` as "table", "csv", "json" or "markdown". Raises KothError."""
    record = read_run(folder)
    with closing(Store(folder, read_only=True)) as store:
        scores, faults, times = store.scores(), store.fault_counts(), store.timings()
        uncounted, planned = len(store.uncounted()), store.planned()
        table = standings(scores, load(record["game"]).contest_defaults, record["games"])
    if not len(scores):
        raise KothError(f"{folder}: no match of this run is over")
    comparison = None if published is None else compared(table.lines, read_table(published))
    told = Told(record, len(scores), planned, table, faults, times, HeadToHead.of(scores), comparison, uncounted)
    {"table": _table, "csv": _csv, "json": _json, "markdown": _markdown}[form](told)


def _title(told: Told) -> str:
    record, ruleset = told.record, visible(told.record["ruleset"])
    total = told.planned if told.planned is not None and told.matches < told.planned else None
    return title_of(record["game"], ruleset, told.matches, total, record["turns"], told.standings.aggregate)


def _table(told: Told) -> None:
    show_standings(told.standings, told.faults, _title(told), told.times)
    if 1 < len(told.order) <= MANY:
        show(_heads_table(told))
    for text in told.notes:
        console.print(marked(text))
    if told.uncounted:
        console.print(f"{counted(told.uncounted, 'match', 'matches')} of earlier fields: kept, and not counted here.")
    if told.against is not None:
        show(_against_table(told.against))


def _heads_table(told: Told) -> Table:
    """Rows against columns: in how many of the matches that both played the row scored more."""
    table = Table(title="Head to head", title_justify="left", caption_justify="left", header_style="bold")
    table.add_column("scored more than")
    for place in range(1, len(told.order) + 1):
        table.add_column(str(place), justify="right")
    for place, one in enumerate(told.order, 1):
        cells = ["" if one == other else _met(told.heads, one, other) for other in told.order]
        table.add_row(f"{place} {marked(one)}", *cells)
    table.caption = "In how many of the matches that both played; after the + those in which they scored the same."
    return table


def _met(heads: HeadToHead, one: str, other: str) -> str:
    more, same, less = heads.between(one, other)
    if more + same + less == 0:
        return "-"
    return f"{more}+{same}" if same else str(more)


def _against_table(comparison: Comparison) -> Table:
    table = Table(title="Against the published table", title_justify="left", caption_justify="left")
    for name in AGAINST:
        table.add_column(name, justify="left" if name == "bot" else "right")
    for line in comparison.lines:
        table.add_row(*map(marked, line.texts()))
    table.caption = "\n".join(map(marked, _against_words(comparison)))
    return table


def _against_words(comparison: Comparison) -> list[str]:
    words = []
    if comparison.correlation is not None:
        count = len(comparison.lines)
        words.append(f"Rank correlation (Spearman) of the {count} bots in both: {comparison.correlation:.2f}.")
    for names, where in ((comparison.only_here, "here"), (comparison.only_there, "in the published table")):
        if names:
            words.append(f"Only {where}: {', '.join(map(visible, names))}.")
    return words


def _json(told: Told) -> None:
    answer: dict[str, Any] = {
        "game": told.record["game"],
        "ruleset": told.record["ruleset"],
        "matches": told.matches,
        "planned": told.planned,
        "uncounted": told.uncounted,
        "turns": told.record["turns"],
        "aggregate": told.standings.aggregate,
        "standings": told.standings.as_json(told.faults),
        "captions": told.standings.captions,
        "head_to_head": told.heads.as_json(told.order),
        "same": same_bots(told.record["bots"]),
        "skipped": told.record["skipped"],
        "unrepeatable": told.record["unrepeatable"],
    }
    if told.against is not None:
        answer["against"] = {
            "correlation": told.against.correlation,
            "bots": [line.as_json() for line in told.against.lines],
            "only_here": told.against.only_here,
            "only_there": told.against.only_there,
        }
    click.echo(json.dumps(answer, allow_nan=False))


def _csv(told: Told) -> None:
    file = io.StringIO()
    lines = told.standings.as_json(told.faults)
    flat = [flat_row(line) for line in lines]
    if told.against is not None:
        there = {line.bot: line for line in told.against.lines}
        for line in flat:
            found = there.get(line["bot"])
            line |= dict.fromkeys(("published", "difference", "within")) if found is None else found.beside()
    writer = csv.DictWriter(file, list(flat[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: csv_cell(value) for key, value in line.items()} for line in flat)
    click.echo(file.getvalue(), nl=False)


def _markdown(told: Told) -> None:
    lines = [f"**{markdown(_title(told))}**", ""]
    columns = told.standings.columns
    texts = [line.texts(told.faults.get(line.bot, {})) for line in told.standings.lines]
    lines += _rows(list(columns.values()), [[cells[key] for key in columns] for cells in texts])
    lines += ["", *(f"* {markdown(caption)}" for caption in [*told.standings.captions, *told.notes])]
    if 1 < len(told.order) <= MANY:
        heads = [
            [f"{place} {one}", *("" if one == other else _met(told.heads, one, other) for other in told.order)]
            for place, one in enumerate(told.order, 1)
        ]
        lines += ["", *_rows(["scored more than", *map(str, range(1, len(told.order) + 1))], heads)]
    if told.against is not None:
        lines += ["", *_rows(AGAINST, [line.texts() for line in told.against.lines])]
        lines += ["", *(f"* {markdown(words)}" for words in _against_words(told.against))]
    click.echo("\n".join(lines))


def _rows(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    def row(cells: Sequence[str]) -> str:
        return "| " + " | ".join(map(markdown, cells)) + " |"

    return [row(head), "| " + " | ".join("---" for _ in head) + " |", *map(row, rows)]
