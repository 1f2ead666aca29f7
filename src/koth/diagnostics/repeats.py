"""A test of repeatability: asked the questions of a recorded match again, a bot should give the recorded answers."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from koth.diagnostics.rerun import Rerun
from koth.diagnostics.restart import RestartedBot, find_differences
from koth.game import FAULT
from koth.sandbox.isolation import PLAIN, Isolation
from koth.session.bot import Bot


@dataclass(frozen=True)
class AnswerDifference:
    """The first answer that differs from the recorded one."""

    turn: int
    """The number of finished turns."""
    number: int
    """The number of the bot's questions up to and including this one."""
    text: str


def find_first_difference(
    again: Rerun, bot: Bot, isolation: Isolation = PLAIN, *, seconds: float
) -> AnswerDifference | None:
    """Start `bot` and ask it the questions of a recorded match; return the first answer that differs.

    Return None if there is none within `seconds`, or before a late answer. A bot in Python gets a new process, in
    which its objects have other addresses than in the match.
    """
    end = time.monotonic() + seconds
    with RestartedBot(again, bot, replace(isolation, forks_python=False), again.time_control) as restarted:
        for moment in again.moments():
            answer = restarted.ask(moment)
            if FAULT["late"] in (*moment.fault, *answer.fault) or moment.gone or restarted.seat.conversation.gone:
                return None
            for _, text in find_differences(again, moment, answer):
                return AnswerDifference(moment.turn, moment.number, text)
            if time.monotonic() > end:
                return None
    return None
