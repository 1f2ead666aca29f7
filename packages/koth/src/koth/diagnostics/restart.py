"""A bot started again and asked the questions of a recorded match, to compare the answers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from koth.diagnostics.explain import answer_lines, by_unit
from koth.diagnostics.rerun import RecordedBot, RecordedExchange, Rerun
from koth.game import FAULT, FAULTS, TimeControl, no_answers
from koth.protocol.bot_protocol import Answer
from koth.sandbox.isolation import PLAIN, Isolation
from koth.session import stack_location
from koth.session.bot import Bot
from koth.session.conversation import Limits
from koth.session.faults import FaultReport
from koth.session.referee import Referee
from koth.session.seats import SeatedBot

DEBUG_SECONDS = 60.0
"""The time of a start, and of a question, in a match that is played again without its time limits."""


class RestartedBot:
    """A context manager that starts a bot at its seat in a recorded match, and ends the bot.

    Without `time_control` the bot has a minute of CPU time for each question.
    """

    def __init__(
        self, rerun: Rerun, bot: Bot, isolation: Isolation = PLAIN, time_control: TimeControl | None = None
    ) -> None:
        self.rerun = rerun
        self.bot = bot
        recorded = RecordedBot(bot.protocol, bot.options)
        command = bot.command(rerun.match_info["seed"])
        self._has_clock = time_control is not None
        time_control = time_control or TimeControl(start=DEBUG_SECONDS, question=DEBUG_SECONDS)
        self.seat = SeatedBot(rerun.seat, command, rerun.open_protocol(recorded), Limits(), isolation)
        self._referee = Referee({rerun.seat: self.seat}, time_control)
        self._printed = 0

    def __enter__(self) -> RestartedBot:
        self._referee.__enter__()
        try:
            self._referee.start({self.rerun.seat: self.rerun.match_info})
        except BaseException:
            self._referee.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._referee.__exit__()

    def ask(self, exchange: RecordedExchange) -> Answer:
        """Ask the bot this question again."""
        seat = self.rerun.seat
        answers = no_answers(exchange.observations, np.zeros((1, seat + 1), np.bool_))
        self._referee.ask(exchange.observations, answers, exchange.turn)
        return self._referee.answers_by_seat.get(seat) or Answer(answers.fields, answers.fault)

    @property
    def fault_report(self) -> FaultReport | None:
        """The bot's latest kind of fault."""
        return next(reversed(self.seat.conversation.fault_reports.values()), None)

    def read_stderr(self) -> bytes:
        """Return the bot's stderr since the last call.

        Without a time limit, leave out the adapter's lines about lateness.
        """
        if not self.seat.conversation.gone:
            self.seat.process.read_stderr()
        text = self.seat.process.stderr.text()
        new, self._printed = text[self._printed :], len(text)
        return new if self._has_clock else stack_location.LATE_TRACE.sub(b"", new)


def find_differences(rerun: Rerun, exchange: RecordedExchange, answer: Answer) -> Iterator[tuple[int, str]]:
    """Yield each row whose answer differs from the recorded answer, and the difference in words."""
    observations = exchange.observations
    differ = exchange.fault != answer.fault
    for name, old in exchange.fields.items():
        differ |= (old != answer.fields[name]).reshape(len(observations), -1).any(axis=1)
    if not differ.any():
        return
    texts = []
    for said_then, fault in ((answer.fields, answer.fault), (exchange.fields, exchange.fault)):
        rows = zip(answer_lines(rerun, observations, said_then), fault.tolist(), strict=True)
        texts.append([FAULTS[code] if code else text for text, code in rows])
    lines = [f"{now} now, {then} recorded" for now, then in zip(*texts, strict=True)]
    lines = by_unit(rerun, observations, lines)
    yield from ((row, lines[row]) for row in np.flatnonzero(differ).tolist())


def find_first_difference(rerun: Rerun, bot: Bot, isolation: Isolation, seconds: float) -> str:
    """Start a bot, repeat the questions of a recorded match, and return the first different answer, in words.

    Stop after `seconds` or at a late answer; return "" if no answer differed. A Python bot gets a new process, in
    which objects have other addresses than in the match.
    """
    end = time.monotonic() + seconds
    with RestartedBot(rerun, bot, replace(isolation, forks_python=False), rerun.time_control) as restarted:
        for exchange in rerun.exchanges():
            answer = restarted.ask(exchange)
            if FAULT["late"] in (*exchange.fault, *answer.fault) or exchange.gone or restarted.seat.conversation.gone:
                break
            for _, text in find_differences(rerun, exchange, answer):
                return f"its answer {exchange.number} (turn {exchange.turn}) is another: {text}"
            if time.monotonic() > end:
                break
    return ""
