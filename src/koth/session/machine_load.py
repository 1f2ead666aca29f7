"""Run-queue delay caused by other processes of the machine: reported; after a while, the match is void."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from koth.game import Array
from koth.sandbox.command import Overloaded
from koth.session.cpu_time import NANO, Cost, CpuTime, cpu_between
from koth.session.io_loop import IoLoop

REPORTED_DELAY = 1.0
"""Seconds of run-queue delay from which on a bot's delay is reported."""
PATIENCE = 60.0
"""Seconds of delay, at least, after which the match is void; never less than ten times the bot's allowance."""


class MachineLoad:
    """Run-queue delays within one question that the bot's rivals did not cause."""

    def __init__(self, io: IoLoop, seats: int, on_wait: Callable[[int, float], None] | None) -> None:
        self._io = io
        self._on_wait = on_wait
        self._first: dict[int, tuple[float, Array]] = {}
        """For each delayed bot: its delay when first seen, and the CPU time of every bot at that moment."""
        self._readings: dict[int, CpuTime] = {}
        """The last reading of each bot's processes in this question, by seat."""
        self._used = np.zeros(seats)
        """CPU seconds by seat, summed over the differences between readings."""

    def begin_question(self) -> None:
        """Forget the delays of the question before."""
        self._first.clear()
        self._readings.clear()

    def check(self, seat: int, turn: int, cost: Cost, allowed: float) -> None:
        """Report a bot that waits for a core.

        Raises Overloaded when processes outside the match have delayed the bot for too long; `allowed` is the bot's
        allowance in seconds. CPU time that rivals used meanwhile is deducted: it is no reason to void the match.
        """
        if cost.run_delay <= REPORTED_DELAY:
            return
        used = self._all_use()
        delay, before = self._first.setdefault(seat, (cost.run_delay, used))
        more = np.maximum(used - before, 0.0)
        rivals = float(more.sum() - more[seat])
        if cost.run_delay - delay - rivals >= max(10 * allowed, PATIENCE):
            text = f"waited {cost.run_delay:.1f} of {cost.wall:.1f} s for other processes of this machine"
            raise Overloaded(text, seat, turn)
        if self._on_wait is not None:
            self._on_wait(seat, cost.run_delay)

    def _all_use(self) -> Array:
        """Return CPU seconds of all processes of each bot, by seat; only differences within a question are
        meaningful.
        """
        for seat, cpu in self._io.cpu_times().items():
            self._used[seat] += cpu_between(self._readings.get(seat, cpu), cpu) / NANO
            self._readings[seat] = cpu
        return self._used.copy()
