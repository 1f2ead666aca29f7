"""One question to many bots and their answers, in compiled code: the kernels of `koth.bots.exchange`.

A call is one bot's part in it. The calls of a question lie one after the other in an array of `CALL`; beside them
lie their states, what they have cost, and a room each for what the bot says.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from koth.bots.clock import SLIGHT, behind_others
from koth.bots.wires import HEADER
from koth.game import Array
from koth.kernel import INT, LONG, foreign, kernel

OPEN, HEARD, DONE, LEFT = 0, 1, 2, 3
"""States of a call: the bot thinks; it has answered, and that must be looked at; its answer is taken; something out
of the ordinary has happened."""

PLACE, NUMBER, KIND, USED, FIRST, LAST = 0, 1, 2, 3, 4, 5
"""Columns of a plan, which has a row for each call: the bot's row in the table of all bots; number, kind and what is
used up, for the header of its frame (kind 0: its messages are no frames); its rows of the question, from the first
up to the last."""

ADDRESS, SIZE, FORM = 0, 1, 2
"""Columns of a table of fields: where the values of the first row lie, a row's bytes, and what is to be checked."""
AS_IT_IS, TRUTH, FLOAT, DOUBLE = 0, 1, 2, 3
"""Forms: truth values are anything but 0, numbers with a point must be finite."""

NANO = 1_000_000_000
SPIN = 80_000
"""Nanoseconds in which it is looked for answers again and again before this thread goes to sleep.

It costs more than that to wake it, and the core it slept on. For others who want the core it makes room.
"""
SOON = 1_000_000
"""Nanoseconds after which somebody has to read what a bot has said on stderr: it may wait for that."""
IN = 1
"""POLLIN."""
HEADER_SIZE = HEADER.size
MONOTONIC = getattr(time, "CLOCK_MONOTONIC", 0)


class Call(NamedTuple):
    """A bot and its question, as the kernels have it: 64-bit numbers. Times are nanoseconds."""

    stdin: int
    stdout: int
    stderr: int
    framed: int
    """1 if its messages are frames, 0 if they are lines."""
    clock: int
    """The number of its CPU clock, and the file of its thread's times: `Clock.handles`."""
    queue: int
    number: int = 0
    """As in the plan."""
    kind: int = 0
    first: int = 0
    last: int = 0
    address: int = 0
    """Where the question lies, and its bytes."""
    size: int = 0
    sent: int = 0
    """Bytes that are written, and that have come."""
    got: int = 0
    said: int = 0
    """1 if something has come to stderr."""
    begun: int = 0
    """When it was asked (0: it was not), and what its clock and its thread told then."""
    first_cpu: int = 0
    first_run: int = 0
    first_wait: int = 0
    wall: int = 0
    """From the question to the answer, and what they told then."""
    cpu: int = 0
    run: int = 0
    wait: int = 0
    unheard: int = 0
    """How long, at most, its answer lay there while this thread waited for a core."""


CALL = np.dtype([(name, np.int64) for name in Call._fields])

_write = foreign("write", LONG, INT, LONG, LONG)
_read = foreign("read", LONG, INT, LONG, LONG)
_pread = foreign("pread", LONG, INT, LONG, LONG, LONG)
_poll = foreign("poll", INT, LONG, LONG, INT)
_yield = foreign("sched_yield", INT)
_clock_gettime = foreign("clock_gettime", INT, INT, LONG)
_copy = foreign("memcpy", LONG, LONG, LONG, LONG)


# -- numbers, clocks and files


@kernel
def write_number(data: Array, at: int, size: int, number: int) -> None:
    """Write an integer of so many bytes, the lowest first."""
    for i in range(size):
        data[at + i] = (number >> (8 * i)) & 0xFF


@kernel
def read_number(data: Array, at: int, size: int) -> int:
    """Read an integer of so many bytes, the lowest first."""
    number = 0
    for i in range(size):
        number |= int(data[at + i]) << (8 * i)
    return number


@kernel
def clock_time(clock: int, scratch: Array) -> int:
    """Nanoseconds of a clock; -1 if there is none any more."""
    if _clock_gettime(clock, scratch.ctypes.data) != 0:
        return -1
    return int(scratch[0]) * NANO + int(scratch[1])


@kernel
def queue_time(queue: int, scratch: Array) -> tuple[int, int]:
    """A thread's `schedstat`: nanoseconds on a core, and waiting for one; -1 if it can't be told any more."""
    text = scratch.view(np.uint8)
    size = _pread(queue, scratch.ctypes.data, text.size, 0)
    run = 0
    wait = 0
    words = 0
    for i in range(size):
        if text[i] == ord(" "):
            words += 1
        elif words == 0:
            run = run * 10 + int(text[i]) - ord("0")
        elif words == 1:
            wait = wait * 10 + int(text[i]) - ord("0")
        else:
            return run, wait
    return -1, -1


