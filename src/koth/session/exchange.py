"""The one door to the bots of a match: questions are put to many at once, and it is told what each said and spent.

It knows descriptors, bytes and clocks, and decides nothing about a bot. A call is what is known of one bot's
question: a row of 64-bit numbers, times in nanoseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from koth.game import Array
from koth.kernel import INT, LONG, foreign, kernel
from koth.session.cpu_time import (
    MONOTONIC,
    NANO,
    SLIGHT,
    THREAD,
    ChargedClock,
    Cost,
    Mark,
    RunDelay,
    behind_others,
    charged,
    clock_time,
    elapsed,
    now,
    thread_times,
)

(
    STDIN, STDOUT, STDERR,  # koth's ends of its pipes
    FRAMED,  # 1 if its messages are frames, 0 if they are lines
    KIN,  # 1 if it may start other programs, of which its clock and its thread tell nothing
    CLOCK, QUEUE,  # the number of its CPU clock, and the file of the times of the one thread that works; -1: unknown
    APART,  # 1 if something of it lies with its guest: whatever comes is looked at there
    NUMBER, KIND, USED,  # of its last question, for the header of its frame; kind 0: it is answered
    FIRST, LAST,  # its rows of the question, from the first up to the last
    ADDRESS, SIZE, SENT,  # where lies what it is sent, its bytes, and how many of them are written
    AHEAD,  # how many of them lie before its question: it has not read the last one
    GOT,  # bytes that have come
    SAID,  # 1 if something has come to stderr
    STATUS,
    BEGUN, FIRST_CPU, FIRST_RUN, FIRST_WAIT,  # when it was asked, and what its clock and its thread told then
    HEARD, CPU, RUN, WAIT,  # when its answer was there, and what they told then
    UNHEARD,  # for how long it lay there before this thread came to look
) = range(29)  # fmt: skip
COLUMNS = 29

CLOSED, ASKED, OPEN, ANSWERED, ENDED, FLOODED = range(6)
"""Of a call: nothing is waited for; the bot is to be asked; it has been asked, and is silent; it has said a message;
its output has ended; its room is full."""

MOMENT = 5_000
"""Nanoseconds: a thread that has slept for less has slept for nobody."""
NOTHING, WOKEN, RAN, QUEUED = range(4)
"""When nothing had come for the last time, as far as this thread has looked; when it last found something, its clock
then, and for how long it has waited for a core."""
SOON = 1_000_000
"""Nanoseconds after which somebody has to read what a bot has said on stderr: it may wait for that."""
IN, OUT = 1, 4
"""POLLIN, POLLOUT."""
HEADER_SIZE = 16
NEWLINE = ord("\n")
PIPES = 3
ROOM = 1 << 16
"""Bytes of what a bot says that are taken at once."""


class Desk(NamedTuple):
    """What the door works on: the calls and what each bot has said by seat, and notes of its own."""

    calls: Array
    rooms: Array
    said: Array
    """Seats that were listed last."""
    polls: Array
    seen: Array
    """Of this thread, in nanoseconds: see `NOTHING`."""
    scratch: Array


_write = foreign("write", LONG, INT, LONG, LONG)
_read = foreign("read", LONG, INT, LONG, LONG)
_poll = foreign("poll", INT, LONG, LONG, INT)


# -- messages and pipes


@kernel
def read_number(data: Array, at: int, size: int) -> int:
    """Read an integer of so many bytes, the lowest first."""
    number = 0
    for i in range(size):
        number |= int(data[at + i]) << (8 * i)
    return number


@kernel
def frame_size(data: Array, got: int) -> int:
    """The bytes of the first frame in the first `got` bytes, its header included; 0: it is not whole."""
    size = HEADER_SIZE + read_number(data, 0, 4) if got >= HEADER_SIZE else got + 1
    return size if size <= got else 0


@kernel
def has_end(data: Array) -> bool:
    """Whether a line ends among these bytes."""
    for byte in data:  # noqa: SIM110 - compiled as it stands
        if byte == NEWLINE:
            return True
    return False


@kernel
def watch_for(polls: Array, place: int, fd: int, what: int) -> None:
    """Have `poll` wait for this here (a file of -1: for nothing). A place has a file, and what is waited for."""
    polls[place, 0] = fd
    polls[place, 1] = what


@kernel
def happened(polls: Array, place: int) -> bool:
    """Whether `poll` has found anything here: it tells in the upper half of what is waited for."""
    return bool((polls[place, 1] >> 16) != 0)


# -- who has done something


@kernel
def worked(there: Desk, seats: Array, before: Array, enough: int) -> int:
    """List which of these bots have worked for so long since `before` (by seat), or can't be told by their calls.

    `before` is then what their clocks tell now. Returns how many they are.
    """
    found = 0
    for seat in seats:
        call = there.calls[seat]
        told = call[QUEUE] >= 0 and not call[KIN]
        cpu = clock_time(call[CLOCK], there.scratch) if told else -1
        if cpu < 0 or cpu - before[seat] >= enough:
            before[seat] = cpu
            there.said[found] = seat
            found += 1
    return found


@kernel
def spoke(there: Desk, seats: Array, pipe: int) -> int:
    """List which of these bots have something in this pipe, or have closed it; returns how many they are."""
    calls, polls = there.calls, there.polls
    for i in range(seats.size):
        watch_for(polls, i, calls[seats[i], pipe], IN)
    found = 0
    _poll(polls.ctypes.data, seats.size, 0)
    for i in range(seats.size):
        if happened(polls, i) or (pipe == STDOUT and calls[seats[i], APART]):
            there.said[found] = seats[i]
            found += 1
    return found


# -- asking


@kernel
def put(there: Desk, seats: Array) -> None:
    """Put their questions to these bots, their clocks read just before.

    What they told at the last answer can't stand in: who has waited for a core since would have this one free.
    """
    scratch = there.scratch
    for seat in seats:
        call = there.calls[seat]
        if call[QUEUE] >= 0:
            call[FIRST_CPU] = clock_time(call[CLOCK], scratch)
            call[FIRST_RUN], call[FIRST_WAIT] = thread_times(call[QUEUE], scratch)
        call[GOT] = 0
        call[SAID] = 0
        call[STATUS] = OPEN
        call[BEGUN] = clock_time(MONOTONIC, scratch)
        call[SENT] = max(0, _write(call[STDIN], call[ADDRESS], call[SIZE]))


# -- hearing


@kernel
def hear(call: Array, room: Array, heard: int, scratch: Array) -> None:
    """Read what has come from one bot, at the moment `heard`; its status says what that was."""
    got = _read(call[STDOUT], room.ctypes.data + call[GOT], room.size - call[GOT])
    if got < 0:
        return
    call[GOT] += got
    if got == 0:
        call[STATUS] = ENDED
    elif call[APART] or (frame_size(room, call[GOT]) if call[FRAMED] else has_end(room[call[GOT] - got : call[GOT]])):
        call[STATUS] = ANSWERED
    elif call[GOT] == room.size:
        call[STATUS] = FLOODED
    else:
        return
    call[HEARD] = max(heard, call[BEGUN])
    call[UNHEARD] = clock_time(MONOTONIC, scratch) - call[HEARD]
    if call[QUEUE] >= 0:
        call[CPU] = clock_time(call[CLOCK], scratch)
        call[RUN], call[WAIT] = thread_times(call[QUEUE], scratch)


@kernel
def write_on(call: Array) -> None:
    """Go on with a question that the pipe did not take at once."""
    wrote = _write(call[STDIN], call[ADDRESS] + call[SENT], call[SIZE] - call[SENT])
    call[SENT] = call[SENT] + wrote if wrote >= 0 else call[SIZE]  # nobody will read it: its output tells the rest


@kernel
def wait_for(there: Desk, count: int, until: int, own: int) -> int:
    """Wait until something has happened; returns since when it may have been there, or -1: nothing has.

    What lay there already when this thread came to look may have come at any moment since nothing was there for the
    last time. `own` is the file of this thread's times: while it waits for a core it hears nobody.
    """
    polls, seen, scratch = there.polls, there.seen, there.scratch
    ran, now = clock_time(THREAD, scratch), clock_time(MONOTONIC, scratch)
    if now - seen[WOKEN] - (ran - seen[RAN]) >= MOMENT:  # it has not worked all the time since then
        seen[QUEUED] = thread_times(own, scratch)[1]
    found = _poll(polls.ctypes.data, count, max(0, (until - now + 999_999) // 1_000_000))
    if found <= 0:
        seen[NOTHING] = now
        return -1
    after = heard = clock_time(MONOTONIC, scratch)
    seen[RAN], seen[WOKEN] = clock_time(THREAD, scratch), after
    if heard - now - (seen[RAN] - ran) >= MOMENT:
        queued = seen[QUEUED]
        seen[QUEUED] = thread_times(own, scratch)[1]
        heard -= max(0, seen[QUEUED] - queued)
    if heard - now - (seen[RAN] - ran) < MOMENT:  # it has slept for nobody
        return int(seen[NOTHING])
    seen[NOTHING] = after
    return int(max(now, heard))


@kernel
def look(there: Desk, seats: Array, until: int, own: int) -> int:
    """Wait until somebody of these has been heard, at most until then; returns how many are not OPEN any more.

    It returns earlier when a bot waits for its stderr to be read.
    """
    calls, polls, scratch = there.calls, there.polls, there.scratch
    count = PIPES * seats.size
    left = 0
    for i in range(seats.size):
        call = calls[seats[i]]
        is_open = call[STATUS] == OPEN
        left += is_open
        if is_open and call[SAID]:
            until = min(until, clock_time(MONOTONIC, scratch) + SOON)
        watch_for(polls, PIPES * i, call[STDOUT] if is_open else -1, IN)
        # after its output: what it says there before its answer is found together with the answer
        watch_for(polls, PIPES * i + 1, call[STDERR] if is_open and not call[SAID] else -1, IN)
        watch_for(polls, PIPES * i + 2, call[STDIN] if is_open and call[SENT] < call[SIZE] else -1, OUT)
    heard = wait_for(there, count, until, own) if left else -1
    if heard < 0:
        return 0
    found = 0
    for i in range(seats.size):
        call = calls[seats[i]]
        if happened(polls, PIPES * i + 1):
            call[SAID] = 1
        if happened(polls, PIPES * i + 2):
            write_on(call)
        if happened(polls, PIPES * i):
            hear(call, there.rooms[seats[i]], heard, scratch)
            found += call[STATUS] != OPEN
    return found


# -- what it cost


@kernel
def add_up(call: Array) -> tuple[float, float, float]:
    """What an answer has cost: the three numbers of a `Cost`."""
    wall = (call[HEARD] + call[UNHEARD] - call[BEGUN]) / NANO
    cpu = max(0, call[CPU] - call[FIRST_CPU]) / NANO
    waited = behind_others((call[WAIT] - call[FIRST_WAIT]) / NANO, (call[RUN] - call[FIRST_RUN]) / NANO, cpu)
    return wall, cpu, min(waited + call[UNHEARD] / NANO, wall)


@kernel
def may_be_more(call: Array, cost: float) -> bool:
    """Whether other processes may have worked on an answer of this cost, or it can't be told by its call at all."""
    return bool(call[CPU] < 0 or call[RUN] < 0 or (call[KIN] and cost > SLIGHT))


