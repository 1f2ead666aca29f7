"""A queue for slow work: nobody waits behind many requests of one visitor."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from weakref import WeakValueDictionary


class FairQueue:
    """A queue in which `in_all` requests (None: any number) have a turn at a time, `of_one` of the same visitor.

    Requests wait in the order in which they arrive; of each visitor at most `of_one` are in that line.
    """

    def __init__(self, of_one: int = 1, in_all: int | None = None) -> None:
        self._of_one = of_one
        self._own: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()
        self._all = nullcontext() if in_all is None else asyncio.Semaphore(in_all)

    @asynccontextmanager
    async def turn(self, who: str) -> AsyncIterator[None]:
        """Wait for a visitor's turn, and keep it until the end of the context."""
        own = self._own.get(who)
        if own is None:
            own = self._own[who] = asyncio.Semaphore(self._of_one)
        async with own, self._all:
            yield
