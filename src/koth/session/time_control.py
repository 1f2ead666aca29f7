"""How a bot may conduct itself: what each thing that it does makes of its record, and when it is gone.

All rules of conduct stand here and nowhere else. They know no process and read no clock: what happened and what it
cost is told to them. docs/misbehaving.md has them in words.
"""

from __future__ import annotations

import numpy as np

from koth.game import FAULT, FAULTS, Array, TimeControl
from koth.kernel import kernel

BANK, STRIKES, LATENESS, OWED, GONE, NOTED = range(6)
"""Columns of a record: seconds that it may still take beyond its budgets; late answers in a row; seconds of lateness
in all; questions that it was late for and may still answer; 1 if it is gone; from here on, how many faults of each
kind it has had."""
COLUMNS = NOTED + len(FAULTS)

ANSWER, SILENCE, STRAY, FOREIGN, END = range(5)
"""What happened: it has answered the question (with a fault, perhaps); its time is used up; it has said something
that answers no open question; it has answered a question that nobody ever asked; it has ended, or is ended."""

BUDGET, MOST_STRIKES, MOST_LATENESS = range(3)
"""Places in the rules of a question: its seconds, and what ends a bot for the match."""

NONE, LATE, UNASKED = FAULT["none"], FAULT["late"], FAULT["unasked"]


def records(count: int, time_control: TimeControl) -> Array:
    """The records of so many bots at the beginning of a match (float64)."""
    made = np.zeros((count, COLUMNS))
    made[:, BANK] = time_control.bank
    return made


def rules_of(time_control: TimeControl, *, first: bool = False) -> Array:
    """The rules of one question (float64), of the `first` one or another."""
    seconds = time_control.question + (time_control.first if first else 0.0)
    return np.array([seconds, time_control.late_in_a_row, time_control.lateness])


@kernel
def allowance(record: Array, rules: Array) -> float:
    """Seconds that it may take for a question in all."""
    return float(rules[BUDGET] + record[BANK])


@kernel
def judge(record: Array, rules: Array, event: int, fault: int, charged: float) -> tuple[int, bool]:
    """What an event comes to: the fault that is noted (a code; 0: none), and whether the bot is gone for the match.

    `fault` is what an answer or an end is a fault of by itself, `charged` the seconds that the question has cost.
    After an event STRAY or FOREIGN the question stays open, and nothing has been charged yet.
    """
    if event == FOREIGN:
        return UNASKED, False
    if event == STRAY:
        owed = record[OWED] > 0
        record[OWED] -= owed
        return (NONE if owed else UNASKED), False
    left = record[BANK] - max(0.0, charged - rules[BUDGET])
    record[BANK] = max(0.0, left)
    if event == END:
        record[GONE] = 1
        return fault, True
    if event == SILENCE or left < 0:
        record[OWED] = record[OWED] + 1 if event == SILENCE else 0
        record[STRIKES] += 1
        record[LATENESS] += rules[BUDGET]
        if record[STRIKES] >= rules[MOST_STRIKES] or record[LATENESS] >= rules[MOST_LATENESS]:
            record[GONE] = 1
        return LATE, bool(record[GONE])
    record[STRIKES] = 0
    record[OWED] = 0
    return fault, False


@kernel
def note(record: Array, fault: int) -> bool:
    """Count a fault; returns whether it is the first of its kind, of which everything is kept."""
    record[NOTED + fault] += 1
    return bool(record[NOTED + fault] == 1)


def counts(record: Array) -> dict[str, int]:
    """How many faults of each kind it has had."""
    return {kind: int(record[NOTED + code]) for kind, code in FAULT.items() if record[NOTED + code]}


def late_in_words(rules: Array, bank: float, units: int, *, answered: bool) -> str:
    """Why an answer for so many bodies is late."""
    banked = f" and the {bank:g} s of its bank" if bank else ""
    cores = " of computing time on all cores together" if answered else ""
    return f"no answer within {rules[BUDGET]:g} s{for_each(rules[BUDGET], units)}{cores}{banked}"


def for_each(seconds: float, units: int) -> str:
    """What that makes for each of so many bodies; nothing to be said of one."""
    if units < 2:
        return ""
    one = seconds / units
    return f" ({f'{one:.3g} s' if one >= 1 else f'{1000 * one:.3g} ms'} for each of {units})"


def end_in_words(record: Array, rules: Array) -> str:
    """Why a bot that was late is ended."""
    strikes = int(record[STRIKES])
    if strikes >= rules[MOST_STRIKES]:
        return f"{f'late {strikes} times in a row' if strikes > 1 else 'late once'}: ended for this match"
    return f"late by {record[LATENESS]:g} s in all: ended for this match"
