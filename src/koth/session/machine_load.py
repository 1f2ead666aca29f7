"""Run-queue delay caused by other processes of the machine: koth reports it; a long delay makes a match void."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from koth.sandbox.command import Overloaded
from koth.session.cost import Cost
from koth.session.cpu_clocks import NANO
from koth.session.marks import CpuTime, cpu_between
from koth.session.seats import SeatedBot

REPORTED_DELAY = 1.0
"""Seconds of run-queue delay above which a bot's delay is reported."""
VOID_AFTER = 60.0
"""The least seconds of delay that make the match void, or ten times the bot's allowance, if more."""


def is_overloaded(delay: float, allowance: float) -> bool:
    """Return whether a delay in seconds is too long for a program that may take `allowance` seconds."""
    return delay >= max(10 * allowance, VOID_AFTER)


def describe_delay(cost: Cost) -> str:
    """Return the delay of a program as text."""
    return f"waited {cost.run_delay:.1f} of {cost.wall:.1f} s for other processes of this machine"


class MachineLoad:
    """Run-queue delays within one question that other bots of the match did not cause."""

    def __init__(self, seats: Mapping[int, SeatedBot], on_wait: Callable[[int, float], None] | None) -> None:
        self._seats = seats
        self._on_wait = on_wait
        self._first: dict[int, tuple[float, dict[int, float]]] = {}
        """For each delayed bot: the delay when first seen, and the CPU seconds of every bot at that moment."""
        self._readings: dict[int, CpuTime] = {}
        """The last reading of each bot's processes in this question, by seat."""
        self._used: dict[int, float] = {}
        """CPU seconds by seat, summed over the differences between readings."""

    def begin_question(self) -> None:
        """Forget the delays of the last question."""
        self._first.clear()
        self._readings.clear()

    def check(self, seat: SeatedBot, turn: int, cost: Cost) -> None:
        """Report a bot that waits for a core.

        Raises Overloaded if processes outside the match have delayed the bot for too long. CPU time that rivals used
        meanwhile is deducted: waiting for rivals does not make the match void.
        """
        if cost.run_delay <= REPORTED_DELAY:
            return
        used = self._all_use()
        delay, before = self._first.setdefault(seat.number, (cost.run_delay, used))
        rivals = sum(max(used[other] - before.get(other, 0.0), 0.0) for other in used if other != seat.number)
        if is_overloaded(cost.run_delay - delay - rivals, seat.conversation.account.allowance):
            raise Overloaded(describe_delay(cost), seat.number, turn)
        if self._on_wait is not None:
            self._on_wait(seat.number, cost.run_delay)

    def _all_use(self) -> dict[int, float]:
        """Return CPU seconds of all processes of each bot, by seat; compare them within a question only."""
        for number, seat in self._seats.items():
            if not seat.conversation.gone:
                cpu = seat.process.clock.cpu(relist=True)
                more = cpu_between(self._readings.get(number, cpu), cpu) / NANO
                self._used[number] = self._used.get(number, 0.0) + more
                self._readings[number] = cpu
        return dict(self._used)
