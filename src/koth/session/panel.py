"""The bots of one match that are processes: asked all at once, heard, judged. It knows no game.

The way of a question: who is there (`koth.session.questions`), what they are told (`frames`, or their wires), the
exchange, what was said (`hearing`), and at the end those that have died are seen to, when nobody's clock runs.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Container, Iterable, Mapping

import numpy as np

from koth.game import Answers, Array, Observations, Question, TimeControl, no_answers
from koth.protocol.bot_protocol import Answer, Used
from koth.session import time_control
from koth.session.cpu_time import Cost, CostLog
from koth.session.exchange import ADDRESS, FRAMED, ROOM, SIZE, STDERR, Exchange
from koth.session.frames import HEADER, Form, FramesProtocol, write_frames
from koth.session.guest import Guest
from koth.session.hearing import EVERY, Hearing
from koth.session.questions import Sheet, ask, tell_gone

LAST_WORDS = 0.2
"""Seconds that bots have to end by themselves after the match."""


class Panel:
    """The bots of one match, by seat. Use it as a context manager: nothing of it outlives the match.

    `on_wait` is told which seat's bot is kept from its core by others, and for how many seconds by now. With
    `in_words` answers are kept with all that is said in them.
    """

    def __init__(
        self,
        guests: Mapping[int, Guest],
        control: TimeControl,
        on_wait: Callable[[int, float], None] | None = None,
        *,
        in_words: bool = False,
    ) -> None:
        self.guests = dict(guests)
        self.control = control
        seats = 1 + max(self.guests, default=-1)
        self._exchange = Exchange(seats, min((guest.most for guest in self.guests.values()), default=ROOM))
        self._records = time_control.records(seats, control)
        self._hearing = Hearing(self.guests, self._exchange, self._records, control, on_wait)
        self._hearing.in_words = in_words
        self._seats = np.zeros(seats, np.int64)
        self._forms: dict[str, Form] = {}
        """How the frames of each question are written and read."""
        self._sheets: dict[str, Sheet] = {}
        self._kinds: Mapping[str, int] = {}
        """The kinds of frames by question; empty if no bot speaks them."""
        self._data = np.empty(0, np.uint8)
        self._rules = time_control.rules_of(control)
        self._newcomers = set(self.guests) if control.first else set()
        """Those whose first question is still to come, if it has rules of its own."""
        self._looked = 0.0
        """When it was last looked at what the bots use of the machine."""
        for seat, guest in self.guests.items():
            guest.record, guest.call = self._records[seat], self._exchange.calls[seat]
            if isinstance(guest.protocol, FramesProtocol):
                guest.protocol.call = guest.call
                self._kinds = guest.protocol.kinds

    def __enter__(self) -> Panel:
        return self

    def __exit__(self, *_: object) -> None:
        for guest in self.guests.values():
            guest.program.kill()
        for seat, guest in self.guests.items():
            guest.program.close()
            self._records[seat, time_control.GONE] = 1
        self._exchange.close()

    @property
    def gone(self) -> Array:
        """By seat, whether its bot is gone (bool[seats], up to the last one that has a bot here)."""
        return np.not_equal(self._records[:, time_control.GONE], 0)

    @property
    def given(self) -> Mapping[int, Answer]:
        """By seat, answers to the last question with what is said in them beside the fields."""
        return self._hearing.given

    def times(self, seat: int) -> CostLog:
        """What each question has cost this bot."""
        return self._hearing.times(seat)

    def start(self, match_info: Mapping[int, Mapping[str, object]]) -> None:
        """Start every bot and wait until it is ready; who is not in time is gone. Raises ArenaError."""
        seats = [seat for seat, guest in self.guests.items() if self._start(seat, guest, match_info[seat])]
        started = np.array(seats, np.int64)
        self._exchange.put(started, new=True)
        for seat in seats:
            if not self.guests[seat].protocol.handshake:  # it is ready
                self._exchange.settle(seat)
        self._hearing.start(started)
        self._freeze(started)

    def _start(self, seat: int, guest: Guest, match_info: Mapping[str, object]) -> bool:
        """Start one bot and tell it what it is told once; whether that could be done."""
        program = guest.program
        if problem := program.start():
            guest.ended_by("crash", problem, None, Cost(), self._rules)
            return False
        pipes = program.stdin, program.stdout, program.stderr_fd
        self._exchange.add(seat, pipes, program.clock, framed=guest.protocol.framing == "frames")
        guest.ask(guest.protocol.hello(match_info))
        return True

    def ask(
        self, observations: Observations, answers: Answers, turn: int, only: Container[int] | None = None
    ) -> None:
        """Ask all bots of this question (or `only` these) at once, and write what they answer to `answers`.

        Where there was a fault they hold the defaults. A bot that was gone before has no fault any more; what is
        written of it stays, but for whether it is gone. Raises Overloaded when a bot was kept from its core for too
        long.
        """
        name = observations.question.name
        form = self._forms.get(name)
        if form is None:
            form = self._forms[name] = Form(observations)
        if self._kinds:
            self._make_room(form.fill(observations))
        there, hearing, fields = self._exchange, self._hearing, form.point_to(answers)
        sheet = self._sheets.get(name)
        if sheet is None or sheet.data is not self._data:
            places = form.asked, form.answered, self._data
            sheet = self._sheets[name] = Sheet(there.desk, self._seats, self._records, self._rules, *places)
        plain = bool(self._kinds) and only is None and not (hearing.in_words or self.control.freeze)
        plain = plain and not (self._newcomers or there.families or hearing.behind)
        kind, own = self._kinds.get(name, 0), there.own.file
        count, is_put, is_left = ask(
            sheet, self.control.bank, observations.seat, plain, kind, form.ends, own, turn, hearing.log,
            hearing.logged, answers.gone,
        )  # fmt: skip
        is_time = time.perf_counter() - self._looked > EVERY
        if is_left or is_time:
            hearing.begin(self._rules, fields, answers, turn)
            if is_left:
                self._go_on(observations, form, self._seats[:count], only, is_put=is_put)
            if is_time:
                self._look_around()
            tell_gone(self._records, answers.gone)

    def _go_on(
        self, observations: Observations, form: Form, asked: Array, only: Container[int] | None, *, is_put: bool
    ) -> None:
        """See to what is not as usual in a question of these bots, to whom it may have been put already."""
        if only is not None:
            asked = asked[[seat in only for seat in asked.tolist()]]
        if not is_put:
            asked = self._ask_one_by_one(observations, form, asked)
        self._hearing.hear(asked, is_left=is_put)
        self._hearing.bury()
        self._freeze(asked)

    def _ask_one_by_one(self, observations: Observations, form: Form, asked: Array) -> Array:
        """Put the question to these bots, whatever is to be done with each; returns those that do not die before."""
        if not self._newcomers.isdisjoint(asked.tolist()):
            self._hearing.rules = time_control.rules_of(self.control, first=True)
            self._newcomers.difference_update(asked.tolist(), self.gone.nonzero()[0].tolist())
        self._hearing.hear_early(asked)
        self._write(observations, form, asked)  # also for who has just ended: this is the question that it died in
        asked = asked[self._records[asked, time_control.GONE] == 0]
        self._exchange.put(asked, debts=self._resume(asked) if self.control.freeze else None)
        return asked

    def _resume(self, asked: Array) -> dict[int, float]:
        """Let these bots run again; return the CPU seconds that some used while they were suspended, by seat."""
        used = {seat: self.guests[seat].program.resume() for seat in asked.tolist()}
        return {seat: seconds for seat, seconds in used.items() if seconds}

    def _write(self, observations: Observations, form: Form, asked: Array) -> None:
        """Write the question for all of these bots: frames at once, lines by the bots' wires."""
        if self._kinds:
            kind = self._kinds[observations.question.name]
            write_frames(self._exchange.calls, asked, kind, form.asked, form.ends, self._data)
        if lines := asked[self._exchange.calls[asked, FRAMED] == 0].tolist():
            self._write_lines(observations, lines)
        for seat in self._hearing.behind.intersection(asked.tolist()) if self._hearing.behind else ():
            guest = self.guests[seat]
            if guest.unsent:  # a frame that goes behind another
                guest.ask(ctypes.string_at(*self._exchange.calls[seat, [ADDRESS, SIZE]].tolist()))
            self._hearing.behind.discard(seat)

    def _make_room(self, size: int) -> None:
        """Room for the frames of a question that shows so many bytes."""
        size += HEADER.size * len(self.guests)
        if len(self._data) < size:
            self._data = np.empty(2 * size, np.uint8)

    def _write_lines(self, observations: Observations, seats: list[int]) -> None:
        guests = [self.guests[seat] for seat in seats]
        for guest, rows in zip(guests, observations.parts([guest.span for guest in guests]), strict=True):
            left, strikes = guest.record[[time_control.BANK, time_control.STRIKES]].tolist()
            guest.protocol.used = Used(self.control.bank - left, int(strikes))
            guest.ask(guest.protocol.ask(rows))

    def _look_around(self) -> None:
        """Hear what those write to stderr who are not asked, and see what all use."""
        for seat in self._exchange.spoke(self._hearing.seats, STDERR):
            self._hearing.read_stderr(seat)
        self._hearing.watch()
        self._looked = time.perf_counter()

    def bye(self) -> None:
        """Tell every bot that the match is over, and let it end by itself if it does so at once."""
        there = [guest for guest in self.guests.values() if not guest.gone]
        for guest in there:
            guest.program.part(guest.unsent + guest.protocol.bye())
        deadline = time.perf_counter() + LAST_WORDS
        while any(guest.program.is_running() for guest in there) and time.perf_counter() < deadline:
            for guest in there:
                guest.read()
                guest.program.read_stderr()
            time.sleep(0.002)

    def _freeze(self, asked: Iterable[int]) -> None:
        """Nobody thinks while others are asked."""
        for seat in asked if self.control.freeze else ():
            if not self.guests[seat].gone:
                self.guests[seat].program.suspend()


def compile_kernels() -> None:
    """Have all that asks bots compiled, by asking nobody."""
    nobody, rows = np.zeros(0, np.int64), np.zeros(0, np.int32)
    observations = Observations(Question("nobody", {}, {}, max_rows=1), rows, rows, rows, {})
    with Panel({}, TimeControl()) as panel:
        panel.start({})
        panel.ask(observations, no_answers(observations, np.zeros((1, 0), np.bool_)), 0)
        panel._ask_one_by_one(observations, Form(observations), nobody)
        panel._exchange.own.read()
