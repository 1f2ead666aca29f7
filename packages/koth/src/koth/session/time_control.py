"""The rules of time: the effect of each event on a bot's time account, and when the bot is out of the match.

The rules know no process and read no clock: they get events, costs and looks. docs/clocks.md explains the rules.
Limits of output are `Limits` in `conversation.py`; limits of memory and threads are in `sandbox/policy.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from koth.game import TimeControl
from koth.session.cost import Cost

LEAST_SLEEP = 3.0
"""Seconds that a bot may sleep in one question, or twice its allowance, if more."""
MOST_SLEEP = 30.0
"""Seconds that a bot may sleep in one match, the start included."""
VOID_AFTER = 60.0
"""Seconds without a core in one question after which a match is void, or ten times the bot's allowance, if more."""
FREE_THINKING = 0.01
"""CPU seconds between two questions that are free where thinking is paid for; see also `FREE_SHARE`."""
FREE_SHARE = 0.01
"""The share of the wall time between two questions for which CPU time is free where thinking is paid for."""


class JudgedEvent(Enum):
    """An event during a question, as the rules of time distinguish them."""

    ANSWER = "the bot answered the question, perhaps with a fault"
    SILENCE = "the bot's time is used up"
    UNASKED = "the bot sent a message that answers no open question"
    FAULTY = "the bot sent a message with a fault that leaves the question open"
    END = "the bot ended, or is ended"


ANSWER, SILENCE, UNASKED, FAULTY, END = JudgedEvent


@dataclass
class TimeAccount:
    """The time that one bot may take in a match, and the time that it has used; all times are seconds."""

    time_control: TimeControl
    budget: float = 0.0
    """The time for the open question."""
    bank: float = 0.0
    """The time that the bot may still take beyond its budgets."""
    strikes: int = 0
    """Late answers in a row."""
    lateness: float = 0.0
    """The total budget of all questions that the bot answered too late."""
    owed: int = 0
    """The number of unanswered questions; one late answer to each is ignored."""
    questions: int = 0
    """The number of questions so far."""
    asleep: float = 0.0
    """The time for which the bot has slept in the open question, as koth's looks say."""
    asleep_in_all: float = 0.0
    """The time for which the bot has slept in the match."""
    waited: float = 0.0
    """The time in the open question in which the bot computed or was kept waiting for a core."""

    def open_start(self) -> None:
        """Begin the time in which the bot must become ready; the bank does not extend this time."""
        self.budget, self.bank = self.time_control.start, 0.0

    def open_question(self) -> None:
        """Begin the time for a question; the first question may have more."""
        if not self.questions:
            self.bank = self.time_control.bank
        self.budget = self.time_control.question + (0.0 if self.questions else self.time_control.first)
        self.questions += 1
        self.asleep = self.waited = 0.0

    @property
    def has_used_any(self) -> bool:
        """True if the bot has used some of the bank, or was late with the last answer."""
        return self.strikes > 0 or self.bank < self.time_control.bank

    @property
    def allowance(self) -> float:
        """The total time that the bot may take for the open question."""
        return self.budget + self.bank

    def look(self, seconds: float, *, is_asleep: bool) -> None:
        """Take a look at the silent bot, which stands for some seconds."""
        if is_asleep:
            self.asleep += seconds
            self.asleep_in_all += seconds
        else:
            self.waited += seconds

    @property
    def sleeps_too_long(self) -> bool:
        """True if the bot has slept for too long in the open question, or in the match."""
        return self.asleep >= max(2 * self.allowance, LEAST_SLEEP) or self.asleep_in_all >= MOST_SLEEP

    def is_overloaded(self, waited: float) -> bool:
        """Return whether a bot has been kept from a core for too long: the match is void."""
        return waited >= max(10 * self.allowance, VOID_AFTER)

    def judge(self, event: JudgedEvent, fault: str, charged: float) -> tuple[str, bool]:
        """Return the fault of an event ("none", or a kind), and whether the bot is out of the match.

        `fault` is the fault of the message, or of the bot's end, `charged` the cost of the question. After an UNASKED
        or FAULTY message the question stays open, and nothing has been charged yet. A bot that answers owes no more
        answers, as bots answer in order.
        """
        if event is FAULTY:
            return fault, False
        if event is UNASKED:
            owed = self.owed > 0
            self.owed -= owed
            return ("none" if owed else fault), False
        left = self.bank
        if charged > self.budget:
            left -= charged - self.budget
            self.bank = max(0.0, left)
        if event is END:
            return fault, True
        if event is SILENCE or left < 0:
            return "late", self._add_strike(is_owed=event is SILENCE)
        self.strikes = self.owed = 0
        return fault, False

    def _add_strike(self, *, is_owed: bool) -> bool:
        self.owed = self.owed + 1 if is_owed else 0
        self.strikes += 1
        self.lateness += self.budget
        limits = self.time_control
        return (
            self.strikes >= limits.late_in_a_row
            or self.lateness >= limits.lateness
            or self.asleep_in_all >= MOST_SLEEP
        )

    def describe_late_start(self) -> str:
        """Describe that the bot was not ready in time."""
        slept = f": it slept for {self.asleep:g} s" if self.sleeps_too_long else ""
        return f"not ready within {self.budget:g} s{slept}"

    def describe_lateness(self, units: int, cost: Cost) -> str:
        """Describe a late answer for `units` units with its cost.

        Only work on several cores at once takes more CPU time than time by the clock.
        """
        bank = self.time_control.bank
        banked = f" and the {bank:g} s of the bot's bank" if bank else ""
        cores = " of computing time on all cores together" if cost.charged > cost.wall else ""
        slept = f": it slept for {self.asleep:g} s" if self.sleeps_too_long else ""
        return f"no answer within {self.budget:g} s{format_share(self.budget, units)}{cores}{banked}{slept}"

    def describe_end(self) -> str:
        """Return why a late bot is ended, as text."""
        if self.strikes >= self.time_control.late_in_a_row:
            late = f"late {self.strikes} times in a row" if self.strikes > 1 else "late once"
            return f"{late}: ended for this match"
        if self.asleep_in_all >= MOST_SLEEP:
            return f"asleep for {self.asleep_in_all:g} s in all while it was asked: ended for this match"
        return f"late at questions of {self.lateness:g} s in all: ended for this match"


def format_share(seconds: float, units: int) -> str:
    """Return the time per unit as text; empty for one unit."""
    if units < 2:
        return ""
    one = seconds / units
    return f" ({f'{one:.3g} s' if one >= 1 else f'{1000 * one:.3g} ms'} for each of {units})"
