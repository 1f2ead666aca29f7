"""The referee of one match: asks all bots at once, collects, judges and records their answers. It knows no game.

The steps of a question (`Referee.ask`): take messages that bots have sent since their last answer (`_take_strays`);
encode the question for each bot and send it; pump the output; take clean frames in bulk (`take_clean`), all other
messages bot by bot (`_take_output`, `_take_message`); charge and judge (`_judge_answer`, `_time_out`); and when no
bot is THINKING any more, record lateness (`_record_late`) and deaths (`_record_death`).
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import ExitStack

import numpy as np

from koth.game import FAULT, FAULTS, Answers, Array, Observations, Question, TimeControl, no_answers
from koth.protocol import frames
from koth.protocol.bot_protocol import Answer, Ended, Fault, Message, Ready, Reply, Stale, Used
from koth.protocol.frames import (
    FramesProtocol,
    Layout,
    check_frame,
    frame_size,
    take_frame,
)
from koth.session.clean_frames import open_questions, take_clean
from koth.session.cpu_time import COST_ROW, NANO, STILL, Cost, CostLog, charged, now
from koth.session.io_loop import (
    BUFFER,
    DEAD,
    END,
    NOTHING,
    PIPES,
    IoLoop,
    State,
    add_up,
    count_open,
    is_another_thread,
    is_incomplete,
    is_silent,
)
from koth.session.machine_load import MachineLoad
from koth.session.session import CLOSED, NO_REASON, BotSession, quoted
from koth.session.time_control import (
    ANSWER,
    FOREIGN,
    LATE,
    NONE,
    SILENCE,
    STRAY,
    accounts,
    allowance,
    count_fault,
    end_in_words,
    judge,
    late_in_words,
    open_budgets,
)

LOOK_SOONEST = 0.005
"""Seconds, at least, between two checks of the clock of a bot whose time is nearly used up."""
LOOK_EVERY = 0.05
"""Seconds between two checks of bots that have time left, and between two checks of the resources that bots use."""
GLANCE = 0.001
"""Seconds of work for single bots after which the referee checks which other bots have answered meanwhile."""
EFFORT = 0.005
"""CPU seconds below which a bot's memory and threads are not measured again."""
LOOK_AT_IDLE_EVERY = 1.0
"""Seconds between two measurements of all bots, idle ones included."""
EXIT_WAIT = 0.3
"""Seconds that koth waits for the exit of a process that has closed its output; no clock runs meanwhile."""
BYE_WAIT = 0.2
"""Seconds after the match in which bots may end by themselves."""
MAX_UNREAD = 1 << 24
"""Bytes of unread questions at which a bot that answers without reading them is ended."""

NO_DATA, FIRST = np.zeros(0, np.uint8), np.zeros(1, np.int64)
NO_COLUMNS = np.zeros(0, frames.COLUMN)


