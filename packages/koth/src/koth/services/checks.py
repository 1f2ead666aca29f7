"""The check of a bot before any contest: find, build, start and play the bot, step by step."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from koth.diagnostics.checkup import CheckStep, Checkup, Problem, check
from koth.discovery.entrants import find_entrants, find_only
from koth.discovery.interpreters import Interpreters
from koth.discovery.plays import find_game
from koth.engine.settings import choose
from koth.errors import KothError
from koth.game import Game
from koth.games import load
from koth.sandbox.failures import Bug, refuse_at_bugs
from koth.sandbox.isolation import Isolation
from koth.services.observer import Observer
from koth.services.options import CheckOptions
from koth.session.bot import Bot

NOTE_INTERVAL = 5.0
"""Seconds between notes about a bot that waits for a core."""


@dataclass(frozen=True, repr=False)
class BotCheck:
    """The result of a bot's check."""

    bot: str
    game: str
    steps: Sequence[CheckStep]
    length: int | None
    """The number of turns of a whole match, if the rules fix this number."""

    @property
    def ok(self) -> bool:
        """True if no step found a problem."""
        return all(step.ok for step in self.steps)

    def __str__(self) -> str:
        lines = [f"{self.bot}: {'no fault' if self.ok else 'not ready'}"]
        for step in self.steps:
            lines.append(f"{step.name}: {step.text}")
            lines += [f"  {problem.kind}, turn {problem.turn}: {problem.text}" for problem in step.problems]
            lines += [f"  {remark}" for remark in step.remarks]
        return "\n".join(lines)

    __repr__ = __str__


def check_bot(word: str, options: CheckOptions, observer: Observer, on_step: Callable[[CheckStep], None]) -> BotCheck:
    """Play a bot alone and against rivals; call `on_step` after each step. Raises KothError.

    `word` is a path or `@SAMPLE`.
    """
    game = load(options.game or find_game(word))
    isolation = options.own_isolation
    with observer.doing("looking for it") as doing, tempfile.TemporaryDirectory(prefix="koth-check-") as place:
        bot = find_only(game, word, options.grants, isolation, "check one at a time")
        rivals = find_rivals(game, options.against, options.grants, isolation, bot.seats)
        checkup = plan_check(game, options, Path(place), observer, doing)
        steps: list[CheckStep] = []
        for step in _check_steps(checkup, bot, rivals):
            steps.append(step)
            on_step(step)
    return BotCheck(bot.name, game.name, tuple(steps), checkup.length)


def plan_check(
    game: Game, options: CheckOptions, folder: Path, observer: Observer, on_doing: Callable[[str], None]
) -> Checkup:
    """Return the plan of a bot's check with these options; `folder` is for files. Raises KothError."""
    ruleset, settings = choose(game, options.ruleset, options.settings)
    return Checkup(
        game=game,
        ruleset=ruleset,
        settings=settings,
        max_turns=options.max_turns,
        seed=options.seed,
        folder=folder,
        time_control=options.time_control(game),
        isolation=options.own_isolation,
        on_wait=WaitNotes(observer.note),
        on_doing=on_doing,
    )


def _check_steps(checkup: Checkup, bot: Bot, rivals: Sequence[Bot]) -> Iterator[CheckStep]:
    """Yield the steps of a check; a bug of koth gives the last step."""
    try:
        with refuse_at_bugs():
            yield from check(checkup, bot, rivals)
    except Bug as error:
        yield CheckStep("bug", "the check ends here", [Problem("bug", 1, 0, str(error))])


def find_rivals(
    game: Game, words: Sequence[str], grants: Interpreters, isolation: Isolation, seats: Sequence[int] = ()
) -> list[Bot]:
    """Return the rivals that words name; without words, samples.

    `seats` are the numbers of seats for which the bot was written (empty: any). Raises KothError, also if the number
    of rivals does not fit `seats`.
    """
    found = find_entrants(game, words or choose_samples(game, seats), grants, isolation)
    for problem in found.problems:
        raise problem
    if seats and found.bots and len(found.bots) + 1 not in seats:
        wanted = ", ".join(str(number - 1) for number in seats)
        raise KothError(f"its koth.toml has seats = {list(seats)}: name {wanted} rivals, not {len(found.bots)}")
    return found.bots


def choose_samples(game: Game, seats: Sequence[int] = ()) -> list[str]:
    """Return samples for the other seats of a match, as words.

    `seats` are the numbers of seats for which the bot was written (empty: any); if these are more than the samples,
    samples play several times.
    """
    most = game.contest_defaults.seats or min(4, game.seats.stop - 1)
    if seats and most not in seats:
        most = max(seats)
    samples = game.default_entrants
    words = [f"@{name}" for name in samples[: most - 1]]
    again = [samples[k % len(samples)] for k in range(len(words), most - 1)] if seats and samples else []
    return words + [f"{name}_{k}=@{name}" for k, name in enumerate(again, 2)]


class WaitNotes:
    """A callback that notes which bot waits for a core, at most once per `NOTE_INTERVAL`."""

    def __init__(self, note: Callable[[str], None]) -> None:
        self._note = note
        self._said = 0.0

    def __call__(self, name: str, seconds: float) -> None:
        if time.monotonic() - self._said > NOTE_INTERVAL:
            self._said = time.monotonic()
            self._note(f"{name} waits for a core, {seconds:.0f} s by now: other programs of this machine hold them")
