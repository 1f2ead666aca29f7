"""The referee of one match: asks all bots at once, and passes output to the bots' conversations. It knows no game.

The steps of a question (`Referee.ask`): read the output that bots have sent since their last answer (`_take_strays`);
encode the question for each bot and send it; read the output, and handle the events of each conversation (`_handle`);
end bots whose time is used up (`_check_clocks`); and when no bot is waited for any more, find out where late bots
were and how dead bots ended, which may take a moment.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import ExitStack

import numpy as np

from koth.game import FAULT, Answers, Observations, TimeControl
from koth.protocol.bot_protocol import Answer, Ended
from koth.protocol.frames import EncodedRows
from koth.session.clock import STILL_AFTER, draw_time
from koth.session.conversation import (
    Answered,
    ConversationEvent,
    Exceeded,
    Faulted,
    Late,
    Leaves,
    Replied,
)
from koth.session.cost import Cost
from koth.session.cpu_clocks import NANO, now
from koth.session.machine_load import MachineLoad
from koth.session.process import CHUNK
from koth.session.pump import Output, Pump, find_with_output
from koth.session.resources import ResourceWatch
from koth.session.seats import SeatedBot
from koth.session.time_control import TimeAccount

LOOK_SOONEST = 0.005
"""The least number of seconds between two checks of the clock of a bot whose time is nearly used up."""
LOOK_LATEST = 0.05
"""The largest number of seconds between two checks of the clocks of bots."""
READ_AGAIN_AFTER = 1_000_000
"""Nanoseconds of work on single bots after which the referee reads the output of other bots."""
EXIT_WAIT = 0.3
"""Seconds that koth waits for the exit of a process that has closed its output; bots are not charged for the wait."""
BYE_WAIT = 0.2
"""Seconds after the match within which bots may end by themselves."""
MAX_UNREAD = 1 << 24
"""Bytes of unread questions above which a bot that answers without reading them is ended."""


class Referee:
    """The referee of the bots of one match, by seat. As a context manager it ends all bots' processes at exit.

    `on_wait` is called with the seat of a bot that other processes keep from running, and the bot's delay in seconds
    so far. `given` holds the answers to the last question, by seat, with notes and drawings.
    """

    def __init__(
        self,
        seats: Mapping[int, SeatedBot],
        time_control: TimeControl,
        on_wait: Callable[[int, float], None] | None = None,
    ) -> None:
        self.seats = dict(seats)
        self.time_control = time_control
        self.given: dict[int, Answer] = {}
        self.gone = np.zeros(1 + max(self.seats, default=-1), np.bool_)
        """The bots that are out of the match (bool[seats], up to the last occupied seat)."""
        for seat in self.seats.values():
            seat.conversation.account = TimeAccount(time_control)
        self._pump = Pump()
        self._load = MachineLoad(self.seats, on_wait)
        self._resources = ResourceWatch(self.seats)
        self._outputs: deque[Output] = deque()
        """Output that was read but is not handled yet."""
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
            stack.callback(self._pump.close)
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
                seat.process.write(seat.conversation.hello(match_info[number]))
                self._wait_for(seat)
        self._collect()
        self._suspend(self.seats.values())

    def ask(
        self, observations: Observations, answers: Answers, turn: int, only: Container[int] | None = None
    ) -> None:
        """Ask all bots of this question (or the seats `only`) at once, and write the answers to `answers`.

        Rows with a fault hold the defaults; a bot that was out before has no more faults. Raises Overloaded if other
        processes of the machine have kept a bot from running for too long.
        """
        self._answers, self._turn = answers, turn
        self.given.clear()
        self._load.begin_question()
        asked = []
        for number, row_range in observations.row_ranges(observations.match[0]).items():
            seat = self.seats.get(number)
            if seat is not None and not seat.conversation.gone and (only is None or number in only):
                seat.conversation.begin(row_range, turn)
                asked.append(seat)
        self._take_strays(asked)
        self._send(EncodedRows(observations), asked)
        self._collect()
        self._suspend(asked)
        if self._resources.is_due:
            self._check_idle()
        answers.gone[0, : len(self.gone)] |= self.gone

    def bye(self) -> None:
        """Send every bot that the match is over, and wait a moment for the bots to end by themselves."""
        living = [seat for seat in self.seats.values() if not seat.conversation.gone]
        for seat in living:
            seat.process.send_bye(seat.conversation.protocol.bye())
        deadline = time.perf_counter() + BYE_WAIT
        while any(seat.process.is_running() for seat in living) and time.perf_counter() < deadline:
            for seat in living:
                seat.process.read()
                seat.process.read_stderr()
            time.sleep(0.002)

    # -- asking

    def _take_strays(self, asked: Sequence[SeatedBot]) -> None:
        """Handle messages that bots sent since their last answers, and ends of bots, before asking.

        Also end bots that do not read their questions (`MAX_UNREAD`).
        """
        for seat in asked:
            seat.process.turn = self._turn
            seat.process.stderr_bytes = 0
            if len(seat.process.unsent) > MAX_UNREAD:
                self._end(seat, "closed", f"the bot does not read its input: more than {MAX_UNREAD} bytes are unread")
        speaking = find_with_output(asked)
        for seat in asked:
            if seat in speaking or seat.conversation.has_unread:
                self._take_all_strays(seat)

    def _take_all_strays(self, seat: SeatedBot) -> None:
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

    def _send(self, rows: EncodedRows, asked: Sequence[SeatedBot]) -> None:
        """Send each living bot its rows of a question, and begin to wait for the answers."""
        messages = [(seat, seat.conversation.ask(rows)) for seat in asked]
        living = [(seat, message) for seat, message in messages if not seat.conversation.gone]
        self._pump.begin()
        for seat, _ in living:
            self._wait_for(seat)
        debts = [seat.process.resume() if self.time_control.freeze else 0.0 for seat, _ in living]
        for (seat, message), debt in zip(living, debts, strict=True):
            seat.process.clock.begin(debt)
            if seat.process.write(*message):
                self._pump.watch_stdin(seat)

    def _wait_for(self, seat: SeatedBot) -> None:
        if seat.conversation.is_waited_for:
            self._waiting.add(seat)
            self._pump.watch(seat)

    def _suspend(self, asked: Iterable[SeatedBot]) -> None:
        for seat in asked if self.time_control.freeze else ():
            if not seat.conversation.gone:
                seat.process.suspend()

    # -- collecting answers

    def _collect(self) -> None:
        """Handle the output of bots until no bot is waited for; then complete the reports of late and dead bots."""
        check_at = now() + int(NANO * min(draw_time(STILL_AFTER), self.time_control.question))
        while self._waiting:
            self._outputs.extend(self._pump.read(check_at))
            while self._outputs:
                self._take_output(self._outputs.popleft())
            if now() >= check_at:
                check_at = self._check_clocks()
        for seat, late, seen in self._late:
            seat.locate(late, seen)
        self._late.clear()
        until = time.perf_counter() + EXIT_WAIT
        for seat, reason in self._leaving:
            self._handle(seat, seat.find_end(reason, until))
        self._leaving.clear()

    def _take_output(self, output: Output) -> None:
        """Pass a bot its output, and handle the events until its question is over."""
        seat, data, mark, found_at = output
        conversation, clock = seat.conversation, seat.process.clock
        if seat not in self._waiting:
            if data is not None and not conversation.gone:
                conversation.receive(data)
            return
        cost = clock.cost(mark, found_at)
        if data is None:
            self._end(seat, "flood", conversation.limits.stderr_text, cost)
            return
        conversation.receive(data, cost)
        is_excused = len(data) == CHUNK  # a bot is not charged for the handling of its messages
        while conversation.is_waited_for and (event := conversation.next_event()) is not None:
            is_excused = True
            self._handle(seat, event)
            if now() - self._pump.looked_at > READ_AGAIN_AFTER:
                self._outputs.extend(self._pump.read(0))
        if not conversation.is_waited_for:
            self._stop_waiting(seat)
            clock.settle(mark)
        elif is_excused:
            clock.excuse(now() - mark.at)

    def _stop_waiting(self, seat: SeatedBot) -> None:
        if seat in self._waiting:
            self._waiting.discard(seat)
            self._pump.forget(seat)

    def _handle(self, seat: SeatedBot, event: ConversationEvent) -> None:
        match event:
            case Answered(answer, reports):
                self.given[seat.number] = answer
                if self._answers is not None:
                    answer.write(self._answers, seat.number, seat.conversation.row_range)
                for report in reports:
                    seat.add_stderr(report)
            case Faulted(kind, report, is_over):
                if report is not None:
                    seat.add_stderr(report)
                if is_over:
                    self._write_fault(seat, kind)
            case Replied(data):
                if seat.process.write(data) and seat in self._waiting:
                    self._pump.watch_stdin(seat)
            case Late():
                self._take_late(seat, event)
            case Leaves(reason):
                self._leave(seat, reason)
            case Exceeded(kind, text):
                self._end(seat, kind, text)

    def _write_fault(self, seat: SeatedBot, kind: str) -> None:
        if self._answers is not None:
            self._answers.fault[slice(*seat.conversation.row_range)] = FAULT[kind]

    # -- time

    def _check_clocks(self) -> int:
        """End the questions of bots whose time is used up; return the time of the next check (nanoseconds)."""
        if self._resources.is_due:
            self._check_resources()
        soonest, used_up = draw_time(LOOK_LATEST), []
        for seat in sorted(self._waiting, key=lambda seat: seat.number):
            account = seat.conversation.account
            cost = seat.silent_cost(self._pump.nothing_at)[1]
            if cost.charged >= account.allowance:
                used_up.append(seat)
                continue
            if cost.charged >= account.budget:
                seat.process.request_location()  # it uses its bank already: it may well time out
            self._load.check(seat, self._turn, cost)
            soonest = min(soonest, max(account.allowance - cost.charged, LOOK_SOONEST))
        if used_up:
            self._outputs.extend(self._pump.read(0))  # once more: a bot whose answer has arrived is not late
            spoke = {seat for seat, *_ in self._outputs}
            for seat in used_up:
                if seat not in spoke:
                    self._time_out(seat)
        return now() + int(soonest * NANO)

    def _time_out(self, seat: SeatedBot) -> None:
        """End the question of a silent bot whose time is used up, or record its end if the process has ended."""
        mark, cost = seat.silent_cost(self._pump.nothing_at)
        if seat.process.is_running():
            self._handle(seat, seat.conversation.time_out(cost))
        else:  # its output is still open in child processes
            self._leave(seat, None, cost)
        self._stop_waiting(seat)
        seat.process.clock.settle(mark)

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
        living = [seat for seat in self.seats.values() if not seat.conversation.gone]
        for seat in find_with_output(living, stderr=True):
            seat.process.turn = self._turn
            seat.process.read_stderr()
            if seat.process.stderr_exceeded:
                self._end(seat, "flood", seat.conversation.limits.stderr_text, is_over=False)
            seat.process.stderr_bytes = 0
        self._check_resources()

    def _check_resources(self) -> None:
        """End bots that exceed their resource limits, including bots that are not asked now."""
        for seat, text in self._resources.find_excesses():
            self._end(seat, "memory", text, seat.silent_cost(self._pump.nothing_at)[1], is_over=seat in self._waiting)

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
        self._stop_waiting(seat)
