"""Check-up of a bot before any contest: find, build and start the bot, then play alone and against rivals."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

from koth.contest.preflight import Broken, build, start_once
from koth.diagnostics.explain import fault_texts, find_exchange
from koth.diagnostics.habits import Watch, watch
from koth.diagnostics.hints import drop_consequences, find_hint
from koth.diagnostics.rerun import RecordedBot, Rerun
from koth.diagnostics.restart import find_first_difference
from koth.diagnostics.why import readable_text, shorten_paths
from koth.engine.secret import Key
from koth.errors import KothError
from koth.game import FAULT_KINDS, Game, Observations, TimeControl
from koth.match import BotReport, Entrant, Hosting, Result, StopMatch, Watching, play
from koth.protocol.by_name import FRAMES
from koth.replay.reader import Replay
from koth.sandbox.isolation import PLAIN, Isolation
from koth.session import stack_location
from koth.session.bot import Bot
from koth.session.faults import FaultReport
from koth.session.local import InlineBot
from koth.session.time_control import format_share
from koth.warmup import compiling_beside, first_time

MATCH_SECONDS = 8.0
"""Seconds after which a match ends, unless a number of turns was requested."""
LEAST_TURNS = 20
"""The least number of turns, even if a match takes too long."""
LENGTH_SETTINGS = ("turns", "rounds")
"""Settings that give a match's number of turns."""


@dataclass(frozen=True)
class Problem:
    """A bot's faults of one kind: the message, the bot's answer, and a correct answer."""

    kind: str
    """The kind of fault, or "build", "rival" or "bug" (see `meaning`)."""
    count: int
    turn: int
    text: str
    ended: str = ""
    received: str = ""
    said: str = ""
    example: str = ""
    stderr: str = ""
    remark: str = ""
    """The mistake in the message, and the remedy."""
    saw: str = ""
    """The observation of the unit with the fault, for class bots, whose authors see no messages."""

    @property
    def meaning(self) -> str:
        """The meaning of `kind` in words."""
        own = {"build": "its build failed", "rival": "a rival did not come up", "bug": "koth has a bug with it"}
        return own[self.kind] if self.kind in own else FAULT_KINDS[self.kind].meaning


@dataclass(frozen=True)
class CheckStep:
    """One step of a check-up: name, result in words, and problems found."""

    name: str
    text: str
    problems: list[Problem] = field(default_factory=list)
    numbers: Mapping[str, float] = field(default_factory=dict)
    remarks: Sequence[str] = ()
    """Descriptions of behaviour that is no fault, but probably not intended."""
    turns: int = 0
    """The number of played turns."""
    whole: bool = True
    """True if the match was played to the end."""
    out: bool = False
    """True if the match stopped because the bot was out: dead or without units."""

    @property
    def ok(self) -> bool:
        return not self.problems


STDERR_LINES = 10
"""The largest number of stderr lines in a problem's description."""


def problem_text(steps: Iterable[CheckStep]) -> str:
    """Return the bot's own first problem in these steps, as text for the author; "" without a problem."""
    for step in steps:
        for problem in step.problems:
            if problem.kind == "rival":
                continue
            when = f", turn {problem.turn}" if problem.turn else ""
            what = problem.text.splitlines() or [problem.meaning]
            printed = [line for line in problem.stderr.splitlines() if line.strip() not in ("", *what)][
                -STDERR_LINES:
            ]
            return "\n".join([f"{problem.kind}{when}: {what[0]}", *what[1:], *printed])
    return ""


MATCH_STEPS = ("alone", "samples")
"""The names of a check-up's matches."""


