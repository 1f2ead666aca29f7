"""The referee of one match: asks all bots at once, and passes output to the bots' conversations. It knows no game.

The steps of a question (`Referee.ask`): read the output that bots have sent since their last answer
(`_take_unasked`); encode the question for each bot and send it; read the output, and handle the events of each
conversation (`_handle`); look at silent bots at random moments, and end the questions of bots whose time is used up
(`_look`); and when no bot is waited for any more, find out where late bots were and how dead bots ended, which may
take a moment.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import ExitStack

import numpy as np

from koth.game import FAULT, Answers, Observations, TimeControl
from koth.protocol.bot_protocol import Answer, Ended, Reply
from koth.protocol.encoded_rows import EncodedRows
from koth.sandbox.command import Overloaded
from koth.session.conversation import DEAD, Closed, ConversationEvent, Faulted, Late
from koth.session.cost import Cost
from koth.session.cpu_clock import LOOK_SECONDS, NANO, describe_wait, draw_look, now
from koth.session.pump import BotOutput, Pump
from koth.session.resources import ResourceWatch
from koth.session.seats import SeatedBot
from koth.session.time_control import TimeAccount

REPORTED_WAIT = 1.0
"""Seconds without a core in one question above which a bot's wait is reported."""
EXIT_WAIT = 0.3
"""Seconds that koth waits for the exit of a process that has closed its output; bots are not charged for the wait."""
BYE_WAIT = 0.2
"""Seconds after the match within which bots may end by themselves."""
MAX_UNREAD = 1 << 24
"""Bytes of unread questions above which a bot that answers without reading them is ended."""


