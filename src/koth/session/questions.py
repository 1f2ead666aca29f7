"""The usual way of a question, compiled: who is asked, and plain answers heard, judged and written. It knows no game.

Whatever is not plain is left as it was found, for `koth.session.panel`: what is said in lines, a first fault, a
note, an answer in pieces, one that took longer than its budget.
"""

from __future__ import annotations

from typing import NamedTuple

from koth.game import Array
from koth.kernel import kernel
from koth.session.cpu_time import MONOTONIC, NANO, STILL, charged, clock_time
from koth.session.exchange import (
    ANSWERED,
    APART,
    ASKED,
    CLOSED,
    FIRST,
    FRAMED,
    GOT,
    KIND,
    LAST,
    OPEN,
    QUEUE,
    SAID,
    SENT,
    SIZE,
    STATUS,
    STDIN,
    STDOUT,
    USED,
    Desk,
    add_up,
    frame_size,
    is_another,
    look,
    may_be_more,
    put,
    spoke,
)  # fmt: skip
from koth.session.frames import TAKEN, answer_size, check_frame, take_frame, used_word, write_frames
from koth.session.time_control import ANSWER, BANK, BUDGET, GONE, NONE, NOTED, STRIKES, judge, note


class Sheet(NamedTuple):
    """What stays as it is from one time that a question is put to the next: see `ask` and `settle`."""

    there: Desk
    seats: Array
    """Of those that are asked, int64[seats]."""
    records: Array
    rules: Array
    asked: Array
    """How the question is written: a table of its fields."""
    answered: Array
    """Where its answers belong: a table of theirs."""
    data: Array
    """Room for what is written."""


@kernel
def open_calls(calls: Array, records: Array, bank: float, seat_of: Array, seats: Array) -> int:
    """List the seats of a question's rows whose bots are there, and note their rows; returns how many they are."""
    found = 0
    first = 0
    while first < seat_of.size:
        seat = seat_of[first]
        last = first + 1
        while last < seat_of.size and seat_of[last] == seat:
            last += 1
        if seat < calls.shape[0] and calls[seat, STDIN] >= 0 and not records[seat, GONE]:
            call = calls[seat]
            call[STATUS] = ASKED
            call[FIRST], call[LAST] = first, last
            call[USED] = used_word(bank - records[seat, BANK], records[seat, STRIKES])
            seats[found] = seat
            found += 1
        first = last
    return found


@kernel
def tell_gone(records: Array, gone: Array) -> None:
    """Tell of each seat that has a record whether its bot is gone; there must be room for all (bool[1, seats])."""
    for seat in range(records.shape[0]):
        gone[0, seat] = records[seat, GONE] != 0


@kernel
def is_plain(call: Array, room: Array, record: Array, answers: Array, cost: float) -> bool:
    """Whether a call was answered, at this cost, by one good frame, without a word that somebody has to read."""
    if call[STATUS] != ANSWERED or not call[FRAMED] or call[APART] or call[SENT] < call[SIZE]:
        return False
    if call[QUEUE] < 0 or may_be_more(call, cost):
        return False
    size = frame_size(room, call[GOT])
    if size != call[GOT] or check_frame(call, room, size, answers) != TAKEN:
        return False
    rows = call[LAST] - call[FIRST]
    end = answer_size(rows, answers)
    for i in range(end - rows, end):
        if room[i] != NONE and record[NOTED + room[i]] == 0:
            return False
    return bool(size == end)  # JSON behind it is read by somebody who can tell whether it is any


@kernel
def settle(
    there: Desk, seats: Array, records: Array, rules: Array, answers: Array, turn: int, log: Array, logged: Array
) -> int:
    """Take the plain answers among what has been said, and log what they cost; returns how many others there are."""
    rooms = there.rooms
    odd = 0
    for seat in seats:
        call = there.calls[seat]
        if call[STATUS] == CLOSED or call[STATUS] == OPEN:
            continue
        wall, cpu, queue = add_up(call)
        cost = charged(wall, cpu, queue)
        if cost > rules[BUDGET] or not is_plain(call, rooms[seat], records[seat], answers, cost):
            odd += 1
            continue
        judge(records[seat], rules, ANSWER, NONE, cost)
        take_frame(rooms[seat], call[LAST] - call[FIRST], answers, call[FIRST])
        end = answer_size(call[LAST] - call[FIRST], answers)
        for i in range(end - call[LAST] + call[FIRST], end):
            if rooms[seat, i] != NONE:
                note(records[seat], rooms[seat, i])
        if is_another(call):
            call[QUEUE] = -1
        call[STATUS] = CLOSED
        call[KIND] = 0
        log[logged[0], 0] = seat
        log[logged[0], 1] = turn
        log[logged[0], 2] = wall
        log[logged[0], 3] = cpu
        log[logged[0], 4] = queue
        logged[0] += 1
    return odd


@kernel
def waits(calls: Array, seats: Array) -> bool:
    """Whether somebody of these has something to be looked at, or is waited for."""
    waiting = False
    for seat in seats:
        waiting |= calls[seat, STATUS] != CLOSED or calls[seat, SAID] != 0
    return waiting


@kernel
def gather(
    there: Desk, seats: Array, until: int, own: int, records: Array, rules: Array, answers: Array, turn: int,
    log: Array, logged: Array,
) -> bool:  # fmt: skip
    """Look and settle until all have answered, or somebody has to be looked at, or it is so late.

    Returns False when nothing is left to be done.
    """
    while look(there, seats, until, own):
        if settle(there, seats, records, rules, answers, turn, log, logged):
            return True
        if not waits(there.calls, seats):
            return False
    return True


@kernel
def ask(
    sheet: Sheet, bank: float, seat_of: Array, plain: bool, kind: int, ends: Array, own: int, turn: int,
    log: Array, logged: Array, gone: Array,
) -> tuple[int, bool, bool]:  # fmt: skip
    """Put a question to all that are there, if it is `plain`: all speak frames by one thread, and have said nothing.

    Returns how many are there (the first of the sheet's seats), whether they have been asked (if not, or if the log
    is full, nothing has been written yet), and whether there is more to be done than was: all have answered, in the
    usual way. Who is `gone` (bool[1, seats]) is told for that case.
    """
    there, seats, records, rules, asked, answered, data = sheet
    count = open_calls(there.calls, records, bank, seat_of, seats)
    tell_gone(records, gone)
    seats = seats[:count]
    plain = plain and logged[0] + count <= log.shape[0]
    for seat in seats:
        plain = plain and there.calls[seat, FRAMED] == 1 and there.calls[seat, QUEUE] >= 0
    if not plain or spoke(there, seats, STDOUT):
        return count, False, True
    write_frames(there.calls, seats, kind, asked, ends, data)
    put(there, seats)
    until = clock_time(MONOTONIC, there.scratch) + int(NANO * min(STILL, rules[BUDGET]))
    return count, True, gather(there, seats, until, own, records, rules, answered, turn, log, logged)