class Referee:
    """The referee of the bots of one match, by seat. As a context manager it ends all their processes at exit.

    `on_wait` is called with the seat of a bot that other processes keep from its core, and its delay in seconds so
    far. With `keep_answers` all answers are kept in `given`, with their notes and drawings.
    """

    def __init__(
        self,
        sessions: Mapping[int, BotSession],
        time_control: TimeControl,
        on_wait: Callable[[int, float], None] | None = None,
        *,
        keep_answers: bool = False,
    ) -> None:
        self.sessions = dict(sessions)
        self.time_control = time_control
        self.keep_answers = keep_answers
        self.given: dict[int, Answer] = {}
        """Answers to the last question that were judged one by one, by seat."""
        seats = 1 + max(self.sessions, default=-1)
        self._io = IoLoop(seats, min((session.most for session in self.sessions.values()), default=BUFFER))
        self._accounts = accounts(seats, time_control)
        self._questions = np.zeros(seats, frames.OPEN)
        self._load = MachineLoad(self._io, seats, on_wait)
        self._all = np.array(list(self.sessions), np.int64)
        self._is_here = np.isin(np.arange(seats), self._all)
        self._asked = np.zeros(seats, np.int64)
        self._layouts: dict[str, Layout] = {}
        self._data = np.empty(0, np.uint8)
        self._kinds: Mapping[str, int] = {}
        """The kinds of frames by question; empty if no bot speaks frames."""
        self._answers: Answers | None = None
        """The destination of the answers to the open question; None while the bots start."""
        self._turn = 0
        self._number = 0
        self._looked_at = [-1] * seats
        """For each bot, the number of the last question in which `_look_at` was called."""
        self._log = np.zeros(0, COST_ROW)
        self._logged = 0
        self._seats_asked = np.zeros(0, np.int64)
        """The seats of the open question."""
        self._glanced = 0
        """The moment at which arrived answers were last checked (nanoseconds)."""
        self._late: list[Callable[[], None]] = []
        """Reports of late bots, made when no bot is THINKING: finding a stack location may take long."""
        self._dying: list[Callable[[float], None]] = []
        """Reports of dead bots, made when no bot is THINKING; each waits until the given moment for the exit code."""
        self._worked = np.zeros(seats, np.int64)
        """The CPU clock of each bot when its memory and threads were last measured (nanoseconds)."""
        self._watched = self._watched_all = 0.0
        for seat, session in self.sessions.items():
            session.take_seat(
                self._io.table[seat], self._io.copies[seat], self._accounts[seat], self._questions[seat]
            )
            if isinstance(session.protocol, FramesProtocol):
                self._kinds = session.protocol.kinds

    def __enter__(self) -> Referee:
        return self

    def __exit__(self, *_: object) -> None:
        with ExitStack() as stack:  # whatever fails, all processes are ended
            stack.callback(self._io.close)
            for session in self.sessions.values():
                stack.callback(session.process.close)
            for session in self.sessions.values():
                stack.callback(session.process.kill)
                session.die()

    @property
    def gone(self) -> Array:
        """The bots that are out of the match (bool[seats], up to the last occupied seat)."""
        gone: Array = (self._io.table["state"] == DEAD) & self._is_here
        return gone

    def costs(self, seat: int) -> CostLog:
        """Return the cost of each question for this bot."""
        own = self._log[: self._logged]
        own = own[own["seat"] == seat]
        return CostLog(np.column_stack([own[name] for name in ("turn", "wall", "cpu", "run_delay")]))

    # -- the course of a match

    def start(self, match_info: Mapping[int, Mapping[str, object]]) -> None:
        """Start every bot and wait until it is ready; bots that miss the start timeout are out. Raises ArenaError."""
        self._accounts["budget"], self._accounts["bank"] = self.time_control.start, 0.0
        seats = np.array([seat for seat in self.sessions if self._start(seat)], np.int64)
        messages = _joined([self.sessions[seat].protocol.hello(match_info[seat]) for seat in seats.tolist()])
        if not self._io.greet(seats, *messages):
            self._queue_unsent(seats, *messages)
        for seat in seats.tolist():
            if not self.sessions[seat].protocol.handshake:  # ready as soon as it is started
                self._io.settle(seat)
        self._collect(seats, NO_COLUMNS)
        self._accounts["budget"], self._accounts["bank"] = self.time_control.question, self.time_control.bank
        self._suspend(seats)

    def _start(self, seat: int) -> bool:
        """Start the process of a bot; return whether it could be started."""
        session = self.sessions[seat]
        process = session.process
        if problem := process.start():
            session.end_by("crash", problem, None, Cost())
            return False
        pipes = process.stdin, process.stdout, process.stderr_fd
        self._io.add(seat, pipes, process.clock, framed=session.protocol.framing == "frames")
        return True

    def ask(
        self, observations: Observations, answers: Answers, turn: int, only: Container[int] | None = None
    ) -> None:
        """Ask all bots of this question (or `only` these) at once, and write their answers to `answers`.

        Rows with a fault hold the defaults; a bot that was out before has no more faults. Raises Overloaded when
        other processes of the machine have kept a bot from its core for too long.
        """
        self._begin(answers, turn)
        bank, rows = self.time_control.bank, observations.seat
        count = open_questions(self._io.table, self._questions, self._accounts, bank, rows, self._asked)
        seats = self._asked[:count]
        if only is not None:
            seats = seats[[seat in only for seat in seats.tolist()]]
        if self.time_control.first:
            open_budgets(self._accounts, seats, self.time_control)
        layout = self._layouts.get(observations.question.name)
        if layout is None:
            layout = self._layouts[observations.question.name] = Layout(observations)
        self._take_strays(seats)
        seats, data, starts = self._encode(observations, layout, seats)
        if not self._io.send(seats, data, starts, self._resume(seats)):
            self._queue_unsent(seats, data, starts)
        self._collect(seats, layout.columns_of(answers))
        self._suspend(seats)
        if time.perf_counter() - self._watched > LOOK_EVERY:
            self._look_around()
        answers.gone[0, : len(self._io.table)] = self.gone

    def bye(self) -> None:
        """Send every bot that the match is over, and wait a moment for it to end by itself."""
        living = [session for session in self.sessions.values() if not session.gone]
        for session in living:
            session.process.part(bytes(session.outbox) + session.protocol.bye())
        deadline = time.perf_counter() + BYE_WAIT
        while any(session.process.is_running() for session in living) and time.perf_counter() < deadline:
            for session in living:
                session.read()
                session.process.read_stderr()
            time.sleep(0.002)

    # -- asking

    def _begin(self, answers: Answers, turn: int) -> None:
        """Begin a question whose answers are written to `answers`."""
        self._answers, self._turn = answers, turn
        self._number += 1
        self.given = {}
        self._load.begin_question()
        if len(self._log) < self._logged + len(self._all):
            self._log = np.concatenate([self._log, np.zeros(1024 + len(self._log), COST_ROW)])

    def _look_at(self, seat: int) -> BotSession:
        """Return the session of a bot; the first call within a question begins the session's counts for it."""
        session = self.sessions[seat]
        if self._looked_at[seat] != self._number:
            self._looked_at[seat] = self._number
            session.process.turn = self._turn
            session.begin_question()
        return session

    def _encode(self, observations: Observations, layout: Layout, seats: Array) -> tuple[Array, Array, Array]:
        """Return these seats, bots that speak frames first, with the messages of all and where each begins."""
        is_framed = self._io.table["framed"][seats] != 0
        framed = seats if is_framed.all() else seats[is_framed]
        data, starts = self._data, np.zeros(1, np.int64)
        if len(framed):
            kind = self._kinds[observations.question.name]
            data, starts = layout.write(observations, self._questions, framed, kind, self._data)
            self._data = data
        if len(framed) == len(seats):
            return seats, data, starts
        others = seats[~is_framed]
        lines = self._lines(observations, [self.sessions[seat] for seat in others.tolist()])
        return np.concatenate([framed, others]), *_joined(lines, data[: starts[-1]], starts)

    def _lines(self, observations: Observations, sessions: Sequence[BotSession]) -> list[bytes]:
        """Return the question as a line for each of these bots."""
        lines = []
        for session, own in zip(sessions, observations.parts([session.span for session in sessions]), strict=True):
            used = self.time_control.bank - float(session.account["bank"])
            session.protocol.used = Used(used, int(session.account["strikes"]))
            lines.append(session.protocol.ask(own))
        return lines

    def _queue_unsent(self, seats: Array, data: Array, starts: Array) -> None:
        """Queue the rest of each message that a pipe has not taken whole."""
        for i, seat in enumerate(seats.tolist()):
            sent = int(self._io.table["sent"][seat])
            if not self.sessions[seat].gone and starts[i] + sent < starts[i + 1]:
                self.sessions[seat].queue(data[starts[i] + sent : starts[i + 1]].tobytes())

    def _resume(self, seats: Array) -> dict[int, float]:
        """Let suspended bots run; return the CPU seconds that some used while they were suspended, by seat."""
        if not self.time_control.freeze:
            return {}
        living = [seat for seat in seats.tolist() if not self.sessions[seat].gone]
        used = {seat: self.sessions[seat].process.resume() for seat in living}
        return {seat: seconds for seat, seconds in used.items() if seconds}

    def _suspend(self, seats: Array) -> None:
        """Suspend these bots, if no bot may think while others are asked."""
        for seat in seats.tolist() if self.time_control.freeze else ():
            if not self.sessions[seat].gone:
                self.sessions[seat].process.suspend()

    # -- collecting answers

    def _collect(self, seats: Array, columns: Array) -> None:
        """Collect the answers of these bots until none is waited for; then record late and dead bots."""
        self._seats_asked = seats
        look_at = now() + int(NANO * min(_unforeseeable(STILL), self.time_control.question))
        while self._collect_once(seats, columns, look_at):
            if now() >= look_at:
                look_at = self._look_at_clocks(seats, columns)
        while self._late:
            self._late.pop(0)()
        until = time.perf_counter() + EXIT_WAIT if self._dying else 0.0
        while self._dying:
            self._dying.pop(0)(until)

    def _collect_once(self, seats: Array, columns: Array, until: int) -> bool:
        """Pump, take clean frames in bulk and the rest bot by bot; return whether some bot is still waited for."""
        io = self._io
        io.pump(seats, until)
        self._glanced = now()
        if not self.keep_answers:
            self._logged = take_clean(
                io.table, seats, io.buffers, self._questions, self._accounts, columns, self._turn, self._log,
                self._logged,
            )  # fmt: skip
        news, waiting = count_open(io.table, seats)
        if news:
            self._look_at_news(seats)
            waiting = count_open(io.table, seats)[1]
        return bool(waiting)

    def _glance(self) -> None:
        """Mark the answers that came while koth worked for other bots: a bot is not charged for work after its
        answer.
        """
        if now() - self._glanced > GLANCE * NANO:
            self._io.pump(self._seats_asked, 0)
            self._io.mark_found(self._seats_asked)
            self._glanced = now()

    def _look_at_news(self, seats: Array) -> None:
        """Handle each bot that has sent something, whose output has ended, or whose pipes need reading or writing."""
        bots = self._io.table[seats]
        self._io.mark_found(seats)
        for seat in seats[bots["takes_input"] != 0].tolist():
            self._io.write_on(seat, self.sessions[seat].outbox)
        for seat in seats[bots["found"] != NOTHING].tolist():
            if self.sessions[seat].is_waited_for:
                self._take_output(seat)
        for seat in seats[bots["wrote_stderr"] != 0].tolist():
            self._glance()
            self._read_stderr(seat)
            if self.sessions[seat].is_waited_for:
                self._end_if_over(seat)

    def _take_output(self, seat: int) -> None:
        """Take the messages of a bot that is waited for, or the end of its output; keep waiting without an answer."""
        session, bot = self._look_at(seat), self._io.table[seat]
        waited = bool(bot["got"] == self._io.buffers.shape[1])  # a bot is charged for the handling of small pieces
        session.has_ended |= bool(bot["found"] == END)
        self._fill_inbox(seat)
        answered = False
        for message in session.messages():
            self._glance()
            waited = True
            answered = self._take_message(seat, message)
            if answered:
                break
        if not answered and not self._end_if_over(seat):
            self._io.go_on(seat, waited=waited)
        bot["has_inbox"] = bool(session.inbox)

    def _fill_inbox(self, seat: int) -> None:
        """Move the bytes read of a bot's output into its inbox, where half a message waits for its rest."""
        if self._io.table["got"][seat]:
            self._look_at(seat).take(self._io.take_bytes(seat))
            self._io.table["has_inbox"][seat] = 1

    def _end_if_over(self, seat: int) -> bool:
        """End a bot that has flooded or has closed its output; return whether the bot is out."""
        session = self._look_at(seat)
        if not session.gone and session.flood:
            self._end(seat, "flood", session.flood)
        elif not session.gone and session.has_ended:
            self._die(seat)
        return session.gone

    def _take_strays(self, seats: Array) -> None:
        """Take messages that these bots have sent since their last answer, or their end, before they are asked.

        An unfinished message is marked (`spoke_early`): once it is whole, it answers no open question. Also end bots
        that do not read their questions (`MAX_UNREAD`).
        """
        for seat in self._io.speaking(seats):
            session = self._look_at(seat)
            session.read()
            for message in session.messages():
                self._take_stray(seat, message)
            session.said = b""  # so that the report of its end does not depend on when it is noticed
            self._end_if_over(seat)
            session.begin_question()
            if not session.has_begun_message:
                session.inbox.clear()  # white space, which begins no answer
            session.spoke_early = bool(session.inbox)
            self._io.table["has_inbox"][seat] = session.spoke_early
        for seat in seats[self._io.table["has_outbox"][seats] != 0].tolist():
            if len(self.sessions[seat].outbox) > MAX_UNREAD and not self.sessions[seat].gone:
                self._end(seat, "closed", f"it does not read its input: more than {MAX_UNREAD} bytes wait for it")

    def _read_stderr(self, seat: int) -> None:
        """Read a bot's stderr; stop polling it once it is closed."""
        self._io.table["wrote_stderr"][seat] = 0
        session = self._look_at(seat)
        if not session.gone and not session.process.read_stderr() and not session.flood:
            self._io.table["stderr"][seat] = -1

    # -- messages

    def _take_message(self, seat: int, message: bytes) -> bool:
        """Decode and handle a message of a bot that is waited for; return whether it ends the bot's question."""
        session = self.sessions[seat]
        early, session.spoke_early = session.spoke_early, False
        if early:
            self._take_stray(seat, message)
            return session.gone
        decoded = session.protocol.decode(message)
        if isinstance(decoded, Reply):
            session.queue(decoded.data)
            self._io.write_on(seat, session.outbox)
            return False
        if isinstance(decoded, Fault) and not decoded.ends:
            self._note_unasked(seat, FOREIGN, decoded.text)
            return False
        if isinstance(decoded, Stale | Ended):
            self._take_stray(seat, message, decoded)
            return session.gone
        self._judge_answer(seat, decoded, message)
        return True

    def _take_stray(self, seat: int, message: bytes, decoded: Message | None = None) -> None:
        """Take a message that answers no open question: a reason for the bot's end, an owed answer or a fault."""
        session = self.sessions[seat]
        if session.gone:
            return
        if decoded is None and session.protocol.says_why_it_ends:
            decoded = session.protocol.decode(message)
        if isinstance(decoded, Ended):
            self._die(seat, decoded)
        else:
            self._note_unasked(seat, STRAY, f"an answer without an open question: {quoted(message)}")

    def _note_unasked(self, seat: int, event: int, text: str) -> None:
        """Count an answer to no open question as a fault, unless the bot owed it; the first is recorded in full."""
        session = self.sessions[seat]
        fault, _ = judge(session.account, event, NONE, 0.0)
        if fault != NONE:
            is_recorded = session.is_waited_for and not session.has_had(FAULTS[fault])
            session.note(FAULTS[fault], text, self._io.cost(seat) if is_recorded else Cost())

    def _judge_answer(self, seat: int, decoded: Answer | Ready | Fault, message: bytes) -> None:
        """Judge a message that ends the question, or the start, and write an answer without a fault."""
        session = self.sessions[seat]
        if session.state == State.STARTING and isinstance(decoded, Ready):
            session.start_seconds = self._close_question(seat).charged
            return
        if session.state == State.STARTING:
            said = f"{decoded.text if isinstance(decoded, Fault) else 'an answer'}: {quoted(message)}"
            self._end(seat, "garbage", f"its first message did not say that it is ready: {said}")
            return
        if isinstance(decoded, Ready):
            decoded = Fault("garbage", "a message that it is ready, instead of an answer")
        cost = self._close_question(seat)
        own = FAULT[decoded.kind] if isinstance(decoded, Fault) else NONE
        fault, is_out = judge(session.account, ANSWER, own, cost.charged)
        if fault == LATE:
            self._record_late(seat, cost, answered=True, is_out=is_out)
        elif isinstance(decoded, Fault):
            session.note(decoded.kind, decoded.text, cost)
        else:
            self.given[seat] = decoded
            for kind, text in decoded.row_faults():
                session.note(kind, text, cost)
            assert self._answers is not None
            decoded.write(self._answers, seat, session.span)
            return
        self._write_fault(seat, fault)

    # -- time

    def _look_at_clocks(self, seats: Array, columns: Array) -> int:
        """Time out bots whose time is used up; return the moment of the next check (nanoseconds)."""
        if time.perf_counter() - self._watched > LOOK_EVERY:
            self._watch()
        soonest, used_up = _unforeseeable(LOOK_EVERY), []
        for seat in self._silent(seats):
            session, cost = self._look_at(seat), self._io.cost(seat)
            allowed = allowance(session.account)
            if cost.charged >= allowed:
                used_up.append(seat)
                continue
            if cost.charged >= session.account["budget"]:
                session.process.request_location()  # it uses its bank already: it may well time out
            self._load.check(seat, self._turn, cost, allowed)
            soonest = min(soonest, max(allowed - cost.charged, LOOK_SOONEST))
        if used_up:
            self._collect_once(seats, columns, 0)  # once more: a bot whose answer has arrived is not late
            for seat in set(used_up).intersection(self._silent(seats)):
                self._time_out(seat)
        return now() + int(soonest * NANO)

    def _silent(self, seats: Array) -> list[int]:
        """Return the bots among these that are waited for and have sent nothing new."""
        return [int(seat) for seat in seats if is_silent(self._io.table[seat])]

    def _time_out(self, seat: int) -> None:
        """Judge a silent bot whose time is used up, or record its death if its process has ended."""
        session = self._look_at(seat)
        if not session.process.is_running():  # its output is still open in child processes
            self._die(seat)
        elif session.state == State.STARTING:
            self._fill_inbox(seat)
            self._end(seat, "late", f"not ready within {self.time_control.start:g} s{session.unfinished}")
        else:
            cost = self._close_question(seat)
            fault, is_out = judge(session.account, SILENCE, NONE, cost.charged)
            self._record_late(seat, cost, answered=False, is_out=is_out)
            self._write_fault(seat, fault)

    def _record_late(self, seat: int, cost: Cost, *, answered: bool, is_out: bool) -> None:
        """Request a late bot's stack location, take the bot out if `is_out`, and queue the report."""
        session = self._look_at(seat)
        seen, end = "", ""
        if not session.has_had("late"):
            session.process.request_location()
            seen = session.process.activity()
        first, last = session.span
        budget = float(session.account["budget"])
        words = late_in_words(budget, self.time_control.bank, last - first, cpu=cost.cpu, wall=cost.wall)
        if is_out:
            end = end_in_words(session.account)
            session.die()
        self._late.append(lambda: session.note_late(words, end, seen, cost, answered=answered))

    def _look_around(self) -> None:
        """Read the stderr of all bots, including those that are not asked now, and check their resource limits."""
        for seat in self._io.speaking(self._all, stderr=True):
            self._read_stderr(seat)
        self._watch()

    def _watch(self) -> None:
        """End bots that exceed their resource limits, including those that are not asked now."""
        moment = time.perf_counter()
        if moment - self._watched_all > LOOK_AT_IDLE_EVERY:
            self._worked[:] = -int(EFFORT * NANO)
            self._watched_all = moment
        for seat in self._io.busy(self._all, self._worked, EFFORT):
            session = self.sessions[seat]
            if not session.gone and (text := session.process.excess()):
                self._end(seat, "memory", text, is_asked=session.is_waited_for)
        self._watched = moment

    # -- ends

    def _close_question(self, seat: int) -> Cost:
        """Close the question for a bot; return its cost."""
        session = self._look_at(seat)
        if not session.is_waited_for:
            return Cost()
        cost = self._io.cost(seat)
        if session.state == State.THINKING:
            self._log[self._logged] = (seat, self._turn, *cost)
            self._logged += 1
        self._io.settle(seat)
        self._fill_inbox(seat)
        return cost

    def _end(self, seat: int, kind: str, text: str, *, is_asked: bool = True) -> None:
        """End a bot for this reason."""
        session = self._look_at(seat)
        cost = self._close_question(seat)
        fault = session.end_by(kind, text, session.process.exit_code(), cost)
        if is_asked:
            self._write_fault(seat, fault)

    def _die(self, seat: int, why: Ended | None = None) -> None:
        """Take out a bot whose output has ended; the reason is recorded when no bot is waited for."""
        session = self._look_at(seat)
        cost = self._close_question(seat)
        session.die()
        self._dying.append(lambda until: self._record_death(seat, cost, until, why))

    def _record_death(self, seat: int, cost: Cost, until: float, why: Ended | None) -> None:
        """Record a bot's end with its exit code; a process that runs on has only closed its output.

        The reason that the bot's own adapter gave (`why`) takes precedence.
        """
        session = self.sessions[seat]
        while (code := session.process.exit_code()) is None and time.perf_counter() < until:
            session.process.read_stderr()
            time.sleep(0.002)
        kind, text = why or (("closed", CLOSED) if code is None else ("crash", NO_REASON))
        self._write_fault(seat, session.end_by(kind, text, code, cost))

    def _write_fault(self, seat: int, fault: int) -> None:
        """Set this fault in all rows of a bot, whose answers stay the defaults."""
        if self._answers is not None:
            self._answers.fault[slice(*self.sessions[seat].span)] = fault


