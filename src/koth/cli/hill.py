"""`koth hill`: a contest that lives, from the terminal. Django is set up before this is imported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypedDict

import click
from rich.table import Table

from koth.cli.said import HostOptions, interpreters, overrides
from koth.cli.screen import counted, echo, marked, program, show
from koth.discovery.entrants import only
from koth.engine.settings import choose
from koth.errors import visible
from koth.escaping import shell_word
from koth.games import load
from koth.hill import registry, summary, tables
from koth.hill.connection import Hill, made
from koth.hill.curves import sparkline
from koth.hill.models import Version
from koth.hill.table import standings
from koth.sandbox.levels import choose as isolation_level
from koth.standings.text import bounds, number


class InitOptions(TypedDict):
    """What `koth hill init` takes beside the game and the folder."""

    ruleset: str | None
    sets: tuple[str, ...]
    seats: int | None
    matches_a_day: int | None
    hours_a_day: float | None
    database: str | None
    replays: str
    keep_days: int | None
    as_json: bool


class SubmitOptions(HostOptions):
    """What `koth hill submit` takes beside the hill and the bot."""

    author: str | None
    isolation: str | None
    as_json: bool


def init(name: str, folder: Path, options: InitOptions) -> None:
    """Make a hill."""
    game = load(name)
    changed = overrides(options["sets"])
    ruleset, settings = choose(game, options["ruleset"], changed)
    changed = {key: getattr(settings, key) for key in changed}  # what was in a file, not the file's name
    seats = options["seats"]
    if seats is not None and seats not in game.seats:
        raise click.UsageError(f"--seats {seats}: {name} seats {game.seats.start} to {game.seats.stop - 1} bots")
    budget = options["matches_a_day"], options["hours_a_day"]
    with made(Hill(folder, name, seats, *budget, options["replays"], options["keep_days"], options["database"])):
        season = registry.begin_season(game, ruleset, changed)
    if options["as_json"]:
        _print({"folder": str(folder), "game": name, "season": summary.season_summary(season)})
        return
    echo(f"{folder}: a hill for {name} ({ruleset}), season {season.pk}, commitment {season.commitment}")
    echo(f"send it bots: {program()} hill submit {shell_word(folder)} BOT --author NAME")


def submit(hill: Hill, word: str, options: SubmitOptions) -> None:
    """Send a bot to the hill."""
    game = load(hill.game)
    isolation = isolation_level(options["isolation"])
    found = only(game, word, interpreters(options), isolation, "submit one at a time")
    version = registry.submit(game, found, options["author"])
    if options["as_json"]:
        told = {"bot": version.bot.name, "number": version.number, "digest": version.digest, "state": version.state}
        _print({**told, "author": version.bot.author.name})
        return
    name = visible(version.bot.name)
    echo(f"{name}, version {version.number}, digest {version.digest}: queued, it plays once it is checked")


def withdraw(bot: str, as_json: bool) -> None:
    """Take a bot out of play."""
    _ended(registry.withdraw(bot), as_json)


def suspend(bot: str, why: str, as_json: bool) -> None:
    """Take a bot out of play for a reason."""
    _ended(registry.suspend(bot, why), as_json)


def void(match: int, why: str, as_json: bool) -> None:
    """Take a match out of the standings."""
    registry.void(match, why)
    if as_json:
        _print({"match": match, "state": "void", "reason": why})
    else:
        echo(f"match {match} counts no more")


def show_standings(hill: Hill, as_json: bool) -> None:
    """Show the standings."""
    game, season = load(hill.game), registry.current_season()
    told = standings(game, season)
    if as_json:
        _print(told.as_json())
        return
    matches = counted(told.matches, "match", "matches")
    if told.rated != told.matches:
        matches += f" (ratings after {told.rated:,})"
    title = f"{hill.game} ({season.ruleset}), season {season.pk}, {matches}, {told.aggregate}"
    table = Table(title=marked(title), title_justify="left", header_style="bold")
    for column in ("rank", "bot", "author", "version", "rating", "interval", "score", "matches", ""):
        table.add_column(column, justify="left" if column in ("bot", "author", "") else "right")
    for line in told.lines:
        rating, interval, score = "", "", ""
        if line.rating is not None and line.margin is not None:
            rating = f"{line.rating:,.0f}"
            interval = " to ".join(bounds(line.rating - line.margin, line.rating + line.margin))
        if line.score is not None:
            score = number(line.score)
        rest = rating, interval, score, f"{line.matches:,}", "" if line.placed else "new"
        table.add_row(str(line.rank), marked(line.bot), marked(line.author), str(line.version), *rest)
    show(table)
    for names in told.same:
        echo(f"The same bot, byte for byte: {', '.join(map(visible, names))}.")


def list_audit(last: int, as_json: bool) -> None:
    """List what was done."""
    found = summary.audit(last)
    if as_json:
        _print(found)
        return
    table = Table(header_style="bold")
    for column in ("at", "who", "what", ""):
        table.add_column(column, overflow="fold")
    for entry in found:
        table.add_row(*(marked(entry[key].partition("\n")[0]) for key in ("at", "who", "what", "text")))
    show(table)


def _ended(versions: list[Any], as_json: bool) -> None:
    if as_json:
        _print([{"bot": v.bot.name, "number": v.number} for v in versions])
        return
    for version in versions:
        echo(f"{visible(version.bot.name)}, version {version.number}: it plays no more")


def status(hill: Hill, as_json: bool) -> None:
    """Say how the hill is doing."""
    told = summary.status(hill)
    if as_json:
        _print(told)
        return
    season = told["season"]
    echo(f"{hill.game} ({visible(season['ruleset'])}), season {season['number']}, {season['state']}")
    echo(f"commitment: {season['commitment']}")
    authors, bots = (counted(told[f"{word}s"], word, f"{word}s") for word in ("author", "bot"))
    echo(f"{authors}, {bots}")
    for what in ("versions", "matches"):
        states = ", ".join(f"{count:,} {state}" for state, count in told[what].items() if count)
        echo(f"{what}: {states or 'none'}")
    budget = "" if hill.matches_a_day is None else f" of {hill.matches_a_day:,}"
    echo(f"matches in the last 24 hours: {told['today']:,}{budget}")
    budget = "" if hill.hours_a_day is None else f" of {hill.hours_a_day:g}"
    echo(f"processor hours of their bots: {told['hours']:.2f}{budget}")
    kept = "" if hill.keep_days is None else f", kept for {counted(hill.keep_days, 'day', 'days')}"
    echo(f"replays: {told['replay_bytes'] / 1e6:,.1f} MB{kept}")
    if told["last"] is not None:
        echo(f"last match: {told['last']}")


def why_next(hill: Hill, as_json: bool) -> None:
    """Say who plays next, and why."""
    game, season = load(hill.game), registry.current_season()
    table = tables.why_next(hill, game, season)
    names = dict(Version.objects.filter(pk__in=table.seats).values_list("pk", "bot__name"))
    if as_json:
        _print({"seats": [names[pk] for pk in table.seats], "for": names[table.focus], "why": table.why})
    else:
        echo(visible(table.why))


def show_bot(name: str, as_json: bool) -> None:
    """Show a bot's versions."""
    told = summary.bot_summary(name)
    if as_json:
        _print(told)
        return
    table = Table(title=marked(f"{told['bot']} of {told['author']}"), title_justify="left", header_style="bold")
    for column in ("version", "state", "submitted", "matches", "rating", "curve", "digest", "reason"):
        table.add_column(column, justify="right" if column in ("version", "matches", "rating") else "left")
    values = [point["rating"] for version in told["versions"] for point in version["ratings"]]
    for version in told["versions"]:
        cells = (version["number"], version["state"], version["submitted"], f"{version['matches']:,}")
        own = [point["rating"] for point in version["ratings"]]
        curve = sparkline(own, min(values), max(values)) if own else ""
        first_line = version["reason"].partition("\n")[0]
        rest = f"{own[-1]:,.0f}" if own else "", curve, version["digest"], first_line
        table.add_row(*(marked(str(cell)) for cell in (*cells, *rest)))
    if len(values) > 1:
        table.caption = f"curves from {min(values):,.0f} (▁) to {max(values):,.0f} (█), over the matches of a season"
        table.caption_justify = "left"
    show(table)
    for version in told["versions"][:1]:
        for line in version["reason"].splitlines()[1:]:
            echo(f"  {visible(line)}")


def list_matches(bot: str | None, last: int, as_json: bool) -> None:
    """List the latest matches."""
    found = summary.match_summaries(bot, last)
    if as_json:
        _print(found)
        return
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


def _print(told: object) -> None:
    click.echo(json.dumps(told))
