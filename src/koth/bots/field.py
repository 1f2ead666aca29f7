"""From the words of a command line to the bots that they name."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

from koth.bots.bot import Bot
from koth.bots.folder import COMMANDS, is_bot, load_all
from koth.bots.languages import LANGUAGES, Interpreters
from koth.bots.manifest import MANIFEST, BotError
from koth.bots.samples import sample_names, sample_path
from koth.bots.sandbox.isolation import PLAIN, Isolation
from koth.game import Game


def find(
    game: Game, words: Sequence[str], interpreters: Interpreters, isolation: Isolation = PLAIN
) -> tuple[list[Bot], list[BotError]]:
    """The bots that these words of a command line name, and what is wrong with the others.

    A word is a folder, a file, a folder of bots or `@name` for a sample, each with `NAME=` in front of it if
    the bot is to have another name. What has to be compiled to be found is compiled in this isolation.
    Raises SandboxError.
    """
    bots: list[Bot] = []
    errors: list[BotError] = []
    for word in words:
        name, _, rest = word.partition("=")
        given, target = (name, rest) if rest and not Path(word).exists() else (None, word)
        try:
            paths = _paths(game, target)
        except BotError as error:
            errors.append(error)
            continue
        for path in paths:
            try:
                bots += load_all(game, path, interpreters, given if len(paths) == 1 else None, isolation)
            except BotError as error:
                errors.append(error)
    seen: dict[str, Bot] = {}
    for bot in bots:
        if bot.name in seen:
            text = f"two bots are called {bot.name}: {seen[bot.name].path} and {bot.path}"
            errors.append(BotError(f"{text}; name one of them otherwise: OTHER={bot.path}"))
        elif bot.name in game.reserved_names:
            errors.append(BotError(f"{bot.path}: no bot of {game.name} may be called {bot.name}"))
        else:
            seen[bot.name] = bot
    return list(seen.values()), errors


def _paths(game: Game, target: str) -> list[Path]:
    if target.startswith("@"):
        return [sample_path(game.name, target[1:])]
    path = Path(target)
    if not path.exists():
        near = path.parent if path.parent.is_dir() else Path()
        hint = difflib.get_close_matches(path.name, [p.name for p in near.iterdir()], 1)
        samples = " (a sample is named with @, see `koth bots`)" if target in sample_names(game.name) else ""
        raise BotError(f"{target}: no such file or folder{f'; did you mean {near / hint[0]}?' if hint else samples}")
    if is_bot(game.name, path):
        return [path]
    inside = (
        sorted(p for p in path.iterdir() if not p.name.startswith(".") and is_bot(game.name, p))
        if path.is_dir()
        else []
    )
    links = [p for p in inside if p.is_symlink()]
    if links:
        raise BotError(f"{links[0]} is a link; name a bot that lies elsewhere by itself: {links[0].resolve()}")
    if not inside:
        kinds = ", ".join(f"bot{ending}" for ending in LANGUAGES)
        raise BotError(f"{target}: no bot here; a bot has a {MANIFEST}, a {COMMANDS} or a main file ({kinds})")
    return inside
