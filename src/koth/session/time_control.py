"""The rules of time: the effect of each event on a bot's time account, and when the bot is out of the match.

The rules know no process and read no clock: they are given events and costs. docs/clocks.md explains them. Limits of
output are `Limits` in session.py, those of memory and threads are in `sandbox/usage.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from koth.game import FAULT, FAULTS, Array, TimeControl
from koth.kernel import kernel

ACCOUNT = np.dtype(
    [
        ("budget", "f8"),  # seconds of the open question
        ("bank", "f8"),  # seconds that the bot may still take beyond its budgets
        ("strikes", "i8"),  # late answers in a row
        ("lateness", "f8"),  # seconds of lateness in all
        ("owed", "i8"),  # questions that ended in silence: a late answer to each is no further fault
        ("questions", "i8"),  # number of questions so far
        ("most_strikes", "f8"),  # limits that end the bot for the match: late answers in a row,
        ("most_lateness", "f8"),  # and seconds of lateness in all
        ("faults", "i8", (len(FAULTS),)),  # number of faults of each kind
    ]
)
"""A time account: the time that one bot may take, and the time that it has used."""

ANSWER, SILENCE, STRAY, FOREIGN, END = range(5)
"""Events: the bot answered the question (perhaps with a fault); its time is used up; it sent a message that answers
no open question; it answered a question that was never asked; it ended, or is ended.
"""

NONE, LATE, UNASKED = FAULT["none"], FAULT["late"], FAULT["unasked"]


def accounts(count: int, time_control: TimeControl) -> Array:
    """Return the time accounts of `count` bots at the beginning of a match (`ACCOUNT`[count])."""
    made = np.zeros(count, ACCOUNT)
    made["budget"], made["bank"] = time_control.question, time_control.bank
    made["most_strikes"], made["most_lateness"] = time_control.late_in_a_row, time_control.lateness
    return made


def open_budgets(table: Array, seats: Array, time_control: TimeControl) -> None:
    """Set the budgets for a question to these bots; the first question of each bot may have more."""
    first = time_control.first * (table["questions"][seats] == 0)
    table["budget"][seats] = time_control.question + first
    table["questions"][seats] += 1


def allowance(account: Any) -> float:
    """Return the seconds that a bot may take for the open question in all."""
    return float(account["budget"] + account["bank"])


@kernel
def judge(account: Any, event: int, fault: int, charged: float) -> tuple[int, bool]:
    """Return the fault that an event amounts to (a code; 0: none), and whether the bot is out of the match.

    `fault` is the fault of the answer or the end itself, `charged` the seconds that the question has cost. After an
    event STRAY or FOREIGN the question stays open, and nothing has been charged yet. A bot that answers owes nothing
    more: bots answer in order.
    """
    if event == FOREIGN:
        return UNASKED, False
    if event == STRAY:
        owed = account["owed"] > 0
        account["owed"] -= owed
        return (NONE if owed else UNASKED), False
    left = account["bank"] - max(0.0, charged - account["budget"])
    account["bank"] = max(0.0, left)
    if event == END:
        return fault, True
    if event == SILENCE or left < 0:
        account["owed"] = account["owed"] + 1 if event == SILENCE else 0
        account["strikes"] += 1
        account["lateness"] += account["budget"]
        is_out = account["strikes"] >= account["most_strikes"] or account["lateness"] >= account["most_lateness"]
        return LATE, bool(is_out)
    account["strikes"] = 0
    account["owed"] = 0
    return fault, False


@kernel
def count_fault(account: Any, fault: int) -> bool:
    """Count a fault; return whether it is the first of its kind, which is recorded in full."""
    account["faults"][fault] += 1
    return bool(account["faults"][fault] == 1)


def fault_counts(account: Any) -> dict[str, int]:
    """Return the number of faults of each kind that a bot has had."""
    return {kind: int(count) for kind, count in zip(FAULTS, account["faults"], strict=True) if count}


def late_in_words(budget: float, bank: float, units: int, *, cpu: float, wall: float) -> str:
    """Return the text of a late answer for `units` units that took `cpu` seconds on all cores and `wall` by the
    clock.

    Only work on several cores at once takes more CPU time than the clock shows.
    """
    banked = f" and the {bank:g} s of its bank" if bank else ""
    cores = " of computing time on all cores together" if cpu > wall else ""
    return f"no answer within {budget:g} s{for_each(budget, units)}{cores}{banked}"


def for_each(seconds: float, units: int) -> str:
    """Return the share of these seconds for each of `units` units, as text; empty for one unit."""
    if units < 2:
        return ""
    one = seconds / units
    return f" ({f'{one:.3g} s' if one >= 1 else f'{1000 * one:.3g} ms'} for each of {units})"


def end_in_words(account: Any) -> str:
    """Return the reason why a late bot is ended."""
    strikes = int(account["strikes"])
    if strikes >= account["most_strikes"]:
        return f"{f'late {strikes} times in a row' if strikes > 1 else 'late once'}: ended for this match"
    return f"late by {account['lateness']:g} s in all: ended for this match"
