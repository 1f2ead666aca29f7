"""A bot looked over before any contest: found, built, started, played alone and against others, step by step."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

from koth.contest.preflight import Broken, build, start_once
from koth.diagnostics import explain
from koth.diagnostics.explain import find_moment
from koth.diagnostics.habits import Watch, watch
from koth.diagnostics.hints import drop_consequences, find_hint
from koth.diagnostics.repeats import find_first_difference
from koth.diagnostics.rerun import RecordedBot, Rerun
from koth.diagnostics.why import ANSWER_FAULTS, UNIT_FAULTS, readable_text, shorten_paths
from koth.errors import KothError
from koth.game import FAULT_KINDS, Game, Observations, TimeControl
from koth.match import BotReport, Entrant, Hosting, InlineBot, Result, StopMatch, Watching, play
from koth.protocol.by_name import FRAMES
from koth.replay.reader import Replay
from koth.sandbox.isolation import PLAIN, Isolation
from koth.session import stack_location
from koth.session.bot import Bot
from koth.session.faults import FaultReport
from koth.session.time_control import format_share
from koth.warmup import compiling_beside, first_time

MATCH_SECONDS = 8.0
"""Seconds within which a match is played to its end, unless a number of turns was asked for."""
LEAST_TURNS = 20
"""Turns that are played however long they take."""
LENGTH_SETTINGS = ("turns", "rounds")
"""Settings that say how many turns a game's match has."""


@dataclass(frozen=True)
class Problem:
    """One kind of fault of the bot: what it received and said, and an answer that would have been right."""

    kind: str
    """A kind of fault; "build", "rival" or "bug" where it is not a fault in a match: see `meaning`."""
    count: int
    turn: int
    text: str
    ended: str = ""
    received: str = ""
    said: str = ""
    example: str = ""
    stderr: str = ""
    remark: str = ""
    """The mistake that the message reveals, and its remedy."""
    saw: str = ""
    """The view of the unit with the fault, for authors of classes, which are sent no messages."""

    @property
    def meaning(self) -> str:
        """The meaning of the kind, in plain words."""
        own = {"build": "its build failed", "rival": "a rival did not come up", "bug": "koth has a bug with it"}
        return own[self.kind] if self.kind in own else FAULT_KINDS[self.kind].meaning


@dataclass(frozen=True)
class CheckStep:
    """One step of a check-up: its name, how it went in words, and the problems found."""

    name: str
    text: str
    problems: list[Problem] = field(default_factory=list)
    numbers: Mapping[str, float] = field(default_factory=dict)
    remarks: Sequence[str] = ()
    """Behaviour that its author hardly intends, though it is not a fault."""
    turns: int = 0
    """The number of turns that were played."""
    whole: bool = True
    """The match was over then."""
    out: bool = False
    """True if the match was cut short because this bot was out: dead, or without units."""

    @property
    def ok(self) -> bool:
        return not self.problems


STDERR_LINES = 10
"""Lines of a bot's stderr in the description of a problem."""


def problem_text(steps: Iterable[CheckStep]) -> str:
    """Return the first problem in these steps that is the bot's own, for its author; empty if there is none."""
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
    """Return an answer of defaults, as a bot that does nothing would."""
    return {}


