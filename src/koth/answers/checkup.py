"""A bot looked over before any contest: found, built, started, played alone and against others, step by step."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

from koth.answers import why
from koth.answers.again import Again, Told
from koth.answers.habits import Watch, watch
from koth.answers.misread import misread
from koth.answers.why import ENDS, MEANINGS, SHAPED, in_words, moment_of, readable
from koth.bots.bot import Bot
from koth.bots.guest import Trouble
from koth.bots.sandbox.isolation import PLAIN, Isolation
from koth.contest.practice import build
from koth.errors import KothError
from koth.game import Asks, Budgets, Game
from koth.match import Entrant, Inline, Record, play
from koth.replay import Replay


@dataclass(frozen=True)
class Problem:
    """One kind of fault that the bot had: what it received and said, and what would have been right."""

    kind: str
    """A kind of fault; "build" or "rival" where it is no fault in a match: see `meaning`."""
    count: int
    turn: int
    text: str
    ended: str = ""
    received: str = ""
    said: str = ""
    example: str = ""
    stderr: str = ""
    remark: str = ""
    """What it tells of what the bot believes."""

    @property
    def meaning(self) -> str:
        """What the kind means, in plain words."""
        return {**MEANINGS, "build": "its build failed", "rival": "a rival did not come up"}[self.kind]


@dataclass(frozen=True)
class Step:
    """One step of a check-up: what was tried, how it went, in words, and what was wrong."""

    name: str
    text: str
    problems: list[Problem] = field(default_factory=list)
    numbers: Mapping[str, float] = field(default_factory=dict)
    remarks: Sequence[str] = ()
    """What it does and can hardly mean: no faults."""

    @property
    def ok(self) -> bool:
        return not self.problems


MATCHES = ("alone", "samples")
"""The names of a check-up's matches."""


def idle(asks: Asks, facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """An answer of defaults: the bot that does nothing."""
    return {}


@dataclass(frozen=True)
class Checkup:
    """How to look a bot over: the game as it is to be played, for so many turns."""

    game: Game
    ruleset: str
    settings: Any
    turns: int
    seed: int
    folder: Path
    budgets: Budgets
    isolation: Isolation = PLAIN
    on_wait: Callable[[str, float], None] | None = None
    """Is told which bot is kept from its core by other programs, and for how many seconds by now."""

    def build(self, bot: Bot) -> tuple[Bot, Step]:
        """The bot in a copy of its own, built."""
        built, problem = build(bot, self.folder / "bots", self.isolation)
        how = f"speaks {bot.wire}" if bot.wire != "frames" else "run by koth's own runner"
        if problem:
            first, _, rest = problem.partition("\n")
            return bot, Step("build", first.rstrip(":"), [Problem("build", 1, -1, first, stderr=rest)])
        return built, Step("found", f"{bot.path} ({how})")

    def rivals(self, samples: Sequence[Bot]) -> tuple[list[Bot], list[Problem]]:
        """Those of the rivals that can be built, in copies of their own, and what is wrong with the others."""
        ready, problems = [], []
        for sample in samples:
            built, problem = build(replace(sample, name=f"@{sample.name}"), self.folder / "bots", self.isolation)
            if problem:
                problems.append(Problem("rival", 1, -1, f"{built.name}: {problem}"))
            else:
                ready.append(built)
        return ready, problems

    def play(self, name: str, bot: Bot, others: Sequence[Entrant]) -> Step:
        """One match of it against these."""
        replay = self._replay(name)
        result = play(
            self.game,
            self.settings,
            [bot, *others],
            self.seed,
            ruleset=self.ruleset,
            replay=replay,
            budgets=self.budgets,
            isolation=self.isolation,
            turns=self.turns,
            on_wait=self.on_wait,
        )
        record = result.records[bot.name]
        told = Told(bot.wire, bot.options)
        problems = [self._problem(replay, bot, told, trouble) for trouble in record.troubles.values()]
        problems += [problem for other in others for problem in _not_up(other.name, result.records[other.name])]
        numbers = {**_numbers(record), "budget": self.budgets.question}
        against = "against nobody who moves" if name == "alone" else f"against {', '.join(o.name for o in others)}"
        text = f"{result.turns} turns {against}, score {result.scores[bot.name]:g}"
        return Step(name, text, problems, numbers)

    def alone(self, bot: Bot) -> Step:
        """A match in which nobody else does anything."""
        seats = max(1, self.game.seats.start)
        return self.play("alone", bot, [Inline(f"nobody{number}", idle) for number in range(1, seats)])

    def watched(self, bot: Bot) -> list[str]:
        """What is to be said of what it did in the matches so far."""
        eyes = Watch(self.game, self.settings, Told(bot.wire, bot.options))
        for name in MATCHES:
            if (replay := self._replay(name)).exists():
                watch(self.game, Replay(replay), {bot.name: eyes})
        return eyes.remarks()

    def _replay(self, name: str) -> Path:
        return self.folder / f"{name}.koth.gz"

    def _problem(self, replay: Path, bot: Bot, told: Told, trouble: Trouble) -> Problem:
        received, example = readable(trouble.asked).rstrip("\n"), ""
        try:
            again = Again(self.game, Replay(replay), bot.name)
            moment = moment_of(again, trouble.turn, trouble.kind) if trouble.turn >= 0 else None
        except KothError:
            moment = None
        if moment is not None:
            if trouble.kind in SHAPED:
                example = why.example(again, told.wire, moment)
            if told.wire == "frames":
                received = json.dumps(in_words(again, moment))
        said = "" if told.wire == "frames" else readable(trouble.said)
        if told.wire == "frames" and moment is None:
            received = ""
        stderr = readable(trouble.stderr)
        remark = misread(self.game, self.settings, told.wire, trouble.kind, trouble.said)
        return Problem(
            trouble.kind,
            trouble.count,
            trouble.turn,
            trouble.text,
            trouble.end,
            received,
            said,
            example,
            stderr,
            remark,
        )


def _not_up(name: str, record: Record) -> Iterator[Problem]:
    """What kept a rival from giving a single answer."""
    for trouble in record.troubles.values():
        if trouble.turn < 0 or (trouble.turn == 0 and trouble.kind in ENDS):
            text = f"{name}: {trouble.kind}: {trouble.text}"
            yield Problem("rival", 1, trouble.turn, text, trouble.end, stderr=readable(trouble.stderr))


def _numbers(record: Record) -> dict[str, float]:
    """How long it took and what it used: seconds, bytes."""
    seconds = record.times.table()[:, 1].tolist()
    return {
        "start": record.start_seconds,
        "questions": len(seconds),
        "median": median(seconds) if seconds else 0.0,
        "worst": max(seconds, default=0.0),
        "memory": record.memory,
    }


def check(checkup: Checkup, bot: Bot, samples: Sequence[Bot], tell: Callable[[Step], None]) -> list[Step]:
    """All steps, each told as it ends; a step that fails at the start ends the check-up."""
    steps: list[Step] = []

    def done(step: Step) -> Step:
        steps.append(step)
        tell(step)
        return step

    built, found = checkup.build(bot)
    if not done(found).ok:
        return steps
    alone = done(checkup.alone(built))
    if any(problem.turn < 0 for problem in alone.problems):
        return steps  # it does not come up
    others, missing = checkup.rivals(samples)
    if others:
        step = checkup.play("samples", built, others)
        done(replace(step, problems=missing + step.problems))
    elif missing:
        done(Step("samples", "no rival can be built", missing))
    remarks = checkup.watched(built)
    if remarks:
        done(Step("noticed", "what may not be meant", remarks=remarks))
    return steps