def _unforeseeable(most: float) -> float:
    """Return a random time, so that no bot can be awake only when koth looks at it."""
    return random.uniform(most / 2, most)


def _joined(messages: Sequence[bytes], data: Array = NO_DATA, starts: Array = FIRST) -> tuple[Array, Array]:
    """Return `data` with these messages appended, and the bounds of all messages in it."""
    ends = starts[-1] + np.cumsum([len(message) for message in messages], dtype=np.int64)
    whole = np.concatenate([data, np.frombuffer(b"".join(messages), np.uint8)])
    return whole, np.concatenate([starts, ends])


def compile_kernels() -> None:
    """Compile all kernels needed to ask bots, by asking no bot and judging an empty row."""
    rows = np.zeros(0, np.int32)
    observations = Observations(Question("nobody", {}, {}, max_rows=1), rows, rows, rows, {})
    answers = no_answers(observations, np.zeros((1, 0), np.bool_))
    none, data = np.zeros(0, np.int64), np.zeros(frames.HEADER_SIZE, np.uint8)
    with Referee({}, TimeControl()) as referee:
        referee.start({})
        referee.ask(observations, answers, 0)
        Layout(observations).write(observations, np.zeros(1, frames.OPEN), none, 1, data)
    bot, question = np.zeros(1, PIPES)[0], np.zeros(1, frames.OPEN)[0]
    account = accounts(1, TimeControl())[0]
    is_silent(bot)
    is_incomplete(bot, charged(*add_up(bot)))
    is_another_thread(bot)
    count_fault(account, judge(account, ANSWER, NONE, 0.0)[0])
    columns = Layout(observations).columns_of(answers)
    check_frame(question, data, frame_size(data, len(data)), columns)
    take_frame(data, 0, columns, 0)