@dataclass(frozen=True, kw_only=True)
class Checkup:
    """The plan of a check-up: the game as it is to be played, and its turns (None: as many as seconds allow)."""

    game: Game
    ruleset: str
    settings: Any
    max_turns: int | None
    seed: int
    folder: Path
    time_control: TimeControl
    isolation: Isolation = PLAIN
    on_wait: Callable[[str, float], None] | None = None
    """Called with the bot that other programs keep from its core, and for how many seconds so far."""
    on_doing: Callable[[str], None] = lambda text: None
    """Called with what is being done, in words, again and again."""
    build_seconds: float | None = None
    """Seconds for the bot's build (None: those of every build)."""

    @property
    def length(self) -> int | None:
        """The number of turns of a match; None if the settings do not say."""
        return next((getattr(self.settings, name) for name in LENGTH_SETTINGS if hasattr(self.settings, name)), None)

    def build(self, bot: Bot) -> tuple[Bot, CheckStep]:
        """Copy the bot, build the copy, and start it once."""
        self.on_doing(("building it" if bot.build else "starting it") + first_time(self.game))
        with compiling_beside(self.game, self.on_doing):
            built, problem = build(bot, self.folder / "bots", self.isolation, self.build_seconds)
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
        """Return why a bot does not start, beginning with the line of its author's code."""
        fault_report = broken.fault_report
        if fault_report is None:
            return Problem("bug", 1, 0, broken.reason)
        first, *rest = broken.reason.split("\n")
        text = first.removeprefix(f"{fault_report.kind}: ")
        printed = rest[: len(rest) - len(broken.hints)]
        unready = bot.protocol == "json" and fault_report.kind in ("garbage", "late")
        hint = find_hint(self.game, self.settings, bot.protocol, fault_report.kind, fault_report.said, bot.language)
        return Problem(
            fault_report.kind,
            1,
            fault_report.turn,
            text,
            said=readable_text(fault_report.said) if unready else "",
            stderr=shorten_paths("\n".join(printed), bot.folder),
            remark="\n".join([*([hint] if hint else []), *broken.hints]),
        )

    def build_rivals(self, samples: Sequence[Bot]) -> tuple[list[Bot], list[Problem]]:
        """Return the rivals that can be built, as built copies, and a problem for each of the others."""
        ready, problems = [], []
        for sample in samples:
            built, problem = build(sample, self.folder / "bots", self.isolation)
            if problem:
                problems.append(Problem("rival", 1, 0, f"{built.name}: {problem}"))
            else:
                ready.append(built)
        return ready, problems

    def play(self, name: str, bot: Bot, others: Sequence[Entrant]) -> CheckStep:
        """Play one match of the bot against `others`."""
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
    ) -> Result:
        """Have it play against these; see `koth.match.play`."""
        return play(
            self.game,
            self.settings,
            [bot, *_rename_namesakes(bot, others)],
            self.seed,
            Hosting(ruleset=self.ruleset, replay=replay, time_control=self.time_control, isolation=self.isolation),
            Watching(on_turn=on_turn, on_wait=self.on_wait, only_for=only_for),
        )

    def slow_remarks(self, replay: Path, bot: Bot, record: BotReport) -> list[str]:
        """Return a remark on the slowest answer if the bot's bank paid for it."""
        worst, budget = max(record.times.table()[:, 1].tolist(), default=0.0), self.time_control.question
        if worst <= budget or "late" in record.fault_reports:
            return []
        there = stack_location.find_location(record.stderr, bot.folder)
        at = f"; it was at {there}" if there else ""
        each = format_share(worst, int(_measure_units(replay, bot.name, record)["asked"]))
        return [f"its slowest answer took {worst:.2f} s{each}, of which {worst - budget:.2f} s are from its bank{at}"]

    def find_problems(self, replay: Path, bot: Bot, record: BotReport) -> list[Problem]:
        """Return the faults of a bot in a recorded match, without those that only follow from others."""
        recorded = RecordedBot(bot.protocol, bot.options)
        kept = drop_consequences({kind: fault_report.turn for kind, fault_report in record.fault_reports.items()})
        return [self._problem(replay, bot, recorded, record.fault_reports[kind]) for kind in kept]

    def play_alone(self, bot: Bot) -> CheckStep:
        """Play a match of the fewest seats at which the bot plays; all rivals answer with defaults."""
        seats = min(bot.seats, default=max(1, self.game.seats.start))
        return self.play("alone", bot, [InlineBot(f"nobody{number}", answer_nothing) for number in range(1, seats)])

    def find_remarks(self, bot: Bot) -> list[str]:
        """Return remarks on what the bot did in the matches so far."""
        eyes = Watch(self.game, self.settings, RecordedBot(bot.protocol, bot.options))
        for name in MATCH_STEPS:
            if (replay := self.replay_path(name)).exists():
                watch(self.game, Replay(replay), {bot.name: eyes})
        return [*eyes.remarks(), *self.repeat_remarks(bot)]

    def repeat_remarks(self, bot: Bot) -> list[str]:
        """Return a remark if the bot answers the questions of the last match differently when asked again."""
        replay = next(file for name in reversed(MATCH_STEPS) if (file := self.replay_path(name)).exists())
        self.on_doing("asking it the same again")
        again = Rerun(self.game, Replay(replay), bot.name)
        found = find_first_difference(again, bot, self.isolation, seconds=MATCH_SECONDS)
        if found is None:
            return []
        first = f"the same questions and the same seed, and its answer {found.number} (turn {found.turn}) is another"
        cure = "take all random numbers from the seed that it is sent, and none from the clock"
        return [f"it is not repeatable: {first}: {found.text}; {cure}"]

    def replay_path(self, name: str) -> Path:
        """Return the path of the replay of one of its matches."""
        return self.folder / f"{name}.koth.gz"

    def _problem(self, replay: Path, bot: Bot, recorded: RecordedBot, fault_report: FaultReport) -> Problem:
        moment, again = None, None
        if fault_report.turn:
            try:
                again = Rerun(self.game, Replay(replay), bot.name)
                moment = find_moment(again, fault_report.turn, fault_report.kind)
            except KothError:
                moment = None
        problem = Problem(
            fault_report.kind,
            fault_report.count,
            fault_report.turn,
            fault_report.text,
            fault_report.ending,
            stderr=shorten_paths(readable_text(fault_report.stderr), bot.folder),
            remark=find_hint(
                self.game, self.settings, recorded.protocol, fault_report.kind, fault_report.said, bot.language
            ),
        )
        if recorded.protocol == FRAMES:  # its author knows objects only, no message
            return replace(
                problem,
                saw=explain.fault_observation(again, moment, fault_report.kind)
                if again and moment and fault_report.kind in UNIT_FAULTS
                else "",
            )
        example = (
            explain.example_answer(again, recorded, moment)
            if again and moment and fault_report.kind in ANSWER_FAULTS
            else ""
        )
        received, said = readable_text(fault_report.asked).rstrip("\n"), readable_text(fault_report.said)
        return replace(problem, received=received, said=said, example=example)


