"""The standings as a table on the screen."""

from __future__ import annotations

from collections.abc import Mapping

from rich.table import Table

from koth.cli.screen import counted, marked, number, seconds
from koth.contest.seating import trial
from koth.contest.timing import Timing
from koth.standings.table import Standing, Standings


def title_of(game: str, ruleset: str, done: int, total: int | None, turns: int | None, aggregate: str) -> str:
    """What standings are of: so many matches, of a `total` if it is not reached."""
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
    """Everybody, best first: with `times` all there is to say, without them the short form of a running contest."""
    lines = standings.lines[:rows]
    table = Table(title=marked(title), title_justify="left", caption_justify="left", header_style="bold")
    columns = _columns(lines, times is not None)
    for name in columns:
        left = name in ("bot", "faults", "against the next")
        table.add_column(name, justify="left" if left else "right", overflow="fold")
    best = max((line.score for line in lines), default=0)
    group = 0
    for line in lines:
        if line.group != group:
            group = line.group
            table.add_section()
        cells = _cells(line, faults.get(line.bot, {}), times or {})
        if line.score == best and line.rank == 1:
            cells["bot"] = f"[bold yellow]{cells['bot']}[/]"
        table.add_row(*(cells[name] for name in columns))
    if times is not None:
        table.caption = "\n".join(map(marked, standings.captions))
    return table


def _columns(lines: list[Standing], in_full: bool) -> list[str]:
    """The columns that have something to say."""
    sure = any(line.place is not None for line in lines)
    columns = ["place" if sure else "rank", "bot", "score", "interval"]
    if in_full:
        columns += ["ranks", "first", "against the next"] if sure and len(lines) > 1 else []
        columns += ["rating"] if any(line.rating is not None for line in lines) else []
    columns += ["games", "faults"]
    return columns + (["median", "worst"] if in_full else [])


def _cells(line: Standing, faults: Mapping[str, int], times: Mapping[str, Timing]) -> dict[str, str]:
    kinds = ", ".join(f"{count} {marked(kind)}" for kind, count in faults.items())
    timing = times.get(line.bot)
    return {
        "rank": str(line.rank),
        "place": "" if line.place is None else str(line.place),
        "bot": marked(line.bot),
        "score": number(line.score),
        "interval": interval_text(line),
        "ranks": ""
        if line.best is None
        else f"{line.best}" + (f" to {line.worst}" if line.worst != line.best else ""),
        "first": "" if line.first is None else f"{line.first:.0%}",
        "against the next": below_text(line),
        "rating": "" if line.rating is None else f"{line.rating:,.0f}",
        "games": str(line.games),
        "faults": f"[red]{kinds}[/]" if kinds else "[dim]none[/]",
        "median": seconds(timing.median) if timing else "",
        "worst": seconds(timing.worst) if timing else "",
    }


def interval_text(line: Standing) -> str:
    """The interval as people read it, or why there is none."""
    low, high = line.interval.low, line.interval.high
    if low is not None and high is not None:
        return f"{number(low)} to {number(high)}"
    if low is not None:
        return f"{number(low)} or more"
    return line.interval.note if high is None else f"{number(high)} or less"


def below_text(line: Standing) -> str:
    """How a bot compares with the next one."""
    if line.below is None:
        return ""
    if line.below.apart:
        return "separated"
    return "not yet" if line.below.games is None else f"not yet, about {line.below.games:,} more games"
