"""Connections to the site: requests must arrive in time; if there are too many connections, the longest idle one is
closed.
"""

from __future__ import annotations

import asyncio
import resource
from collections import Counter
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from koth.hill.site.throttle import network_of

HEAD_TIMEOUT = 10.0
"""Seconds within which the head of a request must arrive, after the connection or the last answer."""
REST_TIMEOUT = 60.0
"""Seconds within which a visitor must read the rest of a completely written answer."""
CONNECTIONS_OF_ONE = 200
"""The most connections of one address: a browser opens six, and a class may share an address."""
OPEN_FILES = 1 << 14
"""The number of open files that the site requests from its system; half of these files may be connections."""
ABORT = "abort"
"""The key, in a request's `state`, of the function that ends its connection."""


def raise_limit_of_files() -> int:
    """Raise the soft limit of open files as far as the hard limit allows; return the most connections to hold."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < OPEN_FILES:
        soft = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return (OPEN_FILES if soft == resource.RLIM_INFINITY else min(OPEN_FILES, soft)) // 2


class Crowd:
    """All connections of a site: at most `most` in all and `of_one` per address.

    To admit one more, the crowd closes the connection that has waited longest for a request: idle connections never
    keep out active ones.
    """

    def __init__(self, most: int, of_one: int) -> None:
        self.most = most
        self.of_one = of_one
        self._held: set[SiteConnection] = set()
        self._count: Counter[str] = Counter()
        self._idle: dict[SiteConnection, None] = {}
        """The connections that wait for a request, the longest waiting first."""

    def enter(self, one: SiteConnection) -> None:
        """Count a new connection, which waits for a request; close another connection if there are too many."""
        self._held.add(one)
        self._count[one.address] += 1
        self.wait(one)
        if self._count[one.address] > self.of_one:
            next(other for other in self._idle if other.address == one.address).close()
        elif len(self._held) > self.most:
            next(iter(self._idle)).close()

    def wait(self, one: SiteConnection) -> None:
        """Record that a connection waits for a request from now on."""
        self.stop_waiting(one)
        if one in self._held:
            self._idle[one] = None

    def stop_waiting(self, one: SiteConnection) -> None:
        """Record that a connection has a request."""
        self._idle.pop(one, None)

    def leave(self, one: SiteConnection) -> None:
        """Remove a connection from the count."""
        if one in self._held:
            self.stop_waiting(one)
            self._held.remove(one)
            self._count[one.address] -= 1
            if not self._count[one.address]:
                del self._count[one.address]


class SiteConnection(H11Protocol):
    """A connection that is counted in a crowd."""

    crowd: Crowd
    address = ""
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.address = network_of(self.client[0]) if self.client else ""
        self.app_state: dict[str, Any] = {**self.app_state, ABORT: self.close}
        self._wait(HEAD_TIMEOUT)
        self.crowd.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop_waiting()
        self.crowd.leave(self)

    def handle_events(self) -> None:
        """Process received data; a complete head ends the connection's wait."""
        super().handle_events()
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()
            self.crowd.stop_waiting(self)

    def on_response_complete(self) -> None:
        """Wait for the next request, which may have arrived together with the last request."""
        self._wait(REST_TIMEOUT if self.transport.get_write_buffer_size() else HEAD_TIMEOUT)
        self.crowd.wait(self)
        super().on_response_complete()

    def close(self) -> None:
        """Close the connection at once: an orderly close would wait until the visitor has read what was written."""
        self.crowd.leave(self)
        self.transport.abort()

    def _wait(self, seconds: float) -> None:
        self._stop_waiting()
        self._deadline = self.loop.call_later(seconds, self.close)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()


def make_connection_class(crowd: Crowd) -> type[SiteConnection]:
    """Return the class of a crowd's connections, for uvicorn."""
    return type("Connection", (SiteConnection,), {"crowd": crowd})