class _Pace:
    """Says how far a match has come, and ends it when it has had the turns that were wanted, or the time."""

    def __init__(self, checkup: Checkup, name: str) -> None:
        self.was_cut = False
        """It was ended before its time."""
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
    """Return the most units asked at once, their number at the slowest question, and its seconds for each."""
    recorded = Replay(replay)
    seat = [entry["name"] for entry in recorded.header["bots"]].index(bot)
    observations = (asked for turn in recorded.turns(frames=False) for asked in turn.questions)
    counts = [count for asked in observations if (count := int(sum(other == seat for other, _ in asked["who"])))]
    costs = zip(record.times.table()[:, 1].tolist(), counts, strict=False)
    worst, asked = max(costs, default=(0.0, 1))
    return {"units": max(counts, default=0), "asked": asked, "each": worst / asked}


def _rename_namesakes(bot: Bot, others: Sequence[Entrant]) -> list[Entrant]:
    """Return rivals with an `@` before the name of one that is called as the bot."""
    return [replace(other, name=f"@{other.name}") if other.name == bot.name else other for other in others]  # type: ignore[type-var]


def _find_rival_problems(name: str, record: BotReport) -> Iterator[Problem]:
    """Yield the faults that kept a rival from giving a single answer."""
    for fault_report in record.fault_reports.values():
        if not fault_report.turn or (fault_report.turn == 1 and FAULT_KINDS[fault_report.kind].of == "match"):
            text = f"{name}: {fault_report.kind}: {fault_report.text}"
            yield Problem(
                "rival", 1, fault_report.turn, text, fault_report.ending, stderr=readable_text(fault_report.stderr)
            )


def _numbers(record: BotReport) -> dict[str, float]:
    """Return the bot's times in seconds and its memory in bytes."""
    seconds = record.times.table()[:, 1].tolist()
    return {
        "start": record.start_seconds,
        "questions": len(seconds),
        "median": median(seconds) if seconds else 0.0,
        "worst": max(seconds, default=0.0),
        "memory": record.memory,
    }


def check(checkup: Checkup, bot: Bot, samples: Sequence[Bot]) -> Iterator[CheckStep]:
    """Run all steps and yield each as it ends; a step that fails at the start ends the check-up."""
    built, found = checkup.build(bot)
    yield found
    if not found.ok:
        return
    yield checkup.play_alone(built)
    others, missing = checkup.build_rivals(samples)
    if others:
        step = checkup.play("samples", built, others)
        yield replace(step, problems=missing + step.problems)
    elif missing:
        yield CheckStep("samples", "no rival can be built", missing)
    if remarks := checkup.find_remarks(built):
        yield CheckStep("noticed", "what may not be meant", remarks=remarks)