def answer_nothing(observations: Observations, match_info: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an empty answer, which means defaults only."""
    return {}


@dataclass(frozen=True, kw_only=True)
class Checkup:
    """The plan of a check-up; `max_turns` is the number of turns (None: as many as fit into the time)."""

    game: Game
    ruleset: str
    settings: Any
    max_turns: int | None
    seed: int | Key
    folder: Path
    time_control: TimeControl
    isolation: Isolation = PLAIN
    on_wait: Callable[[str, float], None] | None = None
    """A callback with the name of a bot that waits for a core, and the seconds so far."""
    on_doing: Callable[[str], None] = lambda text: None
    """A callback with the current activity in words."""
    build_seconds: float | None = None
    """The time limit of the bot's build in seconds (None: the usual limit)."""
    build_copy: Callable[[Bot, Path, Isolation, float | None], tuple[Bot, str]] = build
    """The function that builds the bot in a copy below a folder."""

    @property
    def length(self) -> int | None:
        """The number of turns of a match; None if no setting gives this number."""
        return next((getattr(self.settings, name) for name in LENGTH_SETTINGS if hasattr(self.settings, name)), None)

    def build(self, bot: Bot) -> tuple[Bot, CheckStep]:
        """Copy the bot, build the copy, and start it once."""
        self.on_doing(("building it" if bot.build else "starting it") + first_time(self.game))
        with compiling_beside(self.game, self.on_doing):
            built, problem = self.build_copy(bot, self.folder / "bots", self.isolation, self.build_seconds)
        how = "run by koth's own adapter" if bot.has_adapter or bot.protocol == FRAMES else f"speaks {bot.protocol}"
        if problem:
            first, _, rest = problem.partition("\n")
            return bot, CheckStep("build", first.rstrip(":"), [Problem("build", 1, 0, first, stderr=rest)])
        self.on_doing("starting it")
        at = min(bot.seats, default=None)
        match = self.game, self.settings, [built], self.time_control, self.isolation
        broken = start_once(*match, ruleset=self.ruleset, seats=at)
        if broken:
            return bot, CheckStep("start", f"{bot.path} does not start", [self._start_problem(built, broken[0])])
        return built, CheckStep("found", f"{bot.path} ({how})")

    def _start_problem(self, bot: Bot, broken: Broken) -> Problem:
        """Return why a bot does not start, with output and hints."""
        fault = broken.fault_report
        if fault is None:
            return Problem("bug", 1, 0, broken.reason)
        first, *rest = broken.reason.split("\n")
        text = first.removeprefix(f"{fault.kind}: ")
        printed = rest[: len(rest) - len(broken.hints)]
        unready = bot.protocol == "json" and fault.kind in ("garbage", "late")
        hint = find_hint(self.game, self.settings, bot.protocol, fault.kind, fault.said, bot.language)
        return Problem(
            fault.kind,
            1,
            fault.turn,
            text,
            said=readable_text(fault.said) if unready else "",
            stderr=shorten_paths("\n".join(printed), bot.folder),
            remark="\n".join([*([hint] if hint else []), *broken.hints]),
        )

    def build_rivals(self, samples: Sequence[Bot]) -> tuple[list[Bot], list[Problem]]:
        """Return built copies of the rivals, and a problem for each build that failed."""
        ready, problems = [], []
        for sample in samples:
            built, problem = build(sample, self.folder / "bots", self.isolation)
            if problem:
                problems.append(Problem("rival", 1, 0, f"{built.name}: {problem}"))
            else:
                ready.append(built)
        return ready, problems

    def play(self, name: str, bot: Bot, others: Sequence[Entrant]) -> CheckStep:
        """Play a match of the bot against `others`; return the step `name`."""
        others, replay, pace = _rename_namesakes(bot, others), self.replay_path(name), _Pace(self, name)
        pace(0)
        result = self.play_match(bot, others, replay, pace, only_for=bot.name)
        record = result.records[bot.name]
        problems = self.find_problems(replay, bot, record)
        problems += [
            problem for other in others for problem in _find_rival_problems(other.name, result.records[other.name])
        ]
        numbers = {
            **_numbers(record),
            "budget": self.time_control.question,
            **_measure_units(replay, bot.name, record),
        }
        rivals = "rivals that never answer" if name == "alone" else ", ".join(other.name for other in others)
        against = f"against {rivals}" if others else "without rivals"
        left = " when it was out" if result.was_left else ""
        text = f"{result.turns} turn{'s' * (result.turns != 1)} {against}, score {result.scores[bot.name]:g}{left}"
        whole = not pace.was_cut and not result.was_left
        return CheckStep(
            name,
            text,
            problems,
            numbers,
            self.slow_remarks(replay, bot, record),
            result.turns,
            whole,
            result.was_left,
        )

    def play_match(
        self,
        bot: Bot,
        others: Sequence[Entrant],
        replay: Path,
        on_turn: Callable[[int], None],
        only_for: str | None = None,
        place: int = 0,
        match: int = 1,
    ) -> Result:
        """Play match number `match` of the bot, at seat `place`, against `others`; see `koth.match.play`."""
        entrants = _rename_namesakes(bot, others)
        entrants.insert(place, bot)
        hosting = Hosting(
            ruleset=self.ruleset, replay=replay, match=match, time_control=self.time_control, isolation=self.isolation
        )
        watching = Watching(on_turn=on_turn, on_wait=self.on_wait, only_for=only_for)
        return play(self.game, self.settings, entrants, self.seed, hosting, watching)

    def slow_remarks(self, replay: Path, bot: Bot, record: BotReport) -> list[str]:
        """Return a remark on the slowest answer if that answer used time from the bot's bank."""
        worst, budget = max(record.times.table()[:, 1].tolist(), default=0.0), self.time_control.question
        if worst <= budget or "late" in record.fault_reports:
            return []
        there = stack_location.find_location(record.stderr, bot.folder)
        at = f"; the bot was at {there}" if there else ""
        each = format_share(worst, int(_measure_units(replay, bot.name, record)["asked"]))
        return [f"its slowest answer took {worst:.2f} s{each}, of which {worst - budget:.2f} s are from its bank{at}"]

    def find_problems(self, replay: Path, bot: Bot, record: BotReport) -> list[Problem]:
        """Return a bot's faults in a recorded match, except consequences of other faults."""
        recorded = RecordedBot(bot.protocol, bot.options)
        kept = drop_consequences({kind: fault.turn for kind, fault in record.fault_reports.items()})
        return [self._problem(replay, bot, recorded, record.fault_reports[kind]) for kind in kept]

    def play_alone(self, bot: Bot) -> CheckStep:
        """Play a match with the fewest seats that the bot accepts; all rivals give default answers."""
        seats = min(bot.seats, default=max(1, self.game.seats.start))
        return self.play("alone", bot, [InlineBot(f"nobody{number}", answer_nothing) for number in range(1, seats)])

    def find_remarks(self, bot: Bot) -> list[str]:
        """Return remarks on the bot's behaviour in the matches so far."""
        eyes = Watch(self.game, self.settings, RecordedBot(bot.protocol, bot.options))
        for name in MATCH_STEPS:
            if (replay := self.replay_path(name)).exists():
                watch(self.game, Replay(replay), {bot.name: eyes})
        return [*eyes.remarks(), *self.repeat_remarks(bot)]

    def repeat_remarks(self, bot: Bot) -> list[str]:
        """Return a remark if the bot's answers differ when the questions of the last match are asked again."""
        replay = next(file for name in reversed(MATCH_STEPS) if (file := self.replay_path(name)).exists())
        self.on_doing("asking it the same again")
        rerun = Rerun(self.game, Replay(replay), bot.name)
        if not (found := find_first_difference(rerun, bot, self.isolation, MATCH_SECONDS)):
            return []
        cure = "take all random numbers from the seed that it is sent, and none from the clock"
        return [f"it is not repeatable: the same questions and the same seed, and {found}; {cure}"]

    def replay_path(self, name: str) -> Path:
        """Return the path of a match's replay."""
        return self.folder / f"{name}.koth.gz"

    def _problem(self, replay: Path, bot: Bot, recorded: RecordedBot, fault: FaultReport) -> Problem:
        exchange, saw, example = None, "", ""
        if fault.turn:
            with suppress(KothError):
                rerun = Rerun(self.game, Replay(replay), bot.name)
                exchange = find_exchange(rerun, fault.turn, fault.kind)
        if exchange is not None:
            saw, example = fault_texts(rerun, recorded, exchange, fault.kind)
        is_class = recorded.protocol == FRAMES  # its author knows objects only, no message
        return Problem(
            fault.kind,
            fault.count,
            fault.turn,
            fault.text,
            fault.ending,
            received="" if is_class else readable_text(fault.asked).rstrip("\n"),
            said="" if is_class else readable_text(fault.said),
            example=example,
            stderr=shorten_paths(readable_text(fault.stderr), bot.folder),
            remark=find_hint(self.game, self.settings, bot.protocol, fault.kind, fault.said, bot.language),
            saw=saw,
        )


class _Pace:
    """A callback for each turn of a match, which stops the match after the requested turns or time."""

    def __init__(self, checkup: Checkup, name: str) -> None:
        self.was_cut = False
        """True if the match was stopped early."""
        self._checkup = checkup
        self._name = name
        self._begun = 0.0

    def __call__(self, turn: int) -> None:
        if turn <= 1:
            self._begun = time.monotonic()  # what is made ready for a first turn counts for nothing
        turns, length = self._checkup.max_turns, self._checkup.length
        of = turns if length is None else min(turns or length, length)
        self._checkup.on_doing(f"{self._name}: turn {turn}{f' of {of}' if of else ''}")
        late = turn >= LEAST_TURNS and time.monotonic() - self._begun > MATCH_SECONDS
        if turn and (late if turns is None else turn >= turns) and turn != length:
            self.was_cut = True
            raise StopMatch


def _measure_units(replay: Path, bot: str, record: BotReport) -> dict[str, float]:
    """Return the most units in a question, and the slowest question's units and seconds per unit."""
    recorded = Replay(replay)
    seat = [entry["name"] for entry in recorded.header["bots"]].index(bot)
    observations = (asked for turn in recorded.turns(frames=False) for asked in turn.questions)
    counts = [count for asked in observations if (count := int(sum(other == seat for other, _ in asked["who"])))]
    costs = zip(record.times.table()[:, 1].tolist(), counts, strict=False)
    worst, asked = max(costs, default=(0.0, 1))
    return {"units": max(counts, default=0), "asked": asked, "each": worst / asked}


def _rename_namesakes(bot: Bot, others: Sequence[Entrant]) -> list[Entrant]:
    """Return the rivals, with `@` before the name of a rival called like the bot."""
    return [replace(other, name=f"@{other.name}") if other.name == bot.name else other for other in others]  # type: ignore[type-var]


def _find_rival_problems(name: str, record: BotReport) -> Iterator[Problem]:
    """Yield the faults with which a rival failed before any answer."""
    for fault in record.fault_reports.values():
        if not fault.turn or (fault.turn == 1 and FAULT_KINDS[fault.kind].of == "match"):
            text = f"{name}: {fault.kind}: {fault.text}"
            yield Problem("rival", 1, fault.turn, text, fault.ending, stderr=readable_text(fault.stderr))


def _numbers(record: BotReport) -> dict[str, float]:
    seconds = record.times.table()[:, 1].tolist()
    return {
        "start": record.start_seconds,
        "questions": len(seconds),
        "median": median(seconds) if seconds else 0.0,
        "worst": max(seconds, default=0.0),
        "memory": record.memory,
    }


def check(checkup: Checkup, bot: Bot, samples: Sequence[Bot]) -> Iterator[CheckStep]:
    """Yield the steps of a check-up; end early if the bot does not start, or is late when playing alone."""
    built, found = checkup.build(bot)
    yield found
    if not found.ok:
        return
    alone = checkup.play_alone(built)
    yield alone
    if any(problem.kind == "late" for problem in alone.problems):
        return
    others, missing = checkup.build_rivals(samples)
    if others:
        step = checkup.play("samples", built, others)
        yield replace(step, problems=missing + step.problems)
    elif missing:
        yield CheckStep("samples", "no rival can be built", missing)
    if remarks := checkup.find_remarks(built):
        yield CheckStep("noticed", "what may not be meant", remarks=remarks)
