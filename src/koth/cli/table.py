"""Table of the standings on the screen."""

from __future__ import annotations

from collections.abc import Mapping

from rich.table import Table

from koth.cli.screen import counted, marked, seconds
from koth.contest.seating import trial
from koth.contest.timing import Timing
from koth.standings.table import Standing, Standings


def title_of(game: str, ruleset: str, done: int, total: int | None, turns: int | None, aggregate: str) -> str:
    """Return the title of standings: the number of matches, of a `total` if it is not reached."""
    missing = "" if total is None else f"{done} of "
    matches = counted(done if total is None else total, "match", "matches")
    return f"{game} ({ruleset}), {missing}{matches}{trial(turns)}, {aggregate}"


def standings_table(
    standings: Standings,
    faults: Mapping[str, Mapping[str, int]],
    title: str,
    *,
    rows: int | None = None,
    times: Mapping[str, Timing] | None = None,
) -> Table:
    """Return all bots, best first: with `times` in all columns, without them the short form of a running contest."""
    lines = standings.lines[:rows]
    table = Table(title=marked(title), title_justify="left", caption_justify="left", header_style="bold")
    columns = _columns(lines, times is not None)
    for name in columns:
        left = name in ("bot", "faults", "behind the first")
        table.add_column(name, justify="left" if left else "right", overflow="fold")
    group = 0
    for line in lines:
        if line.group != group:
            group = line.group
            table.add_section()
        cells = _cells(line, faults.get(line.bot, {}), times or {})
        if line.rank == 1 and line.group == 0:
            cells["bot"] = f"[bold yellow]{cells['bot']}[/]"
        table.add_row(*(cells[name] for name in columns))
    if times is not None:
        table.caption = "\n".join(map(marked, standings.captions))
    return table


def _columns(lines: list[Standing], in_full: bool) -> list[str]:
    """Return the columns that have something to say."""
    verdicts = any(line.best is not None for line in lines)
    columns = ["rank", *(["could be"] if verdicts else []), "bot", "score", "interval"]
    if in_full:
        columns += ["behind the first"] if verdicts and len(lines) > 1 else []
    columns += ["first"] if verdicts and len(lines) > 1 else []
    if in_full:
        columns += ["rating"] if any(line.rating is not None for line in lines) else []
    columns += ["matches", "faults"]
    return columns + (["median", "worst"] if in_full else [])


def _cells(line: Standing, faults: Mapping[str, int], times: Mapping[str, Timing]) -> dict[str, str]:
    kinds = ", ".join(f"{count} {marked(kind)}" for kind, count in faults.items())
    timing, texts = times.get(line.bot), line.texts()
    return {
        "rank": texts["rank"],
        "could be": texts["could_be"],
        "bot": marked(line.bot),
        "score": texts["score"],
        "interval": texts["interval"],
        "behind the first": texts["behind_first"],
        "first": texts["first"],
        "rating": texts["rating"],
        "matches": str(line.matches),
        "faults": f"[red]{kinds}[/]" if kinds else "[dim]none[/]",
        "median": seconds(timing.median) if timing else "",
        "worst": seconds(timing.worst) if timing else "",
    }
