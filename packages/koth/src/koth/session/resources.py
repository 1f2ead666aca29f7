"""The memory and threads of the bots of a match against their limits, measured while the match is played."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from koth.session.cpu_clock import NANO, now
from koth.session.seats import SeatedBot

MEASURE_EVERY = NANO // 20
"""Nanoseconds between two measurements of bots that work."""
MEASURE_ALL_EVERY = NANO
"""Nanoseconds between two measurements of all bots, idle ones included."""
WORK = NANO // 200
"""Nanoseconds of CPU time below which a bot is not measured again."""


class ResourceWatch:
    """The measurement of memory and threads: often for bots that work, more rarely for all bots."""

    def __init__(self, seats: Mapping[int, SeatedBot]) -> None:
        self._seats = seats
        self._used: dict[SeatedBot, int] = {}
        """The CPU time of each bot at its last measurement (nanoseconds)."""
        self.due_at = self._all_due_at = 0
        """The moments of the next measurement, and of the next measurement of all bots."""

    def find_excesses(self) -> Iterator[tuple[SeatedBot, str]]:
        """Yield the living bots that exceed a limit, with the limit as text."""
        at = now()
        self.due_at = at + MEASURE_EVERY
        if at > self._all_due_at:
            self._used.clear()
            self._all_due_at = at + MEASURE_ALL_EVERY
        for seat in self._seats.values():
            if not seat.conversation.gone and self._has_worked(seat) and (text := seat.process.find_excess()):
                yield seat, text

    def _has_worked(self, seat: SeatedBot) -> bool:
        """Return whether a bot may have worked since its last measurement, and record the new one."""
        used, before = seat.process.clock.read(), self._used.get(seat)
        if before is not None and used < before + WORK:
            return False
        self._used[seat] = used
        return True
