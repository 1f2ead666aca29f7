"""`koth standings`: the standings of a contest, for people, spreadsheets, scripts and pages."""

from __future__ import annotations

from rich.table import Table

from koth.cli.ranking import print_ranking
from koth.cli.screen import console, echo, escape_markup, make_table, print_json, print_table
from koth.cli.standings_table import print_bracket, print_uncounted, show_standings
from koth.escaping import csv_table, markdown, markdown_table
from koth.services.opening import open_matches
from koth.services.options import StandingsOptions
from koth.services.standings import StandingsReport, report_standings
from koth.standings.head import HeadToHead
from koth.standings.text import unrepeatable_text

MOST_HEADS = 24
"""The largest number of bots for which the head-to-head table is printed on a screen."""


def print_standings(run: str, options: StandingsOptions, form: str | None, explain: bool) -> None:
    """Print the standings of the contest that `run` names as a table, or in `form`: "csv", "json" or "markdown".

    With `explain`, explain the table's columns below the table. Raises KothError.
    """
    with open_matches(run) as reader:
        if (ranking := reader.ranking()) is not None:
            print_ranking(reader.plan(), ranking, form, explain)
            return
        report = report_standings(reader, settings=options.settings)
    if form == "json":
        print_json(report.as_json())
        return
    if form is not None:
        {"csv": _print_csv, "markdown": _print_markdown}[form](report)
        return
    _print_table(report)
    if explain:
        for text in report.standings.explanations:
            console.print(escape_markup(text), soft_wrap=not console.is_terminal)


def _notes(report: StandingsReport) -> list[str]:
    """Return the sentences about the bots that are printed below the table."""
    unrepeatable = report.record["unrepeatable"]
    same = [f"Byte for byte the same bot: {', '.join(names)}." for names in report.same]
    return [*same, *([unrepeatable_text(unrepeatable)] if unrepeatable else [])]


def _print_table(report: StandingsReport) -> None:
    show_standings(report.standings, report.faults, report.title, report.times)
    if 1 < len(report.order) <= MOST_HEADS:
        print_table(_heads_table(report))
    print_bracket(report.bracket)
    for text in _notes(report):
        console.print(escape_markup(text))
    print_uncounted(report.uncounted)


def _heads_table(report: StandingsReport) -> Table:
    caption = "The number of matches between both in which the row's bot scored more; after the +: the same."
    head, *rows = _heads_rows(report)
    return make_table(head, rows, head[1:], "Head to head", caption)


def _heads_rows(report: StandingsReport) -> list[list[str]]:
    """Return the head-to-head table: in how many common matches the row's bot scored more than the column's."""
    rows = [
        [
            f"{place} {one}",
            *("" if one == other else _meetings_text(report.heads, one, other) for other in report.order),
        ]
        for place, one in enumerate(report.order, 1)
    ]
    return [["scored more than", *map(str, range(1, len(rows) + 1))], *rows]


def _meetings_text(heads: HeadToHead, one: str, other: str) -> str:
    more, same, less = heads.between(one, other)
    if more + same + less == 0:
        return "-"
    return f"{more}+{same}" if same else str(more)


def _print_csv(report: StandingsReport) -> None:
    echo(csv_table(report.rows).removesuffix("\n"))


def _print_markdown(report: StandingsReport) -> None:
    lines = [f"**{markdown(report.title)}**", ""]
    columns = report.standings.columns
    texts = [line.texts(report.faults.get(line.bot, {})) for line in report.standings.lines]
    lines += markdown_table(list(columns.values()), [[cells[key] for key in columns] for cells in texts])
    table = report.standings
    lines += ["", *(f"* {markdown(text)}" for text in [*table.notes, *_notes(report), *table.explanations])]
    if 1 < len(report.order) <= MOST_HEADS:
        head, *rows = _heads_rows(report)
        lines += ["", *markdown_table(head, rows)]
    lines += ["", *(f"* {markdown(text)}" for text in report.bracket.lines())]
    echo("\n".join(lines))