class Referee:
    """The referee of the bots of one match, by seat. As a context manager it ends all bots' processes at exit.

    `on_wait` is called with the seat of a bot that other processes keep from running, and the seconds of its wait so
    far. `answers_by_seat` holds the answers to the last question, by seat, with notes and drawings.
    """

    def __init__(
        self,
        seats: Mapping[int, SeatedBot],
        time_control: TimeControl,
        on_wait: Callable[[int, float], None] | None = None,
    ) -> None:
        self.seats = dict(seats)
        self.time_control = time_control
        self.answers_by_seat: dict[int, Answer] = {}
        self.gone = np.zeros(1 + max(self.seats, default=-1), np.bool_)
        """The bots that are out of the match (bool[seats], up to the last occupied seat)."""
        for seat in self.seats.values():
            seat.conversation.account = TimeAccount(time_control)
        self._pump = Pump()
        self._dismissed: set[int] = set()
        """The seats of bots that have got their last message."""
        self._on_wait = on_wait
        self._used: dict[int, int] = {}
        """The CPU time of each living bot at the first look of the open question, by seat."""
        self._resources = ResourceWatch(self.seats)
        self._waiting: set[SeatedBot] = set()
        """The bots that are waited for."""
        self._answers: Answers | None = None
        """The destination of the answers to the open question; None while the bots start."""
        self._turn = 0
        self._late: list[tuple[SeatedBot, Late, str]] = []
        """Late bots, with the visible activity of each: finding the stack locations may take long."""
        self._leaving: list[tuple[SeatedBot, Ended | None]] = []
        """Bots whose output has ended, with their adapters' reasons: the exit codes may take a moment."""

    def __enter__(self) -> Referee:
        return self

    def __exit__(self, *_: object) -> None:
        with ExitStack() as stack:  # whatever fails, all processes are ended
            for seat in self.seats.values():
                stack.callback(seat.process.close)
            for seat in self.seats.values():
                stack.callback(seat.process.kill)
                seat.conversation.leave()

    # -- the course of a match

    def start(self, match_info: Mapping[int, Mapping[str, object]]) -> None:
        """Start all bots; wait until all are ready. Bots that miss the start timeout are out. Raises ArenaError."""
        for number, seat in self.seats.items():
            if problem := seat.process.start():
                self._end(seat, "crash", problem)
            else:
                self._send(seat, seat.conversation.hello(match_info[number]), is_thinking_paid=False)
                self._pump.watch(seat)
        self._collect()

    def ask(
        self, observations: Observations, answers: Answers, turn: int, only: Container[int] | None = None
    ) -> None:
        """Ask all bots of this question (or the seats `only`) at once, and write the answers to `answers`.

        Rows with a fault hold the defaults; a bot that was out before has no more faults. Raises Overloaded if other
        processes of the machine have kept a bot from running for too long.
        """
        self._answers, self._turn = answers, turn
        self.answers_by_seat.clear()
        asked = []
        for number, row_range in observations.row_ranges(observations.match[0]).items():
            seat = self.seats.get(number)
            if seat is not None and seat.conversation.state is not DEAD and (only is None or number in only):
                seat.conversation.begin(row_range, turn)
                asked.append(seat)
        self._take_unasked(asked)
        rows = EncodedRows(observations)
        for seat in asked:
            message = seat.conversation.ask(rows)
            if seat.conversation.state is not DEAD:
                self._send(seat, message, is_thinking_paid=self.time_control.paid_thinking)
        self._collect()
        if now() > self._resources.due_at:
            self._check_idle()
        answers.gone[0, : len(self.gone)] |= self.gone

    def dismiss(self, number: int, scores: Sequence[float]) -> None:
        """Send a bot its last message, unless it is out or has got it already."""
        seat = self.seats[number]
        if number not in self._dismissed and not seat.conversation.gone:
            self._dismissed.add(number)
            seat.process.send_bye(seat.conversation.protocol.bye(scores))

    def bye(self, scores: Sequence[float]) -> None:
        """Send every bot that the match is over, and wait a moment for the bots to end by themselves."""
        living = [seat for seat in self.seats.values() if not seat.conversation.gone]
        for number in self.seats:
            self.dismiss(number, scores)
        deadline = time.perf_counter() + BYE_WAIT
        while any(seat.process.is_running() for seat in living) and time.perf_counter() < deadline:
            for seat in living:
                seat.process.read()
                seat.process.read_stderr()
            time.sleep(0.002)

    # -- asking

    def _take_unasked(self, asked: Sequence[SeatedBot]) -> None:
        """Handle messages that bots sent since their last answers, and ends of bots, before asking.

        Also end bots that do not read their questions (`MAX_UNREAD`).
        """
        for seat in asked:
            seat.process.turn = self._turn
            seat.process.stderr_bytes = 0
            if len(seat.process.unsent) > MAX_UNREAD:
                self._end(seat, "closed", f"the bot does not read its input: more than {MAX_UNREAD} bytes are unread")
        self._pump.drop_ready()
        for seat in asked:
            if seat in self._pump.dropped:
                self._take_unasked_of(seat)
                self._pump.watch(seat)
            elif seat.conversation.has_unread:
                self._take_unasked_of(seat)

    def _take_unasked_of(self, seat: SeatedBot) -> None:
        """Handle the output of a bot that is not waited for, beginning with output read with the last answer."""
        conversation = seat.conversation
        while not conversation.gone:
            event = conversation.next_event()
            if event is not None:
                self._handle(seat, event)
            elif (data := seat.process.read()) is not None:
                conversation.receive(data)
            else:
                break

    def _send(self, seat: SeatedBot, message: bytes, *, is_thinking_paid: bool) -> None:
        """Send a message, and begin to charge the bot and to wait for its answer."""
        if seat.conversation.state.is_waited_for:
            self._waiting.add(seat)
        seat.begin_clock(is_thinking_paid=is_thinking_paid)
        if seat.process.write(message):
            self._pump.watch_stdin(seat)

    # -- collecting answers

    def _collect(self) -> None:
        """Handle the output of bots until no bot is waited for; then complete the reports of late and dead bots.

        A look's moment is drawn anew for each question, which changes nothing: an exponential time has no memory.
        """
        self._used.clear()
        look_at = now() + draw_look()
        while self._waiting:
            outputs = self._pump.read(min(look_at, self._resources.due_at))
            at = self._pump.read_at
            if at >= look_at:
                self._look(outputs)
                look_at = now() + draw_look()
            for output in outputs:
                self._take_output(output, at)
            if at >= self._resources.due_at:
                self._check_resources()
        for seat, late, seen in self._late:
            seat.locate(late, seen)
        self._late.clear()
        until = time.perf_counter() + EXIT_WAIT
        for seat, reason in self._leaving:
            self._handle(seat, seat.find_end(reason, until))
        self._leaving.clear()

    def _take_output(self, output: BotOutput, at: int) -> None:
        """Pass a bot its output, which was read `at`, and handle the events until its question is over."""
        seat, data, cpu = output
        conversation = seat.conversation
        if not conversation.state.is_waited_for:  # its end was found in the same round
            if data is not None and not conversation.gone:
                conversation.receive(data)
            return
        cost = seat.cost(cpu, at)
        if data is None:
            self._end(seat, "flood", conversation.limits.stderr_text, cost)
            return
        conversation.receive(data, cost)
        while conversation.state.is_waited_for and (event := conversation.next_event()) is not None:
            self._handle(seat, event)
        if not conversation.state.is_waited_for:
            self._waiting.discard(seat)

    def _handle(self, seat: SeatedBot, event: ConversationEvent) -> None:
        conversation = seat.conversation
        if isinstance(event, Answer):
            self.answers_by_seat[seat.number] = event
            if self._answers is not None:
                event.write(self._answers, seat.number, conversation.row_range)
        elif isinstance(event, Faulted):
            if event.is_over:
                self._write_fault(seat, event.kind)
        elif isinstance(event, Reply):
            if seat.process.write(event.data) and seat in self._waiting:
                self._pump.watch_stdin(seat)
        elif isinstance(event, Late):
            self._take_late(seat, event)
        elif isinstance(event, Closed):
            self._leave(seat, event.reason)
        else:
            self._end(seat, event.kind, event.text)
        while conversation.new_reports:
            seat.add_stderr(conversation.new_reports.pop())

    def _write_fault(self, seat: SeatedBot, kind: str) -> None:
        if self._answers is not None:
            self._answers.fault[slice(*seat.conversation.row_range)] = FAULT[kind]

    # -- time

    def _look(self, outputs: list[BotOutput]) -> None:
        """Look at all bots that are silent, and end the questions of bots whose time is used up.

        `outputs` is what has just been read, and gets what is read after the look: a bot that has answered meanwhile
        is not silent. Raises Overloaded for a bot that has been kept from a core for too long.
        """
        asleep = {seat: seat.process.clock.is_asleep() for seat in self._silent(outputs)}
        outputs.extend(self._pump.read(0))
        for seat in self._silent(outputs):
            account, cost = seat.conversation.account, seat.silent_cost()
            account.look(LOOK_SECONDS, is_asleep=asleep[seat])
            if cost.charged >= account.allowance or account.sleeps_too_long:
                self._time_out(seat, cost)
            elif not asleep[seat]:
                self._check_load(seat, cost)
            if cost.charged >= account.budget:
                seat.process.request_location()  # it uses its bank already: it may well time out

    def _silent(self, outputs: list[BotOutput]) -> Iterator[SeatedBot]:
        """Yield the bots that are waited for and have no output among these, by seat."""
        spoke = {output.seat for output in outputs}
        return (seat for seat in sorted(self._waiting, key=lambda seat: seat.number) if seat not in spoke)

    def _check_load(self, seat: SeatedBot, cost: Cost) -> None:
        """Report a bot that is kept from a core; raise Overloaded if that takes too long.

        CPU time that the bot and its rivals use meanwhile is deducted: bots can't make a match void by their load.
        """
        clocks = {other.number: other.process.clock for other in self.seats.values() if not other.conversation.gone}
        for number, clock in clocks.items():
            self._used.setdefault(number, clock.read())
        used = sum(clock.read() - self._used[number] for number, clock in clocks.items())
        account = seat.conversation.account
        if account.is_overloaded(account.waited - used / NANO):
            raise Overloaded(describe_wait(account.waited, cost.wall), seat.number, self._turn)
        if self._on_wait is not None and account.waited - cost.charged > REPORTED_WAIT:
            self._on_wait(seat.number, account.waited - cost.charged)

    def _time_out(self, seat: SeatedBot, cost: Cost) -> None:
        """End the question of a silent bot whose time is used up, or record its end if the process has ended."""
        if seat.process.is_running():
            self._handle(seat, seat.conversation.time_out(cost))
        else:  # its output is still open in child processes
            self._leave(seat, None, cost)
        self._waiting.discard(seat)

    def _take_late(self, seat: SeatedBot, late: Late) -> None:
        """Ask a late bot for its stack location, and note its visible activity, for its report."""
        seen = ""
        if late.report is not None:
            seat.process.request_location()
            seen = "" if late.answered else seat.process.describe_activity()
        self.gone[seat.number] = late.is_out
        self._late.append((seat, late, seen))
        self._write_fault(seat, "late")

    # -- limits

    def _check_idle(self) -> None:
        """Read the stderr of all bots, including bots that are not asked now, and check the resource limits."""
        for seat in self.seats.values():
            if seat.conversation.gone:
                continue
            seat.process.turn = self._turn
            seat.process.read_stderr()
            if seat.process.stderr_exceeded:
                self._end(seat, "flood", seat.conversation.limits.stderr_text, is_over=False)
            seat.process.stderr_bytes = 0
        self._check_resources()

    def _check_resources(self) -> None:
        """End bots that exceed their resource limits, including bots that are not asked now."""
        for seat, text in self._resources.find_excesses():
            self._end(seat, "memory", text, seat.silent_cost(), is_over=seat in self._waiting)

    # -- ends

    def _leave(self, seat: SeatedBot, reason: Ended | None, cost: Cost | None = None) -> None:
        """Mark a bot whose output has ended as out; the reason is recorded when no bot is waited for."""
        self.gone[seat.number] = True
        seat.conversation.leave(cost)
        self._leaving.append((seat, reason))

    def _end(self, seat: SeatedBot, kind: str, text: str, cost: Cost | None = None, *, is_over: bool = True) -> None:
        """End a bot for this reason, or for a reason that the system reports (memory, a forbidden call).

        `is_over` is True if the bot was to answer the open question.
        """
        self.gone[seat.number] = True
        seat.conversation.leave(cost)
        event = seat.record_end(kind, text, seat.process.exit_code())
        self._handle(seat, event._replace(is_over=is_over))
        self._waiting.discard(seat)
