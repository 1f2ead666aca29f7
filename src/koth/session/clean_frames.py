"""Kernels over all bots of a question: find the bots that are asked, and take clean frames in bulk.

A clean frame came in time and has no fault that needs a text. The referee judges all other messages bot by bot, by
the same rules.
"""

from __future__ import annotations

from typing import Any

from koth.game import Array
from koth.kernel import kernel
from koth.protocol.frames import TAKEN, answer_size, check_frame, frame_size, take_frame, used_word
from koth.session.cpu_time import charged
from koth.session.io_loop import (
    DEAD,
    IDLE,
    MESSAGE,
    NOTHING,
    THINKING,
    add_up,
    is_another_thread,
    is_incomplete,
)
from koth.session.time_control import ANSWER, NONE, count_fault, judge


@kernel
def open_questions(table: Array, questions: Array, accounts: Array, bank: float, rows: Array, seats: Array) -> int:
    """Write the seats of the living bots that a question asks, and each bot's rows of it; return the number of bots.

    `rows` (int32[rows]) has the seat of each row, in order. The result is written to `seats`.
    """
    count = 0
    first = 0
    while first < rows.size:
        seat = rows[first]
        last = first + 1
        while last < rows.size and rows[last] == seat:
            last += 1
        if seat < table.size and table[seat]["state"] != DEAD:
            question = questions[seat]
            question["first"] = first
            question["last"] = last
            question["used"] = used_word(bank - accounts[seat]["bank"], accounts[seat]["strikes"])
            seats[count] = seat
            count += 1
        first = last
    return count


@kernel
def is_clean(bot: Any, question: Any, account: Any, buffer: Array, columns: Array, cost: float) -> bool:
    """Return whether a bot has sent exactly one valid frame in its time, with no fault that needs a text."""
    if bot["found"] != MESSAGE or not bot["framed"] or bot["has_inbox"] or bot["has_outbox"]:
        return False
    if bot["schedstat"] < 0 or is_incomplete(bot, cost) or cost > account["budget"]:
        return False
    size = frame_size(buffer, bot["got"])
    if size != bot["got"] or check_frame(question, buffer, size, columns) != TAKEN:
        return False
    rows = question["last"] - question["first"]
    end = answer_size(rows, columns)
    for i in range(end - rows, end):
        if buffer[i] != NONE and account["faults"][buffer[i]] == 0:
            return False
    return bool(size == end)  # the referee reads a frame with JSON behind it


@kernel
def take_clean(
    table: Array, seats: Array, buffers: Array, questions: Array, accounts: Array, columns: Array, turn: int,
    log: Array, logged: int,
) -> int:  # fmt: skip
    """Take all clean answers that have come and log their costs; return the new length of the log."""
    for seat in seats:
        bot = table[seat]
        if bot["state"] != THINKING or bot["found"] == NOTHING:
            continue
        question, account = questions[seat], accounts[seat]
        wall, cpu, run_delay = add_up(bot)
        cost = charged(wall, cpu, run_delay)
        if not is_clean(bot, question, account, buffers[seat], columns, cost):
            continue
        judge(account, ANSWER, NONE, cost)
        rows = question["last"] - question["first"]
        take_frame(buffers[seat], rows, columns, question["first"])
        size = answer_size(rows, columns)
        for i in range(size - rows, size):
            if buffers[seat, i] != NONE:
                count_fault(account, buffers[seat, i])
        if is_another_thread(bot):
            bot["schedstat"] = -1
        bot["state"] = IDLE
        bot["found"] = NOTHING
        question["kind"] = 0
        entry = log[logged]
        entry["seat"] = seat
        entry["turn"] = turn
        entry["wall"] = wall
        entry["cpu"] = cpu
        entry["run_delay"] = run_delay
        logged += 1
    return logged
