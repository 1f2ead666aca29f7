"""A bot of a recorded match started again, question by question."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from koth.contest.preflight import build
from koth.diagnostics.explain import answer_lines, by_unit, observation_lines, observation_text
from koth.diagnostics.rerun import AskedMoment, Rerun
from koth.diagnostics.restart import (
    DEBUGGERS,
    RestartedBot,
    add_debugger,
    attach_text,
    find_debugger,
    find_differences,
)
from koth.diagnostics.why import readable_text
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.errors import KothError
from koth.game import FAULT_KINDS, FAULTS
from koth.games import load as load_game
from koth.protocol.bot_protocol import Answer
from koth.replay.reader import Replay
from koth.sandbox.isolation import Isolation
from koth.sandbox.levels import choose_level
from koth.services.options import DebugOptions
from koth.session.bot import Bot
from koth.session.faults import FaultReport


@dataclass(frozen=True)
class DebuggedAnswer:
    """A bot's answer to a question that was asked again.

    A bot of messages received and sent some; a class saw and returned something: for the unit that is shown, then
    for other units. `differences` are those from the recorded answer.
    """

    is_class: bool
    received: str
    sent: tuple[str, ...]
    differences: tuple[str, ...]
    faults: tuple[str, ...]
    printed: str


class DebugSession:
    """One bot's match, question by question."""

    def __init__(self, restarted: RestartedBot, options: DebugOptions, debugger: str) -> None:
        self.again = restarted.again
        self._restarted = restarted
        self._unit, self._debugger, self._port = options.unit, debugger, options.port
        self._moments = self.again.moments()
        self.agreed = 0
        """The number of answers so far that are the recorded ones."""
        self.last_turn: int | None = None
        """The turn of the last question that is not shown."""
        self.first_difference = ""
        """The first answer that is not the recorded one, in words."""

    @property
    def is_gone(self) -> bool:
        """True if the bot has ended, or answers no more."""
        return self._restarted.seat.conversation.gone

    def go_to(self, turn: int) -> AskedMoment | None:
        """Ask the questions before a turn again; return the next one, None if the bot or the match ended before."""
        for moment in self._moments:
            if self.is_gone:
                return None
            if moment.turn >= turn:
                return moment
            self._repeat(moment)
        return None

    def attach_line(self) -> str:
        """Return how to attach the debugger that the bot waits for; empty if it waits for none."""
        if not self._debugger:
            return ""
        known = DEBUGGERS.get(self._debugger)
        port = self._port or (known.port if known else 0)
        return attach_text(self._debugger, port, self._restarted.seat.process.pid())

    def board(self, moment: AskedMoment) -> list[str]:
        """Return the lines of what the bot observes. Raises KothError if the unit is not asked."""
        return observation_text(self.again, moment, self._row(moment))

    def ask(self, moment: AskedMoment) -> DebuggedAnswer:
        """Ask a question again. Raises KothError if the unit is not asked."""
        row = self._row(moment)
        answer = self._restarted.ask(moment)
        conversation = self._restarted.seat.conversation
        is_class = conversation.protocol.framing != "lines"
        if is_class:
            received, sent = self._unit_lines(moment, answer, row)
        else:
            received, sent = readable_text(conversation.asked), (readable_text(conversation.said),)
        printed = "" if conversation.gone else readable_text(self._restarted.read_stderr()).rstrip()
        found = tuple(text for _, text in find_differences(self.again, moment, answer))
        return DebuggedAnswer(is_class, received, sent, found, _fault_texts(answer), printed)

    def end(self) -> tuple[FaultReport, str]:
        """Return the fault with which the bot ended, and the end of its stderr."""
        report = self._restarted.fault_report
        assert report is not None  # nobody is gone without a fault
        return report, readable_text(self._restarted.seat.process.stderr.text()[-2000:]).strip()

    def _repeat(self, moment: AskedMoment) -> None:
        answer = self._restarted.ask(moment)
        self.last_turn = moment.turn
        different = next(find_differences(self.again, moment, answer), None)
        self.agreed += different is None
        if different is not None and not self.first_difference:
            self.first_difference = f"question {moment.number} (turn {moment.turn}) is the first: {different[1]}"
        self._restarted.read_stderr()

    def _unit_lines(self, moment: AskedMoment, answer: Answer, row: int) -> tuple[str, tuple[str, ...]]:
        """Return what the shown unit saw and what came back for it, as a class has it, then for other units."""
        observations = moment.observations
        lines = by_unit(self.again, observations, answer_lines(self.again, observations, answer.fields))
        rows = [row] if self._unit is not None else [row, *(k for k in range(len(observations)) if k != row)]
        sent = tuple(lines[k] for k in rows if not answer.fault[k])
        return by_unit(self.again, observations, observation_lines(self.again, observations))[row], sent

    def _row(self, moment: AskedMoment) -> int:
        """Return the row of the unit that is shown. Raises KothError."""
        labels = moment.observations.question.labels(moment.observations)
        if self._unit is None:
            return int(moment.fault.astype(bool).argmax())
        if self._unit not in labels:
            raise KothError(f"no unit {self._unit} was asked at turn {moment.turn} (there are: {labels})")
        return labels.index(self._unit)


@contextmanager
def start_debugging(
    replay: Path, source: Path | None, given: Interpreters, options: DebugOptions
) -> Iterator[tuple[DebugSession, bool]]:
    """Start the bot in `source` in the place that the bot had in a recorded match.

    Yield the session, and whether the bot's files are those that played. No clock runs. Raises KothError, also
    without a source.
    """
    record = Replay(replay)
    game = load_game(record.header["game"])
    again, isolation = Rerun(game, record, options.bot), choose_level(options.isolation)
    if source is None:
        raise KothError(f"where is {options.bot}? the replay does not lie in a run's folder; name it: --source BOT")
    with tempfile.TemporaryDirectory(prefix="koth-debug-") as place:
        found = load_bot(game, source, given, options.bot, isolation)
        bot, problem = build(found, Path(place), isolation)
        if problem:
            raise KothError(f"{source}: {problem}")
        bot, debugger = _add_debugger(bot, options, isolation)
        with RestartedBot(again, bot, isolation) as restarted:
            yield DebugSession(restarted, options, debugger), again.digest in ("", found.digest)


def _add_debugger(bot: Bot, options: DebugOptions, isolation: Isolation) -> tuple[Bot, str]:
    """Return the bot as it waits for its debugger, and the debugger's name. Raises KothError."""
    name = find_debugger(bot) if options.debugger == "auto" else options.debugger
    if not name:
        return bot, ""
    known = DEBUGGERS.get(name)
    if known and known.port and isolation.is_at_least("partial"):
        text = f"isolation {isolation.level} keeps {name} from the bot; if you trust it"
        raise KothError(f"{text}: --isolation none")
    return add_debugger(bot, name, options.port or (known.port if known else 0)), name


def _fault_texts(answer: Answer) -> tuple[str, ...]:
    """Return what is wrong with an answer: the first few faults."""
    texts = tuple(readable_text(text.encode()) for _, text in sorted(answer.errors))[:5]
    kinds = sorted({FAULTS[code] for code in answer.fault.tolist() if code})
    return texts or tuple(f"{kind}: {FAULT_KINDS[kind].meaning}" for kind in kinds)
