"""The table of standings on the screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text

from koth.cli.screen import console, counted, escape_markup, print_table, seconds_text
from koth.contest.bracket import Bracket
from koth.contest.timing import Timing
from koth.standings.table import Standing, Standings

TIME_COLUMNS = {"median": "median answer", "worst": "slowest answer"}
"""The columns with the times of answers, and their headings."""
SPARE_COLUMNS = ("worst", "median", "interval", "matches", "rating", "behind_first", "faults", "first")
"""Columns that a narrow terminal leaves out, in the order in which they are dropped."""
LEFT_COLUMNS = ("bot", "faults", "behind_first")


def show_standings(
    standings: Standings, faults: Mapping[str, Mapping[str, int]], title: str, times: Mapping[str, Timing]
) -> None:
    """Print all bots, best first, in as many columns as fit into the terminal, and the notes."""
    lines = [(line, _cells(line, faults.get(line.bot, {}), times)) for line in standings.lines]
    heads = {**standings.columns, **(TIME_COLUMNS if times else {})}
    spare = [key for key in SPARE_COLUMNS if key in heads]
    left = [{key: head for key, head in heads.items() if key not in spare[:n]} for n in range(len(spare) + 1)]
    forms = [_table(lines, title, columns) for columns in left]
    for form in forms:
        form.caption = "\n".join(map(escape_markup, standings.notes))
    print_table(*forms)


def print_uncounted(matches: int) -> None:
    """Print the number of matches of earlier entrants and earlier knockouts, which do not count; nothing for 0."""
    if matches:
        earlier = f"{counted(matches, 'match', 'matches')} of earlier entrants or of an earlier knockout"
        console.print(f"{earlier}: on record, but not counted here.")


def print_bracket(bracket: Bracket | None) -> None:
    """Print the knockout, if any, with a line for each pair."""
    for line in ["Knockout", *bracket.lines()] if bracket is not None and bracket.rounds else []:
        console.print(Text(line), soft_wrap=not console.is_terminal)


def _table(lines: Sequence[tuple[Standing, Mapping[str, str]]], title: str, columns: Mapping[str, str]) -> Table:
    table = Table(title=escape_markup(title), title_justify="left", caption_justify="left", header_style="bold")
    for key, head in columns.items():
        table.add_column(
            head, justify="left" if key in LEFT_COLUMNS else "right", no_wrap=key != "bot", overflow="fold"
        )
    group = 0
    for line, cells in lines:
        if line.group != group:
            group = line.group
            table.add_section()
        table.add_row(*(cells[key] for key in columns))
    return table


def _cells(line: Standing, faults: Mapping[str, int], times: Mapping[str, Timing]) -> dict[str, str]:
    cells = {key: escape_markup(text) for key, text in line.texts(faults).items()}
    style = "red" if faults else "dim"
    cells["faults"] = f"[{style}]{cells['faults']}[/]"
    if line.rank == 1 and line.group == 0:
        cells["bot"] = f"[bold yellow]{cells['bot']}[/]"
    timing = times.get(line.bot)
    cells["median"], cells["worst"] = (
        (seconds_text(timing.median), seconds_text(timing.worst)) if timing else ("", "")
    )
    return cells