@kernel
def watch_for(polls: Array, place: int, fd: int) -> None:
    """Have `poll` wait for input here (-1: for nothing). A place has a file number, and what is waited for."""
    polls[place, 0] = fd
    polls[place, 1] = IN


@kernel
def happened(polls: Array, place: int) -> bool:
    """Whether `poll` has found anything here: it tells in the upper half of what is waited for."""
    return bool((polls[place, 1] >> 16) != 0)


# -- asking


@kernel
def open_calls(bots: Array, plan: Array, calls: Array) -> None:
    """Make a call for each row of the plan, of what is known of its bot."""
    for i in range(plan.shape[0]):
        calls[i] = bots[plan[i, PLACE]]
        call = calls[i]
        call.number = plan[i, NUMBER]
        call.kind = plan[i, KIND]
        call.first = plan[i, FIRST]
        call.last = plan[i, LAST]


@kernel
def write_frames(plan: Array, calls: Array, fields: Array, data: Array) -> None:
    """Write a frame for each row of the plan, one after the other: its header, then its rows of every field."""
    row = 0
    for k in range(fields.shape[0]):
        row += fields[k, SIZE]
    at = 0
    for i in range(plan.shape[0]):
        call = calls[i]
        rows = call.last - call.first
        call.address = data.ctypes.data + at
        call.size = HEADER_SIZE + rows * row
        write_number(data, at, 4, rows * row)
        write_number(data, at + 4, 4, call.number)
        write_number(data, at + 8, 2, call.kind)
        write_number(data, at + 10, 2, plan[i, USED])
        write_number(data, at + 12, 4, rows)
        at += HEADER_SIZE
        for k in range(fields.shape[0]):
            size = fields[k, SIZE]
            _copy(data.ctypes.data + at, fields[k, ADDRESS] + call.first * size, rows * size)
            at += rows * size


@kernel
def put(calls: Array, states: Array, polls: Array, count: int, scratch: Array) -> None:
    """Put their questions to the bots of the first `count` calls, their clocks read just before.

    Who has said something already, or whose clocks can't be read, is LEFT without one.
    """
    for i in range(count):
        watch_for(polls, i, calls[i].stdout)
    _poll(polls.ctypes.data, count, 0)
    for i in range(count):
        call = calls[i]
        states[i] = LEFT
        if happened(polls, i):
            continue
        call.first_cpu = clock_time(call.clock, scratch)
        call.first_run, call.first_wait = queue_time(call.queue, scratch)
        if call.first_cpu < 0 or call.first_run < 0:
            continue
        call.begun = clock_time(MONOTONIC, scratch)
        call.sent = max(0, _write(call.stdin, call.address, call.size))
        if call.sent == call.size:
            states[i] = OPEN


# -- hearing


@kernel
def is_whole(framed: int, room: Array, got: int) -> bool:
    """Whether the first `got` bytes of a room hold a message."""
    if framed:
        return got >= HEADER_SIZE and got >= HEADER_SIZE + read_number(room, 0, 4)
    at = 0
    while at < got and room[at] != ord("\n"):
        at += 1
    return at < got


@kernel
def hear(call: Any, room: Array, scratch: Array) -> int:
    """Read what has come from one bot; with a whole message, its clocks stop. Returns the state of the call."""
    got = _read(call.stdout, room.ctypes.data + call.got, room.size - call.got)
    if got <= 0:
        return LEFT
    call.got += got
    if not is_whole(call.framed, room, call.got):
        return LEFT if call.got == room.size else OPEN
    call.wall = clock_time(MONOTONIC, scratch) - call.begun
    call.cpu = clock_time(call.clock, scratch)
    call.run, call.wait = queue_time(call.queue, scratch)
    return HEARD if call.cpu >= 0 and call.run >= 0 else LEFT


@kernel
def add_up(call: Any, spent: Array, budget: float) -> bool:
    """What an answer has cost, as in `Spent`; returns whether that is slight, and within the budget."""
    wall = call.wall / NANO
    cpu = max(0, call.cpu - call.first_cpu) / NANO
    waited = behind_others((call.wait - call.first_wait) / NANO, (call.run - call.first_run) / NANO, cpu)
    queue = min(max(0.0, waited) + call.unheard / NANO, wall)
    spent[0] = wall
    spent[1] = cpu
    spent[2] = queue
    return bool(cpu < SLIGHT and max(cpu, wall - queue) <= budget)


