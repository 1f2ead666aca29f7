"""`koth list`: the games, their samples, and the bots in a folder."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from koth.cli.exit_codes import NO, OK
from koth.cli.screen import counted, echo, errors, make_table, print_json, print_table, waiting
from koth.discovery.entrants import find_entrants
from koth.discovery.plays import find_game
from koth.discovery.samples import find_sample, read_summary, sample_names
from koth.errors import KothError, visible
from koth.game import Game
from koth.games import GameError, load, playable, troubles
from koth.protocol.by_name import FRAMES
from koth.sandbox.levels import choose_level
from koth.sandbox.mounts import PACKAGE
from koth.services.options import ListOptions
from koth.session.bot import Bot

NEWLINE = "\n"
COLUMN = 28
"""The most characters of a column: the table fits 100."""


def list_all(words: Sequence[str], options: ListOptions, as_json: bool) -> None:
    """Print the games, the sample bots of a game, or the bots in folders."""
    is_game = len(words) == 1 and not options.game and (words[0] in playable() or not Path(words[0]).exists())
    if words and not is_game:
        list_found(options.game or find_game(words[0]), words, options, as_json)
    if options != ListOptions():
        raise KothError("these options are for the bots in a folder: koth list FOLDER --game GAME")
    if words:
        list_bots(words[0], as_json)
    else:
        list_games(as_json)


def list_games(as_json: bool) -> None:
    """Print the games as a table or JSON."""
    games = load_games()
    if as_json:
        listed = [
            {
                "game": game.name,
                "title": game.title,
                "rulesets": list(game.rulesets),
                "matches": game.contest_defaults.matches,
                "aggregate": game.contest_defaults.aggregate,
            }
            for game in games
        ]
        print_json(listed)
        return
    rows = []
    for game in games:
        contest = f"{counted(game.contest_defaults.matches, 'match', 'matches')}, {game.contest_defaults.aggregate}"
        rows.append((game.name, game.title, ", ".join(game.rulesets), contest))
    print_table(make_table(("game", "title", "rulesets", "a contest"), rows))


def load_games() -> list[Game]:
    """Return all games that can be played; print why other games can't."""
    games: list[Game] = []
    for line in troubles():
        errors.print(line, markup=False)
    for name in playable():
        try:
            games.append(load(name))
        except GameError as error:
            errors.print(str(error), markup=False)
    return games


def list_bots(game: str, as_json: bool) -> None:
    """Print the sample bots of a game as a table or JSON."""
    rules = load(game)
    names = sample_names(game)
    if as_json:
        print_json(names)
        return
    rows = [
        ("+" if name in rules.default_entrants else "", f"@{name}", read_summary(game, find_sample(game, name)))
        for name in names
    ]
    print_table(make_table(("", "bot", "idea"), rows, caption="+ a default entrant: plays if you name no bot"))


def list_found(game: str, words: Sequence[str], options: ListOptions, as_json: bool) -> NoReturn:
    """Print the bots that `words` name, how each is started, and what is passed over, as a table or JSON."""
    rules = load(game)
    with waiting("looking for bots", plain=False):
        found = find_entrants(rules, words, options.grants, choose_level(options.isolation), options.exclude)
    if as_json:
        listed = {
            "game": game,
            "bots": [_as_json(bot) for bot in found.bots],
            "broken": [str(problem) for problem in found.problems],
            "notes": found.notes,
            "passed over": found.passed,
        }
        print_json(listed)
        sys.exit(NO if found.problems else OK)
    if found.bots:
        rows = [(bot.name, bot.language, _begin(_steps(bot)), _end(_near(bot.where))) for bot in found.bots]
        print_table(make_table(("bot", "language", "built and started", "where"), rows))
    count = counted(len(found.bots), "bot", "bots")
    broken = f", {len(found.problems)} more can't be read" if found.problems else ""
    echo(f"{count} found and not started (koth check BOT tries one){broken}")
    for note in found.notes:
        echo(f"note: {visible(note)}")
    for line in found.passed:
        echo(f"passed over: {visible(line)}")
    for problem in found.problems:
        echo(f"broken: {visible(str(problem), keep=NEWLINE)}")
    sys.exit(NO if found.problems else OK)


def _as_json(bot: Bot) -> dict[str, Any]:
    return {
        "name": bot.name,
        "path": str(bot.path),
        "entry": bot.entry,
        "language": bot.language,
        "protocol": bot.protocol,
        "build": [list(line) for line in bot.build],
        "command": [*bot.argv, *bot.arguments],
        "digest": bot.digest,
    }


def _steps(bot: Bot) -> str:
    """Return the commands that build and start a bot, as the author would type them in the bot's folder."""
    program, *rest = bot.argv or ("",)
    own = program if Path(program).is_relative_to(bot.folder) else Path(program).name
    has_adapter = bot.has_adapter or bot.protocol == FRAMES
    runs = ["koth's adapter"] if has_adapter else [shlex.join([own, *rest])]
    return "; ".join([*map(shlex.join, bot.build), " ".join([*runs, *map(shlex.quote, bot.arguments)])]).replace(
        f"{bot.folder}/", ""
    )


def _begin(text: str) -> str:
    """Return the beginning of a text that is too long for a column."""
    return text if len(text) <= COLUMN else f"{text[: COLUMN - 3]}..."


def _end(text: str) -> str:
    """Return the end of a text that is too long for a column."""
    return text if len(text) <= COLUMN else f"...{text[3 - COLUMN :]}"


def _near(where: str) -> str:
    """Return a path without the current folder, or with koth/ instead of the path of koth's package."""
    for top, shown in ((Path.cwd(), ""), (PACKAGE, "koth/")):
        if where.startswith(f"{top}/"):
            return shown + where.removeprefix(f"{top}/")
    return where
