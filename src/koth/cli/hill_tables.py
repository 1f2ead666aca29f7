"""Tables of a hill in the terminal, drawn from what `--json` prints, for folders and for sites."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.table import Table

from koth.cli.screen import counted, echo, marked, show
from koth.errors import visible
from koth.hill.sparkline import sparkline
from koth.standings.text import number, rank_text, rank_texts


def print_json(value: object) -> None:
    """Print one line of JSON."""
    click.echo(json.dumps(value))


def standings(found: dict[str, Any], rules: str) -> None:
    """Show standings; `rules` names the game and the ruleset."""
    matches = counted(found["matches"], "match", "matches")
    by = found["rank_by"]
    if found["rated"] != found["matches"]:
        matches += f" ({by}s after {found['rated']:,})"
    title = f"{rules}, season {found['season']}, {matches}, {found['aggregate']}"
    table = Table(title=marked(title), title_justify="left", header_style="bold")
    numbers = ("rating", "interval", "score") if by == "rating" else ("score", "interval")
    for column in ("rank", "bot", "author", "version", *numbers, "matches", ""):
        table.add_column(column, justify="left" if column in ("bot", "author", "") else "right")
    for line in found["lines"]:
        texts = rank_texts(line, by)
        rest = *(texts[column] for column in numbers), f"{line['matches']:,}", "" if line["placed"] else "new"
        table.add_row(str(line["rank"]), marked(line["bot"]), marked(line["author"]), str(line["version"]), *rest)
    show(table)
    if found["is_stale"]:
        echo(f"A match was made void since: the runner computes {by}s again.")
    for names in found["same"]:
        echo(f"The same bot, byte for byte: {', '.join(map(visible, names))}.")


def status(found: dict[str, Any]) -> None:
    """Say how a hill is doing."""
    season = found["season"]
    echo(f"{visible(found['game'])} ({visible(season['ruleset'])}), season {season['number']}, {season['state']}")
    echo(f"commitment: {season['commitment']}")
    authors, bots = (counted(found[f"{word}s"], word, f"{word}s") for word in ("author", "bot"))
    echo(f"{authors}, {bots}")
    for what in ("versions", "matches"):
        states = ", ".join(f"{count:,} {state}" for state, count in found[what].items() if count)
        echo(f"{what}: {states or 'none'}")
    budget = "" if found["matches_a_day"] is None else f" of {found['matches_a_day']:,}"
    echo(f"matches in the last 24 hours: {found['today']:,}{budget}")
    budget = "" if found["hours_a_day"] is None else f" of {found['hours_a_day']:g}"
    echo(f"processor hours of their bots: {found['hours']:.2f}{budget}")
    kept = "" if found["keep_days"] is None else f", kept for {counted(found['keep_days'], 'day', 'days')}"
    echo(f"replays: {found['replay_bytes'] / 1e6:,.1f} MB{kept}")
    if found["last"] is not None:
        echo(f"last match: {found['last']}")
    if "you" in found:
        _own(found["you"])


def _own(you: dict[str, Any]) -> None:
    """List the author's own bots, and the uploads of which no version was made."""
    more = counted(you["uploads_left"], "more bot", "more bots")
    echo(f"you are {visible(you['name'])}, and may send {more} in these 24 hours")
    for bot in you["bots"]:
        newest = bot["versions"][0]
        state = {"version": newest["number"], "version_state": newest["state"], "reason": newest["reason"]}
        echo(f"  {entry({'bot': bot['bot'], **state})}")
    for upload in you["uploads"]:
        if upload["version"] is None:
            echo(f"  {entry(upload)}")


def entry(upload: dict[str, Any]) -> str:
    """Return the state of an upload, or of the version that was made of it, with the reason."""
    name = upload["file"] if upload["bot"] is None else f"{upload['bot']}, version {upload['version']}"
    reason = f": {upload['reason']}" if upload["reason"] else ""
    return visible(f"{name}: {upload['version_state'] or upload['state']}{reason}", "\n")


def bot(found: dict[str, Any]) -> None:
    """Show a bot's versions."""
    table = Table(title=marked(f"{found['bot']} of {found['author']}"), title_justify="left", header_style="bold")
    by = found["rank_by"]
    for column in ("version", "state", "submitted", "matches", by, "curve", "digest", "reason"):
        table.add_column(column, justify="right" if column in ("version", "matches", by) else "left")
    values = [point[by] for version in found["versions"] for point in version["ratings"] if point[by] is not None]
    for version in found["versions"]:
        cells = (version["number"], version["state"], version["submitted"], f"{version['matches']:,}")
        own = [point[by] for point in version["ratings"] if point[by] is not None]
        curve = sparkline(own, min(values), max(values)) if own else ""
        first_line = version["reason"].partition("\n")[0]
        rest = rank_text(own[-1] if own else None, by), curve, version["digest"], first_line
        table.add_row(*(marked(str(cell)) for cell in (*cells, *rest)))
    if len(values) > 1:
        ends = [rank_text(value, by) for value in (min(values), max(values))]
        table.caption = f"curves from {ends[0]} (▁) to {ends[1]} (█), over the matches of a season"
        table.caption_justify = "left"
    show(table)
    for version in found["versions"][:1]:
        for line in version["reason"].splitlines()[1:]:
            echo(f"  {visible(line)}")


def matches(found: list[dict[str, Any]]) -> None:
    """List matches."""
    table = Table(header_style="bold")
    for column in ("match", "state", "bots and scores", "why"):
        table.add_column(column, justify="right" if column == "match" else "left", overflow="fold")
    for match in found:
        seats = ", ".join(_seat(seat) for seat in match["seats"])
        cells = str(match["match"]), match["state"], seats, match["reason"] or match["why"]
        table.add_row(*map(marked, cells))
    show(table)


def _seat(seat: dict[str, Any]) -> str:
    score = "" if seat["score"] is None else f" {number(seat['score'])}"
    return f"{seat['bot']} v{seat['version']}{score}"
