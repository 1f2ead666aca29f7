"""Table of the standings on the screen."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from rich.table import Table

from koth.cli.screen import marked, seconds, show
from koth.contest.timing import Timing
from koth.standings.table import Standing, Standings

TIMES = {"median": "median answer", "worst": "slowest answer"}
"""The columns with the times of answers, and their heads."""
SHORT = (*TIMES, "behind_first")
"""The columns that the table of a running contest does without."""
SPARE = ("worst", "median", "behind_first", "matches", "interval", "faults")
"""The columns that a narrow terminal does without, those first that go first."""
LEFT = ("bot", "faults", "behind_first")


def show_standings(
    standings: Standings, faults: Mapping[str, Mapping[str, int]], title: str, times: Mapping[str, Timing]
) -> None:
    """Print all bots, best first, in as many columns as the terminal has room for, and the captions."""
    forms = [_table(standings, faults, title, times, without=SPARE[:count]) for count in range(len(SPARE) + 1)]
    for form in forms:
        form.caption = "\n".join(map(marked, standings.captions))
    show(*forms)


def short_table(standings: Standings, faults: Mapping[str, Mapping[str, int]], title: str, rows: int) -> Table:
    """Return the first `rows` bots of a running contest."""
    return _table(standings, faults, title, {}, without=SHORT, rows=rows)


def _table(
    standings: Standings,
    faults: Mapping[str, Mapping[str, int]],
    title: str,
    times: Mapping[str, Timing],
    without: Collection[str],
    rows: int | None = None,
) -> Table:
    table = Table(title=marked(title), title_justify="left", caption_justify="left", header_style="bold")
    columns = {key: head for key, head in {**standings.columns, **TIMES}.items() if key not in without}
    for key, head in columns.items():
        table.add_column(head, justify="left" if key in LEFT else "right", overflow="fold")
    group = 0
    for line in standings.lines[:rows]:
        if line.group != group:
            group = line.group
            table.add_section()
        cells = _cells(line, faults.get(line.bot, {}), times)
        table.add_row(*(cells[key] for key in columns))
    return table


def _cells(line: Standing, faults: Mapping[str, int], times: Mapping[str, Timing]) -> dict[str, str]:
    cells = {key: marked(text) for key, text in line.texts(faults).items()}
    style = "red" if faults else "dim"
    cells["faults"] = f"[{style}]{cells['faults']}[/]"
    if line.rank == 1 and line.group == 0:
        cells["bot"] = f"[bold yellow]{cells['bot']}[/]"
    timing = times.get(line.bot)
    cells["median"], cells["worst"] = (seconds(timing.median), seconds(timing.worst)) if timing else ("", "")
    return cells
