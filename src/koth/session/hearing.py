"""What the bots of a match say, or do not say, made into answers and faults; see `koth.session.panel`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np

from koth.game import FAULT, FAULTS, Answers, Array, TimeControl
from koth.protocol.bot_protocol import Answer, Ended, Fault, Message, Ready, Reply, Stale
from koth.sandbox.command import Overloaded
from koth.session import time_control
from koth.session.cpu_time import NANO, STILL, Cost, CostLog, CpuTime, cpu_between, now
from koth.session.exchange import APART, CLOSED, ENDED, GOT, OPEN, SAID, STATUS, STDERR, STDOUT, Exchange, look
from koth.session.guest import UNTOLD, Guest, faults_of
from koth.session.questions import gather, waits
from koth.session.time_control import ANSWER, BUDGET, FOREIGN, LATE, NONE, SILENCE, STRAY, judge

STEP = 0.005
"""Seconds between two looks at a bot that is close to its end, at least."""
EVERY = 0.05
"""And at one that is not."""
EFFORT = 0.005
"""Seconds of work below which nobody is looked at again: too few to make much memory, or many threads."""
RESTING = 1.0
"""Seconds after which those are looked at, too, that have hardly worked."""
LAST_MOMENTS = 0.3
"""Seconds, once nobody's clock runs, in which a process that has closed its output may still end by itself."""
PATIENCE = 60.0
"""Seconds, at least, that a bot is waited for that others keep from its core; and ten times what it may take."""
KEPT = 1.0
"""Seconds from which on it is told, and looked at closely, that others keep a bot from its core."""
UNREAD = 1 << 24
"""Bytes that are kept for a bot that answers and does not read its questions."""


