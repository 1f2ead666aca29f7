"""The rules of conduct as a table: what happens to a bot, and what its record makes of it. No process, no clock."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from koth.game import FAULT, FAULTS, TimeControl
from koth.session.time_control import (
    ANSWER,
    END,
    FOREIGN,
    SILENCE,
    STRAY,
    accounts,
    allowance,
    count_fault,
    end_in_words,
    fault_counts,
    judge,
    late_in_words,
    open_budgets,
)  # fmt: skip

TIME_CONTROL = TimeControl(question=1.0, first=3.0, bank=2.0, late_in_a_row=3, lateness=10.0)

# what happens: event, its own fault, seconds charged; what comes of it: fault, gone, and then bank, strikes, owed
IN_TIME = (ANSWER, "none", 0.5, "none", False, 2.0, 0, 0)
TABLE = {
    "in time": [IN_TIME],
    "a fault of its own": [(ANSWER, "garbage", 0.5, "garbage", False, 2.0, 0, 0)],
    "the bank pays": [
        (ANSWER, "none", 1.5, "none", False, 1.5, 0, 0),
        (ANSWER, "none", 2.5, "none", False, 0.0, 0, 0),
    ],
    "to the last": [(ANSWER, "none", 3.0, "none", False, 0.0, 0, 0)],
    "more than the bank has": [(ANSWER, "none", 3.1, "late", False, 0.0, 1, 0)],
    "garbage too late": [(ANSWER, "garbage", 3.1, "late", False, 0.0, 1, 0)],
    "silent": [(SILENCE, "none", 3.0, "late", False, 0.0, 1, 1)],
    "silent, then in time": [
        (SILENCE, "none", 3.0, "late", False, 0.0, 1, 1),
        (STRAY, "none", 0.0, "none", False, 0.0, 1, 0),
        (ANSWER, "none", 1.0, "none", False, 0.0, 0, 0),
        (ANSWER, "none", 1.1, "late", False, 0.0, 1, 0),
    ],
    "an answer settles what it owed": [
        (SILENCE, "none", 3.0, "late", False, 0.0, 1, 1),
        (ANSWER, "none", 0.1, "none", False, 0.0, 0, 0),
        (STRAY, "none", 0.0, "unasked", False, 0.0, 0, 0),
    ],
    "three in a row": [
        (SILENCE, "none", 3.0, "late", False, 0.0, 1, 1),
        (ANSWER, "none", 1.2, "late", False, 0.0, 2, 0),
        (SILENCE, "none", 1.0, "late", True, 0.0, 3, 1),
    ],
    "nobody asked": [
        (STRAY, "none", 0.0, "unasked", False, 2.0, 0, 0),
        (FOREIGN, "none", 0.0, "unasked", False, 2.0, 0, 0),
    ],
    "foreign while it owes": [
        (SILENCE, "none", 3.0, "late", False, 0.0, 1, 1),
        (FOREIGN, "none", 0.0, "unasked", False, 0.0, 1, 1),
    ],
    "an end": [(END, "closed", 0.2, "closed", True, 2.0, 0, 0)],
}


def account_of(time_control: TimeControl = TIME_CONTROL) -> Any:
    """A bot's account in a question that is not its first."""
    return accounts(1, time_control)[0]


@pytest.mark.parametrize("name", TABLE)
def test_the_table(name: str) -> None:
    account = account_of()
    for event, own, charged, fault, gone, bank, strikes, owed in TABLE[name]:
        found = judge(account, event, FAULT[own], charged)
        assert (FAULTS[found[0]], found[1]) == (fault, gone)
        assert (account["bank"], account["strikes"], account["owed"]) == pytest.approx((bank, strikes, owed))


def test_lateness_in_all_ends_a_bot_that_answers_in_between() -> None:
    account = account_of(dataclasses.replace(TIME_CONTROL, late_in_a_row=99))
    out = []
    for _ in range(10):
        out.append(judge(account, SILENCE, 0, 1.0 + float(account["bank"]))[1])
        if not out[-1]:
            judge(account, ANSWER, 0, 0.1)
    assert out == [False] * 9 + [True]
    assert account["lateness"] == 10
    assert end_in_words(account) == "late by 10 s in all: ended for this match"


def test_where_the_first_strike_ends_a_bot() -> None:
    account = account_of(dataclasses.replace(TIME_CONTROL, late_in_a_row=1, bank=0.0))
    assert judge(account, SILENCE, 0, 1.0) == (FAULT["late"], True)
    assert end_in_words(account) == "late once: ended for this match"


def test_only_the_first_question_of_each_bot_has_more_time() -> None:
    """Also where others have been asked before."""
    table = accounts(3, TIME_CONTROL)
    open_budgets(table, np.array([0, 1]), TIME_CONTROL)
    open_budgets(table, np.array([1, 2]), TIME_CONTROL)
    assert table["budget"].tolist() == [4, 1, 4]
    assert [allowance(account) for account in table] == [6, 3, 6]
    open_budgets(table, np.array([0, 1, 2]), TIME_CONTROL)
    assert table["budget"].tolist() == [1, 1, 1]


def test_the_bank_is_part_of_the_allowance() -> None:
    account = account_of()
    assert allowance(account) == 3
    judge(account, ANSWER, 0, 2.5)
    assert allowance(account) == 1.5


def test_faults_are_counted_and_the_first_of_each_kind_is_known() -> None:
    account = account_of()
    assert count_fault(account, FAULT["error"])
    assert not count_fault(account, FAULT["error"])
    assert count_fault(account, FAULT["late"])
    assert not count_fault(account, FAULT["late"])
    assert fault_counts(account) == {"error": 2, "late": 2}


def test_lateness_in_words() -> None:
    slept, worked, in_parallel = {"cpu": 0.01, "wall": 1.03}, {"cpu": 1.02, "wall": 1.03}, {"cpu": 1.9, "wall": 0.5}
    assert late_in_words(1.0, 0.0, 1, **slept) == late_in_words(1.0, 0.0, 1, **worked) == "no answer within 1 s"
    assert late_in_words(1.0, 2.0, 1, **slept) == "no answer within 1 s and the 2 s of its bank"
    told = "no answer within 1 s of computing time on all cores together"
    assert late_in_words(1.0, 0.0, 1, **in_parallel) == told
    told = "no answer within 1 s (20 ms for each of 50) and the 2 s of its bank"
    assert late_in_words(1.0, 2.0, 50, **slept) == told
