"""A bot of a recorded match, started again and asked question by question."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from koth.contest.preflight import build
from koth.diagnostics.explain import answer_lines, by_unit, observation_lines, observation_text
from koth.diagnostics.rerun import RecordedExchange, Rerun
from koth.diagnostics.restart import RestartedBot, find_differences
from koth.diagnostics.why import readable_text
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.errors import KothError
from koth.game import FAULT_KINDS, FAULTS
from koth.games import load as load_game
from koth.protocol.bot_protocol import Answer
from koth.replay.reader import Replay
from koth.sandbox.levels import choose_level
from koth.services.options import DebugOptions

MOST_UNITS = 8
"""The largest number of units whose answers are shown."""


class DebugSession:
    """One bot's match, question by question."""

    def __init__(self, restarted: RestartedBot, unit: int | None) -> None:
        self.rerun = restarted.rerun
        self._restarted = restarted
        self._unit = unit
        self._exchanges = self.rerun.exchanges()
        self._agreed = 0
        self._last: int | None = None
        self._first = ""

    @property
    def is_gone(self) -> bool:
        """True if the bot has ended or no longer answers."""
        return self._restarted.seat.conversation.gone

    def go_to(self, turn: int) -> RecordedExchange | None:
        """Repeat the questions before a turn; return the next question, or None if the bot or match ended."""
        for exchange in self._exchanges:
            if self.is_gone:
                return None
            if exchange.turn >= turn:
                return exchange
            self._repeat(exchange)
        return None

    def arrival_lines(self, exchange: RecordedExchange | None, wanted: int) -> Iterator[str]:
        """Yield lines on the repeated questions, and on a missing question at turn `wanted`."""
        if exchange is None:
            last = f"; the last question came at turn {self._last}: --turn {self._last}" if self._last else ""
            yield f"it was asked nothing at turn {wanted} or later{last}"
        elif exchange.turn != wanted:
            yield f"it was asked nothing at turn {wanted}; the next question came at turn {exchange.turn}"
        if self._first:
            yield f"not all answers before are the recorded ones: {self._first}"
        elif self._agreed:
            yield f"all {self._agreed} answers before are the recorded ones"

    def ask(self, exchange: RecordedExchange, shorten: Callable[[str], str]) -> Iterator[str]:
        """Ask a question again; yield lines on the board, the bot's message, its answer, and the recorded answer.

        `shorten` shortens messages. Raises KothError if the question does not ask the chosen unit.
        """
        row = self._row(exchange)
        yield f"\nturn {exchange.turn}, question {exchange.number}: {exchange.observations.question.doc}"
        yield from (f"  {line}" for line in observation_text(self.rerun, exchange, row))
        answer = self._restarted.ask(exchange)
        conversation = self._restarted.seat.conversation
        if conversation.protocol.framing != "lines":
            yield from self._unit_lines(exchange, answer, row, shorten)
        else:
            yield f"it receives: {shorten(readable_text(conversation.last_question))}"
            yield f"it answers:  {shorten(readable_text(conversation.last_message)) or 'nothing'}"
        different = "; ".join(text for _, text in islice(find_differences(self.rerun, exchange, answer), 5))
        yield f"recorded otherwise: {different}" if different else "as recorded"
        yield from (f"fault: {text}" for text in _fault_texts(answer))
        if not conversation.gone:
            yield from _printed_lines("it printed", self._restarted.read_stderr())

    def end_lines(self) -> Iterator[str]:
        """Yield lines on the bot's end: fault and stderr."""
        report = self._restarted.fault_report
        assert report is not None  # nobody is gone without a fault
        meaning = "" if report.kind == "crash" else f"{FAULT_KINDS[report.kind].meaning}: "
        when = f"at turn {report.turn}" if report.turn else "while starting"
        ending = f" ({report.ending})" if report.ending else ""
        yield f"{when}: {report.kind}: {meaning}{readable_text(report.text.encode())}{ending}"
        yield from _printed_lines("its stderr", self._restarted.seat.process.stderr.text()[-2000:])

    def _repeat(self, exchange: RecordedExchange) -> None:
        answer = self._restarted.ask(exchange)
        self._last = exchange.turn
        different = next(find_differences(self.rerun, exchange, answer), None)
        self._agreed += different is None
        if different is not None and not self._first:
            self._first = f"question {exchange.number} (turn {exchange.turn}) is the first: {different[1]}"
        self._restarted.read_stderr()

    def _unit_lines(
        self, exchange: RecordedExchange, answer: Answer, row: int, shorten: Callable[[str], str]
    ) -> Iterator[str]:
        """Yield the shown unit's observation and answer as objects of the class, then other units' answers."""
        observations = exchange.observations
        saw = by_unit(self.rerun, observations, observation_lines(self.rerun, observations))[row]
        lines = by_unit(self.rerun, observations, answer_lines(self.rerun, observations, answer.fields))
        rows = [row] if self._unit is not None else [row, *(k for k in range(len(observations)) if k != row)]
        returned = [lines[k] for k in rows if not answer.fault[k]]
        yield f"it sees:     {shorten(saw)}"
        for number, line in enumerate(returned[:MOST_UNITS]):
            yield f"{' ' * 11 if number else 'it returns:'}  {shorten(line)}"
        if len(returned) > MOST_UNITS:
            more = len(returned) - MOST_UNITS
            yield f"{' ' * 13}... and {more} more (--unit N shows the board as one of them sees it)"

    def _row(self, exchange: RecordedExchange) -> int:
        """Return the shown unit's row. Raises KothError."""
        labels = exchange.observations.question.labels(exchange.observations)
        if self._unit is None:
            return int(exchange.fault.astype(bool).argmax())
        if self._unit not in labels:
            raise KothError(f"no unit {self._unit} was asked at turn {exchange.turn} (there are: {labels})")
        return labels.index(self._unit)


@contextmanager
def start_debugging(
    replay: Path, source: Path | None, given: Interpreters, options: DebugOptions
) -> Iterator[tuple[DebugSession, bool]]:
    """Start the bot in `source` at its seat in a recorded match, without time limits.

    Yield the session, and whether the bot's files are the files that played. Raises KothError, also without a source.
    """
    record = Replay(replay)
    game = load_game(record.header["game"])
    rerun, isolation = Rerun(game, record, options.bot), choose_level(options.isolation)
    if source is None:
        raise KothError(f"where is {options.bot}? the replay does not lie in a run's folder; name it: --source BOT")
    with tempfile.TemporaryDirectory(prefix="koth-debug-") as place:
        found = load_bot(game, source, given, options.bot, isolation)
        bot, problem = build(found, Path(place), isolation)
        if problem:
            raise KothError(f"{source}: {problem}")
        with RestartedBot(rerun, bot, isolation) as restarted:
            yield DebugSession(restarted, options.unit), rerun.digest in ("", found.digest)


def _fault_texts(answer: Answer) -> tuple[str, ...]:
    """Return the texts of an answer's first faults."""
    texts = tuple(readable_text(text.encode()) for _, text in sorted(answer.errors))[:5]
    kinds = sorted({FAULTS[code] for code in answer.fault.tolist() if code})
    return texts or tuple(f"{kind}: {FAULT_KINDS[kind].meaning}" for kind in kinds)


def _printed_lines(title: str, stderr: bytes) -> list[str]:
    lines = readable_text(stderr).strip().splitlines()[-20:]
    return [f"{title}:", *(f"  {line}" for line in lines)] if lines else []
