"""The one door to the bots of a match: questions are put to many at once, and it is told what each said and spent.

It knows descriptors, bytes and clocks, and decides nothing about a bot. Its work is done by the kernels of
`koth.bots.calls`.
"""

from __future__ import annotations

import os

import numpy as np

from koth.bots.calls import (
    BEGUN,
    CLOCK,
    CLOSED,
    COLUMNS,
    CPU,
    FIRST_CPU,
    FIRST_RUN,
    FIRST_WAIT,
    FRAMED,
    HEARD,
    OPEN,
    PIPES,
    QUEUE,
    RUN,
    STATUS,
    STDERR,
    STDIN,
    STDOUT,
    add_up,
    is_another,
    put,
    spoke,
)  # fmt: skip
from koth.bots.clock import Clock, Queue, Spent, now
from koth.game import Array

ROOM = 1 << 16
"""Bytes of what a bot says that are taken at once."""


class Exchange:
    """The calls of the bots of one match, by seat (see `koth.bots.calls`), and their clocks."""

    def __init__(self, seats: int, room: int = ROOM) -> None:
        self.calls = np.zeros((seats, COLUMNS), np.int64)
        self.calls[:, [STDIN, STDOUT, STDERR, CLOCK, QUEUE]] = -1
        self.rooms = np.empty((seats, min(room, ROOM)), np.uint8)
        self.clocks: dict[int, Clock] = {}
        self.polls = np.zeros((PIPES * seats, 2), np.int32)
        self.seen = np.zeros(1, np.int64)
        """When nothing had come for the last time, as far as this thread has looked."""
        self.scratch = np.zeros(16, np.int64)
        self.cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
        self.own = Queue("/proc/thread-self/schedstat")
        """How long this thread waits for a core itself: answers lie there unheard meanwhile."""
        self.said = np.zeros(seats, np.int64)
        self._started: set[int] = set()
        """Whose clocks tell what their question costs; for the others their calls do."""
        self.families: set[int] = set()
        """Those that may have started other programs since they were asked last."""

    def close(self) -> None:
        self.own.close()

    def add(self, seat: int, pipes: tuple[int, int, int], clock: Clock, *, framed: bool) -> None:
        """A bot has been started."""
        self.calls[seat, [STDIN, STDOUT, STDERR]] = pipes
        self.calls[seat, FRAMED] = framed
        self.clocks[seat] = clock
        if clock.family:
            self.families.add(seat)

    def spoke(self, seats: Array, pipe: int) -> list[int]:
        """Those of these seats, not waited for now, that have something in this pipe, or have closed it."""
        found = spoke(self.calls, seats, pipe, self.polls, self.said)
        said: list[int] = self.said[:found].tolist()
        return said

    def begin(self) -> None:
        """A question begins, to which no clock has been started."""
        self._started.clear()

    def put(self, seats: Array, *, new: bool = False) -> None:
        """Put their questions to them; `new` programs have been started with it."""
        for seat in self.families.intersection(seats.tolist()) if self.families else ():
            self.calls[seat, [CLOCK, QUEUE]] = self.clocks[seat].handles()
        if not new:
            for seat in seats[self.calls[seats, QUEUE] < 0].tolist():
                self.clocks[seat].start()
                self._started.add(seat)
        put(self.calls, seats, self.scratch)
        for seat in self._started:
            self.clocks[seat].begin_at(int(self.calls[seat, BEGUN]))
        if new:
            self._started.update(seats.tolist())

    # -- what it cost

    def spent(self, seat: int) -> Spent:
        """What its question has cost so far, or until it said what it said; what koth does itself costs nothing."""
        call = self.calls[seat]
        is_open = call[STATUS] == OPEN
        if seat not in self._started and (is_open or call[CPU] < 0 or call[RUN] < 0):
            self.clocks[seat].start_at(*call[[BEGUN, FIRST_CPU, FIRST_RUN, FIRST_WAIT]].tolist())
            self._started.add(seat)
        if seat in self._started:
            return self.clocks[seat].read(int(self.seen[0] if is_open else call[HEARD]))
        return Spent(*add_up(call))

    def go_on(self, seat: int) -> None:
        """What it said was no answer: its clock runs on, without the time since it was heard."""
        call = self.calls[seat]
        if seat in self._started:
            self.clocks[seat].skip(int(call[HEARD]))
        call[BEGUN] += now() - call[HEARD]
        call[STATUS] = OPEN

    def settle(self, seat: int, spent: Spent) -> None:
        """Its question is over, and has cost so much: see how its clock is read best the next time."""
        call = self.calls[seat]
        call[STATUS] = CLOSED
        clock = self.clocks[seat]
        if seat in self._started:
            clock.settle(spent)
            call[CLOCK], call[QUEUE] = clock.handles()
        elif is_another(call):
            self.forget(seat)

    def forget(self, seat: int) -> None:
        """Its work is done by another thread now, or by many."""
        self.clocks[seat].close()
        self.calls[seat, [CLOCK, QUEUE]] = -1