class Hearing:
    """What the bots of one match are asked now, and what comes of it."""

    def __init__(
        self,
        guests: Mapping[int, Guest],
        exchange: Exchange,
        records: Array,
        control: TimeControl,
        on_wait: Callable[[int, float], None] | None,
    ) -> None:
        self._guests = guests
        self._exchange = exchange
        self._calls = exchange.calls
        self._records = records
        self._control = control
        self._on_wait = on_wait
        self.rules: Array = np.array([control.start, 1.0, 0.0])
        self._fields: Array = np.zeros((0, 3), np.int64)
        self._answers: Answers | None = None
        self._turn = -1
        self._number = 0
        self.log = np.zeros((0, 5))
        """Of each question that was answered: seat, turn, and the three numbers of a `Cost`."""
        self.logged = np.zeros(1, np.int64)
        self.given: dict[int, Answer] = {}
        """The answers to this question with all their words; where they are plain, only with `in_words`."""
        self.in_words = False
        self._late: list[Callable[[], None]] = []
        """What is to be told of those that were late."""
        self._dying: list[Callable[[float], None]] = []
        """And of those that died, who are waited for until that moment."""
        self._kept: dict[int, tuple[float, Array]] = {}
        """Of each that others keep from its core: for how long they had when this was first looked at, and what each
        bot had used of the machine then, by seat."""
        self._cpu: dict[int, CpuTime] = {}
        """The last readings of all bots' processes in this question, by seat."""
        self._used = np.zeros(len(self._calls))
        """CPU seconds by seat: the sum of what lay between two readings."""
        self.seats = np.array(list(guests), np.int64)
        """Of all bots."""
        self._worked = np.zeros(len(self._calls), np.int64)
        """What the clock of each told when it was last looked at what it uses."""
        self._watched = self._watched_all = 0.0
        self.behind: set[int] = set()
        """Those that have not read all that they were sent."""

    def times(self, seat: int) -> CostLog:
        """What each question has cost this bot."""
        log = self.log[: self.logged[0]]
        return CostLog(log[log[:, 0] == seat, 1:])

    def start(self, seats: Array) -> None:
        """Wait until these bots say that they are ready."""
        self._records[:, time_control.BANK] = 0.0
        self.hear(seats)
        self.bury()
        self._records[:, time_control.BANK] = self._control.bank

    def begin(self, rules: Array, fields: Array, answers: Answers, turn: int) -> None:
        """This question is seen to: it is asked by these rules, and its answers belong there.

        One that all have answered in the usual way comes and goes without this (`koth.session.questions.ask`).
        """
        self.rules, self._fields, self._answers, self._turn = rules, fields, answers, turn
        if len(self.log) < self.logged[0] + len(self._guests):
            self.log = np.concatenate([self.log, np.zeros((1024 + len(self.log), 5))])
        self._number += 1
        self.given = {}
        self._exchange.begin()

    def hear_early(self, seats: Array) -> None:
        """Hear what these have said since their last answer, or that they have ended: they are not asked yet.

        Those for whom too much is kept that they have not read are ended.
        """
        for seat in self._exchange.spoke(seats, STDOUT):
            guest = self._guest(seat)
            guest.read()
            for message in guest.messages():
                self._stray(seat, guest, message)
            guest.said = b""  # so that what is recorded of its end is the same whether it is noticed now or later
            self._is_over(seat, guest)
            guest.count_anew()
            guest.is_early = self._calls[seat, APART] = bool(guest.inbox)
        for seat in self.behind.intersection(seats.tolist()):
            if len(self._guests[seat].unsent) > UNREAD:
                self._end(seat, "closed", f"it does not read its input: more than {UNREAD} bytes wait for it")

    def hear(self, seats: Array, *, is_left: bool = False) -> None:
        """Hear all of these bots, which have been asked, or see their time used up; something may be left to take."""
        self._kept, self._cpu = {}, {}
        until = now() + int(NANO * min(STILL, float(self.rules[BUDGET])))
        while is_left or self._gather(seats, until):
            is_left = False
            self._take_all(seats)
            waiting = seats[self._calls[seats, STATUS] == OPEN]
            if not len(waiting):
                break
            if now() >= until:
                until = self._wait_on(waiting)

    def _gather(self, seats: Array, until: int) -> bool:
        """Hear them until somebody has to be looked at, at most until then; False when nothing is left to be done."""
        there = self._exchange
        if self.in_words:
            look(there.desk, seats, until, there.own.file)
            return waits(self._calls, seats)
        return gather(
            there.desk, seats, until, there.own.file, self._records, self.rules, self._fields, self._turn, self.log,
            self.logged,
        )  # fmt: skip

    def _take_all(self, seats: Array) -> None:
        """See what has been said in other than the usual way, and read what has come to stderr."""
        status = self._calls[seats, STATUS]
        for seat in seats[(status != OPEN) & (status != CLOSED)].tolist():
            self._take(seat)
        for seat in seats[self._calls[seats, SAID] > 0].tolist():
            guest = self._guest(seat)
            self._calls[seat, SAID] = 0
            self.read_stderr(seat)
            if self._calls[seat, STATUS] == OPEN:
                self._is_over(seat, guest)

    def read_stderr(self, seat: int) -> None:
        """Read what a bot has written to stderr, until that ends."""
        guest = self._guests[seat]
        if not guest.gone and not guest.program.read_stderr() and not guest.flood:
            self._calls[seat, STDERR] = -1

    def _guest(self, seat: int) -> Guest:
        """The bot of this seat, seen to for this question."""
        guest = self._guests[seat]
        if guest.number != self._number:
            guest.number = self._number
            guest.program.turn = self._turn
            guest.count_anew()
        return guest

    # -- what was said

    def _take(self, seat: int) -> None:
        """Something has come from a bot that is waited for, or its output has ended."""
        guest, call = self._guest(seat), self._calls[seat]
        waited = bool(call[GOT] == self._exchange.rooms.shape[1])  # a mere piece is at its own cost, however often
        self._take_room(seat, guest)
        guest.has_ended |= bool(call[STATUS] == ENDED)
        heard = False
        for message in guest.messages():
            waited = True
            heard = self._understand(seat, guest, message)
            if heard:
                break
        if not heard and not self._is_over(seat, guest):
            self._exchange.go_on(seat, waited=waited)
        call[APART] = bool(guest.inbox)

    def _is_over(self, seat: int, guest: Guest) -> bool:
        """Whether a bot is gone: one that says more than anybody may, or has closed its output, is ended."""
        if guest.gone:
            return True
        if guest.flood:
            self._end(seat, "flood", guest.flood)
        elif guest.has_ended:
            self._dies(seat)
        return guest.gone

    def _take_room(self, seat: int, guest: Guest) -> None:
        call = self._calls[seat]
        if call[GOT]:
            guest.take(self._exchange.rooms[seat, : call[GOT]].tobytes())
            call[GOT], call[APART] = 0, 1

    def _understand(self, seat: int, guest: Guest, message: bytes) -> bool:
        """Whether the question is over for a bot with this message."""
        early, guest.is_early = guest.is_early, False
        if early:
            self._stray(seat, guest, message)
            return guest.gone
        meaning = guest.protocol.decode(message)
        if isinstance(meaning, Reply):
            guest.reply(meaning.data)
            return False
        if isinstance(meaning, Fault) and not meaning.ends:
            self._unasked(seat, guest, FOREIGN, meaning.text)
            return False
        if isinstance(meaning, Stale | Ended):
            self._stray(seat, guest, message, meaning)
            return guest.gone
        self._answered(seat, guest, meaning, message)
        return True

    def _stray(self, seat: int, guest: Guest, message: bytes, meaning: Message | None = None) -> None:
        """It has said something that answers no open question."""
        if guest.gone:
            return
        if meaning is None and guest.protocol.framing == "frames":
            meaning = guest.protocol.decode(message)
        if isinstance(meaning, Ended):
            self._dies(seat, meaning)
        else:
            self._unasked(seat, guest, STRAY, f"an answer that nobody asked for: {_quoted(message)}")

    def _unasked(self, seat: int, guest: Guest, event: int, text: str) -> None:
        """Note what answers no open question, unless it is owed; this may come a thousand times a second."""
        fault, _ = judge(guest.record, self.rules, event, NONE, 0.0)
        if fault != NONE:
            is_told = self._calls[seat, STATUS] >= OPEN and not guest.has_had(FAULTS[fault])
            guest.note(FAULTS[fault], text, self._exchange.spent(seat) if is_told else Cost())

    def _answered(self, seat: int, guest: Guest, meaning: Answer | Ready | Fault, message: bytes) -> None:
        """It has said what ends the question."""
        if self._answers is None and isinstance(meaning, Ready):
            guest.start_seconds = self._close(seat, guest).charged
            return
        if self._answers is None:
            text = meaning.text if isinstance(meaning, Fault) else "an answer"
            said = f"{text}: {_quoted(message)}"
            self._end(seat, "garbage", f"its first message was not the one that says it is ready: {said}")
            return
        if isinstance(meaning, Ready):
            meaning = Fault("garbage", "a message that it is ready, instead of an answer")
        spent = self._close(seat, guest)
        own = FAULT[meaning.kind] if isinstance(meaning, Fault) else NONE
        fault, gone = judge(guest.record, self.rules, ANSWER, own, spent.charged)
        if fault == LATE:
            self._is_late(guest, spent, answered=True, gone=gone)
        elif isinstance(meaning, Fault):
            guest.note(meaning.kind, meaning.text, spent)
        else:
            self.given[seat] = meaning
            for kind, text in faults_of(meaning):
                guest.note(kind, text, spent)
            meaning.write(self._answers, seat, guest.span)
            return
        self._write_fault(seat, fault)

    # -- silence

    def _wait_on(self, waiting: Array) -> int:
        """Look at those that still think: whose time is used up is late; returns when somebody is to be looked at."""
        if time.perf_counter() - self._watched > EVERY:
            self.watch()
        soonest, used_up, kept = EVERY, [], []
        for seat in waiting[self._calls[waiting, STATUS] == OPEN].tolist():
            guest = self._guest(seat)
            spent = self._exchange.spent(seat)
            allowed = time_control.allowance(guest.record, self.rules)
            if spent.charged >= allowed:
                used_up.append(seat)
            else:
                if spent.charged >= self.rules[BUDGET]:
                    guest.program.ask_where()  # it takes from its bank: slow, if it comes at all
                if spent.run_delay > KEPT:
                    kept.append((seat, spent, allowed))
                soonest = min(soonest, max(allowed - spent.charged, STEP))
        if kept:
            self._see_load(kept)
        if used_up:  # once more: nobody is late whose answer lies there
            self._gather(waiting, 0)
            self._take_all(waiting)
        for seat in used_up:
            if self._calls[seat, STATUS] == OPEN:
                self._silent(seat)
        return now() + int(soonest * NANO)

    def _silent(self, seat: int) -> None:
        """Its time is used up."""
        guest = self._guest(seat)
        if not guest.program.is_running():  # others hold its output open
            self._dies(seat)
        elif self._answers is None:
            self._end(seat, "late", f"not ready within {self._control.start:g} s")
        else:
            spent = self._close(seat, guest)
            fault, gone = judge(guest.record, self.rules, SILENCE, NONE, spent.charged)
            self._is_late(guest, spent, answered=False, gone=gone)
            self._write_fault(seat, fault)

    def _is_late(self, guest: Guest, spent: Cost, *, answered: bool, gone: bool) -> None:
        """See what it does; it is told when nobody's clock runs, for it may take long to say where it is: `bury`."""
        seen = ""
        if not guest.has_had("late"):
            guest.program.ask_where()
            seen = guest.program.doing()
        first, last = guest.span
        words = time_control.late_in_words(self.rules, self._control.bank, last - first, answered=answered)
        end = time_control.end_in_words(guest.record, self.rules) if gone else ""
        self._late.append(lambda: guest.late(words, end, seen, spent, answered=answered))

    def _see_load(self, kept: list[tuple[int, Cost, float]]) -> None:
        """Raise Overloaded when others have kept a bot from its core for too long: others than its rivals."""
        used = self._all_use()
        for seat, spent, allowed in kept:
            queue, before = self._kept.setdefault(seat, (spent.run_delay, used))
            more = np.maximum(used - before, 0.0)
            rivals = float(more.sum() - more[seat])
            if spent.run_delay - queue - rivals >= max(10 * allowed, PATIENCE):
                text = f"waited {spent.run_delay:.1f} of {spent.wall:.1f} s for other processes of this machine"
                raise Overloaded(text, seat, self._turn)
            if self._on_wait is not None:
                self._on_wait(seat, spent.run_delay)

    def _all_use(self) -> Array:
        """Return the CPU seconds that all processes of each bot have used until now, by seat.

        Only differences within a question mean something: it counts from the first time that it is called in one.
        """
        for seat, clock in self._exchange.clocks.items():
            cpu = clock.cpu(relist=True)
            self._used[seat] += cpu_between(self._cpu.get(seat, cpu), cpu) / NANO
            self._cpu[seat] = cpu
        return self._used.copy()

    def watch(self) -> None:
        """Look at what bots use of the machine, also those that are not asked now."""
        moment = time.perf_counter()
        if moment - self._watched_all > RESTING:
            self._worked[:] = -int(EFFORT * NANO)
            self._watched_all = moment
        for seat in self._exchange.worked(self.seats, self._worked, EFFORT):
            guest = self._guests[seat]
            if not guest.gone and (text := guest.program.excess()):
                self._end(seat, "memory", text)
        self._watched = moment

    # -- ends

    def _close(self, seat: int, guest: Guest) -> Cost:
        """The question is over for it; returns what it has cost."""
        call = self._calls[seat]
        if call[STATUS] < OPEN:
            call[STATUS] = CLOSED
            return Cost()
        spent = self._exchange.spent(seat)
        self._exchange.settle(seat)
        self._take_room(seat, guest)
        if guest.keep_unsent():
            self.behind.add(seat)
        if self._answers is not None:
            self.log[self.logged[0]] = seat, self._turn, *spent
            self.logged += 1
        return spent

    def _end(self, seat: int, kind: str, text: str) -> None:
        """It is ended for this reason."""
        guest = self._guest(seat)
        was_asked = self._calls[seat, STATUS] != CLOSED
        spent = self._close(seat, guest)
        fault = guest.ended_by(kind, text, guest.program.exit_code(), spent, self.rules)
        if was_asked:
            self._write_fault(seat, fault)

    def _dies(self, seat: int, why: Ended | None = None) -> None:
        """Nothing will come from it any more; why that is so is seen when nobody's clock runs: `bury`."""
        guest = self._guest(seat)
        guest.record[time_control.GONE] = 1
        spent = self._close(seat, guest)
        self._dying.append(lambda until: self._bury(seat, guest, spent, until, why))

    def bury(self) -> None:
        """Tell of those that were late, and see how those have ended that died in this question."""
        while self._late:
            self._late.pop(0)()
        until = time.perf_counter() + LAST_MOMENTS if self._dying else 0.0
        while self._dying:
            self._dying.pop(0)(until)

    def _bury(self, seat: int, guest: Guest, spent: Cost, until: float, why: Ended | None) -> None:
        """See how it has ended: who goes on has closed its output only.

        What a bot's own runner has said of its end goes before what is seen of it.
        """
        while (code := guest.program.exit_code()) is None and time.perf_counter() < until:
            guest.program.read_stderr()
            time.sleep(0.002)
        kind, text = why or (("closed", "closed its output") if code is None else ("crash", UNTOLD))
        self._write_fault(seat, guest.ended_by(kind, text, code, spent, self.rules))

    def _write_fault(self, seat: int, fault: int) -> None:
        """All rows of a bot have this fault; their answers are the defaults."""
        if self._answers is not None:
            self._answers.fault[slice(*self._guests[seat].span)] = fault


def _quoted(message: bytes) -> str:
    """The beginning of what was said, as one can show it."""
    return repr(message[:200])[2:-1]
