"""The rules of time as a table: events, and their effect on a bot's account. No process, no clock."""

from __future__ import annotations

import dataclasses

import pytest

from koth.game import TimeControl
from koth.session.cost import Cost
from koth.session.time_control import JudgedEvent, TimeAccount

ANSWER, SILENCE, UNASKED, FAULTY, END = JudgedEvent
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
        (UNASKED, "none", 0.0, "none", False, 0.0, 1, 0),
        (ANSWER, "none", 1.0, "none", False, 0.0, 0, 0),
        (ANSWER, "none", 1.1, "late", False, 0.0, 1, 0),
    ],
    "an answer settles what it owed": [
        (SILENCE, "none", 3.0, "late", False, 0.0, 1, 1),
        (ANSWER, "none", 0.1, "none", False, 0.0, 0, 0),
        (UNASKED, "unasked", 0.0, "unasked", False, 0.0, 0, 0),
    ],
    "three in a row": [
        (SILENCE, "none", 3.0, "late", False, 0.0, 1, 1),
        (ANSWER, "none", 1.2, "late", False, 0.0, 2, 0),
        (SILENCE, "none", 1.0, "late", True, 0.0, 3, 1),
    ],
    "nobody asked": [
        (UNASKED, "unasked", 0.0, "unasked", False, 2.0, 0, 0),
        (FAULTY, "garbage", 0.0, "garbage", False, 2.0, 0, 0),
    ],
    "foreign while it owes": [
        (SILENCE, "none", 3.0, "late", False, 0.0, 1, 1),
        (FAULTY, "unasked", 0.0, "unasked", False, 0.0, 1, 1),
    ],
    "an end": [(END, "closed", 0.2, "closed", True, 2.0, 0, 0)],
}


def account_of(time_control: TimeControl = TIME_CONTROL) -> TimeAccount:
    """A bot's account in a question that is not its first."""
    account = TimeAccount(time_control)
    account.open_question()
    account.open_question()
    return account


@pytest.mark.parametrize("name", TABLE)
def test_the_table(name: str) -> None:
    account = account_of()
    for event, own, charged, fault, gone, bank, strikes, owed in TABLE[name]:
        assert account.judge(event, own, charged) == (fault, gone)
        assert (account.bank, account.strikes, account.owed) == pytest.approx((bank, strikes, owed))


def test_lateness_in_all_ends_a_bot_that_answers_in_between() -> None:
    account = account_of(dataclasses.replace(TIME_CONTROL, late_in_a_row=99))
    out = []
    for _ in range(10):
        out.append(account.judge(SILENCE, "none", 1.0 + account.bank)[1])
        if not out[-1]:
            account.judge(ANSWER, "none", 0.1)
    assert out == [False] * 9 + [True]
    assert account.lateness == 10
    assert account.describe_end() == "late at questions of 10 s in all: ended for this match"


def test_where_the_first_strike_ends_a_bot() -> None:
    account = account_of(dataclasses.replace(TIME_CONTROL, late_in_a_row=1, bank=0.0))
    assert account.judge(SILENCE, "none", 1.0) == ("late", True)
    assert account.describe_end() == "late once: ended for this match"


def test_only_the_first_question_has_more_time() -> None:
    account = TimeAccount(TIME_CONTROL)
    account.open_question()
    assert (account.budget, account.allowance) == (4, 6)
    account.open_question()
    assert (account.budget, account.allowance) == (1, 3)


def test_no_bank_pays_for_a_slow_start() -> None:
    account = TimeAccount(dataclasses.replace(TIME_CONTROL, start=7.0))
    account.open_start()
    assert account.allowance == 7
    account.open_question()
    assert account.bank == 2


def test_the_bank_is_part_of_the_allowance() -> None:
    account = account_of()
    assert account.allowance == 3
    account.judge(ANSWER, "none", 2.5)
    assert account.allowance == 1.5


def test_used_time_is_sent_once_there_is_some() -> None:
    account = account_of()
    assert not account.has_used_any
    account.judge(SILENCE, "none", 3.0)
    assert account.has_used_any
    without_bank = account_of(dataclasses.replace(TIME_CONTROL, bank=0.0))
    without_bank.judge(SILENCE, "none", 1.0)
    assert without_bank.has_used_any
    without_bank.judge(ANSWER, "none", 0.1)
    assert not without_bank.has_used_any


def test_texts_of_lateness() -> None:
    worked, in_parallel = Cost(1.02, 1.03), Cost(1.9, 0.5)
    with_bank, without = account_of(), account_of(dataclasses.replace(TIME_CONTROL, bank=0.0))
    assert without.describe_lateness(1, worked) == "no answer within 1 s"
    assert with_bank.describe_lateness(1, worked) == "no answer within 1 s and the 2 s of the bot's bank"
    assert without.describe_lateness(1, in_parallel) == "no answer within 1 s of computing time on all cores together"
    assert (
        with_bank.describe_lateness(50, worked)
        == "no answer within 1 s (20 ms for each of 50) and the 2 s of the bot's bank"
    )
    for _ in range(12):
        without.look(0.25, is_asleep=True)
    assert without.describe_lateness(1, Cost(0.1, 3.1)) == "no answer within 1 s: it slept for 3 s"


# -- looks


@pytest.mark.parametrize(("question", "bank", "seconds"), [(0.02, 0, 3), (1, 0, 3), (1, 2, 6), (4, 0, 8)])
def test_a_bot_may_sleep_for_twice_its_allowance_and_3_s_at_least(
    question: float, bank: float, seconds: float
) -> None:
    account = account_of(dataclasses.replace(TIME_CONTROL, question=question, bank=bank))
    slept = 0.0
    while not account.sleeps_too_long:
        account.look(0.25, is_asleep=True)
        account.look(0.25, is_asleep=False)
        slept += 0.25
    assert slept == seconds


def test_sleep_in_all_questions_together_ends_a_bot_whether_it_answers_or_not() -> None:
    account = account_of()
    for _ in range(119):
        account.open_question()
        account.look(0.25, is_asleep=True)
        assert not account.sleeps_too_long
        account.judge(ANSWER, "none", 0.01)
    account.open_question()
    account.look(0.25, is_asleep=True)
    assert account.sleeps_too_long
    assert account.judge(SILENCE, "none", 0.01) == ("late", True)
    assert account.describe_end() == "asleep for 30 s in all while it was asked: ended for this match"


def test_a_match_is_void_after_ten_times_the_allowance_and_a_minute_at_least() -> None:
    assert [account_of().is_overloaded(waited) for waited in (59.9, 60)] == [False, True]
    patient = account_of(dataclasses.replace(TIME_CONTROL, question=8.0))
    assert [patient.is_overloaded(waited) for waited in (99.9, 100)] == [False, True]