@kernel
def is_another(call: Array) -> bool:
    """Whether most of the work was not done by the thread that is looked at."""
    cpu = (call[CPU] - call[FIRST_CPU]) / NANO
    return bool(cpu >= SLIGHT and (call[RUN] - call[FIRST_RUN]) / NANO < cpu / 2)


# -- the door


class Exchange:
    """The calls of the bots of one match, by seat, and their clocks."""

    def __init__(self, seats: int, room: int = ROOM) -> None:
        self.calls = np.zeros((seats, COLUMNS), np.int64)
        self.calls[:, [STDIN, STDOUT, STDERR, CLOCK, QUEUE]] = -1
        self.rooms = np.empty((seats, min(room, ROOM)), np.uint8)
        self.clocks: dict[int, ChargedClock] = {}
        notes = np.zeros(seats, np.int64), np.zeros((PIPES * seats, 2), np.int32), np.zeros(4, np.int64)
        self.desk = Desk(self.calls, self.rooms, *notes, np.zeros(16, np.int64))
        self.own = RunDelay("/proc/thread-self/schedstat")
        """How long this thread waits for a core itself: answers lie there unheard meanwhile."""
        self._begun: dict[int, Mark] = {}
        """The mark at which each bot was asked whose clock tells the cost; for the others their calls do."""
        self._ended: dict[int, Mark] = {}
        """The last mark since then."""
        self.families: set[int] = set()
        """Those that may have started other programs since they were asked last."""

    def close(self) -> None:
        self.own.close()

    def add(self, seat: int, pipes: tuple[int, int, int], clock: ChargedClock, *, framed: bool) -> None:
        """A bot has been started."""
        self.calls[seat, [STDIN, STDOUT, STDERR]] = pipes
        self.calls[seat, FRAMED] = framed
        self.clocks[seat] = clock
        if clock.has_family:
            self.calls[seat, KIN] = 1
            self.families.add(seat)

    def spoke(self, seats: Array, pipe: int) -> list[int]:
        """Those of these seats, not waited for now, that have something in this pipe, or have closed it."""
        found = spoke(self.desk, seats, pipe)
        said: list[int] = self.desk.said[:found].tolist()
        return said

    def worked(self, seats: Array, before: Array, enough: float) -> list[int]:
        """Those of these seats whose bots have worked so many seconds since `before`, or can't be told quickly."""
        found = worked(self.desk, seats, before, int(enough * NANO))
        busy: list[int] = self.desk.said[:found].tolist()
        return busy

    def begin(self) -> None:
        """A question begins, to which no clock has been started."""
        self._begun.clear()
        self._ended.clear()

    def put(self, seats: Array, *, new: bool = False, debts: Mapping[int, float] | None = None) -> None:
        """Put their questions to them; `new` programs have been started with it.

        `debts` are CPU seconds by seat that bots have used before, and that are charged to this question.
        """
        for seat in self.families.intersection(seats.tolist()) if self.families else ():
            self.calls[seat, [CLOCK, QUEUE]] = self.clocks[seat].handles()
        debts = debts or {}
        self.calls[list(debts), QUEUE] = -1  # its clock tells what it costs
        if not new:
            for seat in seats[self.calls[seats, QUEUE] < 0].tolist():
                self._begun[seat] = self.clocks[seat].mark()
        put(self.desk, seats)
        for seat, mark in self._begun.items():
            debt = int(NANO * debts.get(seat, 0.0))
            self._begun[seat] = mark._replace(at=int(self.calls[seat, BEGUN]), debt=debt)
        if new:
            self._begun.update((seat, self.clocks[seat].birth) for seat in seats.tolist())

    def spent(self, seat: int) -> Cost:
        """What its question has cost so far, or until it said what it said; what koth does itself costs nothing."""
        call, clock = self.calls[seat], self.clocks[seat]
        is_open = call[STATUS] == OPEN
        if seat not in self._begun and (is_open or may_be_more(call, charged(*add_up(call)))):
            self._begun[seat] = clock.mark_of(*call[[BEGUN, FIRST_CPU, FIRST_RUN, FIRST_WAIT]].tolist())
        begun = self._begun.get(seat)
        if begun is None:
            return Cost(*add_up(call))
        self._ended[seat] = ended = clock.mark(relist=now() - begun.at > SLIGHT * NANO)
        if not clock.watches_one:  # that thread has ended, and its file is closed
            call[QUEUE] = -1
        return elapsed(begun, ended, int(self.desk.seen[NOTHING] if is_open else call[HEARD]))

    def go_on(self, seat: int, *, waited: bool) -> None:
        """What it said was no answer: its clock runs on, without the time since then if it `waited` for koth."""
        call = self.calls[seat]
        call[STATUS] = OPEN
        if waited:
            passed = now() - int(call[HEARD])
            if seat in self._begun:
                self._begun[seat] = self._begun[seat]._replace(at=self._begun[seat].at + passed)
            call[BEGUN] += passed

    def settle(self, seat: int) -> None:
        """Its question is over: see how its clock is read best the next time."""
        call = self.calls[seat]
        call[STATUS] = CLOSED
        clock = self.clocks[seat]
        if seat in self._begun:
            if seat in self._ended:
                clock.follow(self._begun[seat], self._ended[seat])
            call[CLOCK], call[QUEUE] = clock.handles()
        elif is_another(call):
            clock.watch_all()
            call[[CLOCK, QUEUE]] = -1
