"""The memory and threads of the bots of a match against their limits, measured while the match is played."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

from koth.session.cpu_clocks import NANO
from koth.session.seats import SeatedBot

LOOK_EVERY = 0.05
"""Seconds between two measurements of bots that work."""
LOOK_AT_IDLE_EVERY = 1.0
"""Seconds between two measurements of all bots, idle ones included."""
WORK = 0.005
"""CPU seconds of work below which a bot is not measured again."""


class ResourceWatch:
    """The measurement of memory and threads: often for bots that work, more rarely for all bots."""

    def __init__(self, seats: Mapping[int, SeatedBot]) -> None:
        self._seats = seats
        self._used: dict[SeatedBot, int] = {}
        """The CPU time of each bot at its last measurement (nanoseconds)."""
        self._looked_at = self._looked_at_all = 0.0

    @property
    def is_due(self) -> bool:
        """True if it is time for the next measurement."""
        return time.perf_counter() - self._looked_at > LOOK_EVERY

    def find_excesses(self) -> Iterator[tuple[SeatedBot, str]]:
        """Yield the living bots that exceed a limit, with the limit as text."""
        self._looked_at = time.perf_counter()
        if self._looked_at - self._looked_at_all > LOOK_AT_IDLE_EVERY:
            self._used.clear()
            self._looked_at_all = self._looked_at
        for seat in self._seats.values():
            if not seat.conversation.gone and self._has_worked(seat) and (text := seat.process.find_excess()):
                yield seat, text

    def _has_worked(self, seat: SeatedBot) -> bool:
        """Return whether a bot may have worked since its last measurement, and record the new one."""
        used, before = seat.process.clock.single_cpu(), self._used.get(seat)
        if before is not None and 0 <= used < before + WORK * NANO:
            return False
        self._used[seat] = used
        return True