@kernel
def is_good(room: Array, at: int, size: int, form: int) -> bool:
    """Whether these bytes of a field can be taken; truth values are made 0 and 1."""
    if form == TRUTH:
        for i in range(at, at + size):
            room[i] = room[i] != 0
    elif form == FLOAT:
        for i in range(at, at + size, 4):
            if room[i + 3] & 0x7F == 0x7F and room[i + 2] & 0x80:
                return False
    elif form == DOUBLE:
        for i in range(at, at + size, 8):
            if room[i + 7] & 0x7F == 0x7F and room[i + 6] & 0xF0 == 0xF0:
                return False
    return True


@kernel
def take_answer(call: Any, room: Array, answers: Array) -> bool:
    """Take a frame that answers all that was asked, without a fault or another word; False if it is no such.

    `answers` are the answer's fields, and last the faults.
    """
    rows = call.last - call.first
    size = 0
    for k in range(answers.shape[0]):
        size += rows * answers[k, SIZE]
    if call.kind == 0 or call.got != HEADER_SIZE + size or read_number(room, 0, 4) != size:
        return False
    if read_number(room, 4, 4) != call.number or read_number(room, 8, 2) != call.kind:
        return False
    if read_number(room, 12, 4) != rows:
        return False
    for i in range(call.got - rows, call.got):
        if room[i]:
            return False
    at = HEADER_SIZE
    for k in range(answers.shape[0]):
        if not is_good(room, at, rows * answers[k, SIZE], answers[k, FORM]):
            return False
        at += rows * answers[k, SIZE]
    at = HEADER_SIZE
    for k in range(answers.shape[0]):
        size = answers[k, SIZE]
        _copy(answers[k, ADDRESS] + call.first * size, room.ctypes.data + at, rows * size)
        at += rows * size
    return True


@kernel
def wait_for(polls: Array, count: int, until: int, spin: bool, scratch: Array) -> bool:
    """Wait until something has happened at one of the first `count` places of `polls`; False if it is too late."""
    now = clock_time(MONOTONIC, scratch)
    if spin:
        end = now + SPIN
        while now < end:
            if _poll(polls.ctypes.data, count, 0) != 0:
                return True
            _yield()
            now = clock_time(MONOTONIC, scratch)
    return bool(_poll(polls.ctypes.data, count, max(0, until - now + 999_999) // 1_000_000) > 0)


@kernel
def gather(
    calls: Array, states: Array, spent: Array, rooms: Array, heard: Array, polls: Array, count: int,
    answers: Array, budget: float, until: int, cores: int, own: int, scratch: Array,
) -> int:  # fmt: skip
    """Take the answers to the first `count` calls as they come, until all are DONE or some have to be looked at.

    Those are listed in `heard`, for what they say or for what it has cost (more than the `budget`, or SLIGHT);
    returns how many they are. It ends as well when it has become too late (`until`), or when something out of the
    ordinary has happened. `own` is the file of this thread's times.
    """
    left = 0
    for i in range(count):
        if states[i] == LEFT:
            return 0
        is_open = states[i] == OPEN
        left += is_open
        if is_open and calls[i].said:
            until = min(until, clock_time(MONOTONIC, scratch) + SOON)
        watch_for(polls, 2 * i, calls[i].stdout if is_open else -1)
        # after its output: what it says there before its answer is found together with the answer
        watch_for(polls, 2 * i + 1, calls[i].stderr if is_open and not calls[i].said else -1)
    found = 0
    odd = False
    queued = queue_time(own, scratch)[1]
    while left and not odd:
        if not wait_for(polls, 2 * count, until if found == 0 else 0, found == 0 and left <= cores, scratch):
            break
        now = queue_time(own, scratch)[1]
        for i in range(count):
            call = calls[i]
            if happened(polls, 2 * i + 1):
                call.said = 1
                watch_for(polls, 2 * i + 1, -1)
                until = min(until, clock_time(MONOTONIC, scratch) + SOON)
            if not happened(polls, 2 * i):
                continue
            call.unheard = now - queued
            states[i] = hear(call, rooms[i], scratch)
            if states[i] == HEARD:
                if add_up(call, spent[i], budget) and take_answer(call, rooms[i], answers):
                    states[i] = DONE
                else:
                    heard[found] = i
                    found += 1
            if states[i] != OPEN:
                watch_for(polls, 2 * i, -1)
                watch_for(polls, 2 * i + 1, -1)
                left -= 1
                odd |= states[i] == LEFT
        queued = now
    return found
