"""A new version looked over as `koth check` does: what lets it play, or why it is refused, in its author's words."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from koth.contest.preflight import build
from koth.diagnostics.checkup import Checkup, Step, check
from koth.discovery.entrants import find, only
from koth.discovery.interpreters import Interpreters
from koth.errors import KothError
from koth.game import Game
from koth.hill.archive import unpacked_at
from koth.hill.models import Version
from koth.sandbox.isolation import Isolation
from koth.session.bot import Bot

STDERR = 10
"""Lines of a bot's stderr that are shown to its author."""
SEED = 1


def found(game: Game, version: Version, given: Interpreters, isolation: Isolation) -> Bot:
    """Return a version's bot out of its archive. Raises KothError."""
    place = unpacked_at(bytes(version.archive), version.file)
    word = f"{place}#{version.entry}" if version.entry else str(place)
    bot = only(game, word, given, isolation)
    if bot.digest != version.digest:
        raise KothError(f"{version}: its digest is {bot.digest} here, {version.digest} where it was submitted")
    return replace(bot, name=version.bot.name)


def built(game: Game, version: Version, given: Interpreters, isolation: Isolation, folder: Path) -> Bot:
    """Return a version's bot, built in a private copy and sealed. Raises KothError."""
    bot, problem = build(found(game, version, given, isolation), folder, isolation)
    if problem:
        raise KothError(problem)
    return bot


def problem_of(
    game: Game,
    ruleset: str,
    settings: Any,
    version: Version,
    given: Interpreters,
    isolation: Isolation,
    on_doing: Callable[[str], None],
) -> str:
    """Return why a version may not play, in words for its author; empty if it may."""
    try:
        bot = found(game, version, given, isolation)
    except KothError as error:
        return str(error)
    seats = min(game.contest_defaults.table or 4, game.seats.stop - 1)
    samples, _ = find(game, [f"@{name}" for name in game.default_entrants[: seats - 1]], given, isolation)
    with tempfile.TemporaryDirectory(prefix="koth-hill-") as folder:
        checkup = Checkup(
            game, ruleset, settings, None, SEED, Path(folder), game.time_control, isolation, on_doing=on_doing
        )
        return _why(check(checkup, bot, samples, lambda step: None))


def _why(steps: Sequence[Step]) -> str:
    """Return what is wrong in these steps: the first problem that is the bot's own."""
    for step in steps:
        for problem in step.problems:
            if problem.kind == "rival":
                continue
            when = f", turn {problem.turn}" if problem.turn else ""
            what = problem.text.splitlines() or [problem.meaning]
            printed = [line for line in problem.stderr.splitlines() if line.strip() not in ("", *what)][-STDERR:]
            return "\n".join([f"{problem.kind}{when}: {what[0]}", *what[1:], *printed])
    return ""
