"""Addresses of a cluster's scheduler and workers: which machines can connect, and where a worker listens.

Without TLS, Dask runs any program that it receives. So plain TCP is allowed on loopback only.
"""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass

from koth.contest.addresses import format_host, is_loopback
from koth.errors import KothError, visible

_ADDRESS = re.compile(
    r"(?:(?P<protocol>\w+)://)?(?:\[(?P<v6>[^\[\]]+)\]|(?P<host>[^\[\]:/@\s]+)):(?P<port>[0-9]{1,5})"
)


@dataclass(frozen=True)
class SchedulerAddress:
    """The address PROTOCOL://HOST:PORT of a scheduler or a worker."""

    protocol: str
    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> SchedulerAddress:
        """Parse an address as Dask writes it; tcp is the default protocol. Raises ValueError."""
        found = _ADDRESS.fullmatch(text)
        if not found or int(found["port"]) >= 1 << 16:
            raise ValueError(f"{text!r} is not an address")
        return cls(found["protocol"] or "tcp", found["v6"] or found["host"], int(found["port"]))

    def __str__(self) -> str:
        return f"{self.protocol}://{format_host(self.host)}:{self.port}"

    @property
    def is_guarded(self) -> bool:
        """True if a connection needs a certificate or an account on this machine."""
        return self.protocol == "tls" or (self.protocol == "tcp" and is_loopback(self.host))


def scheduler_address(text: str) -> SchedulerAddress:
    """Return the address of a scheduler that koth may connect to. Raises KothError."""
    try:
        address = SchedulerAddress.parse(text)
        if address.protocol not in ("tcp", "tls"):
            raise ValueError(f"{address.protocol} is not supported")
    except ValueError:
        raise KothError(
            f"{visible(text)} is not the address of a scheduler: tls://HOST:PORT, or tcp://127.0.0.1:PORT"
        ) from None
    if not address.is_guarded:
        raise KothError(
            f"{address}: TLS is required beyond this machine: tls://{format_host(address.host)}:{address.port}"
        )
    return address


def listening_host(scheduler: SchedulerAddress) -> str:
    """Return the IP address on which a worker listens: its machine's address towards the scheduler.

    Raises KothError if no route leads there, or if other machines could connect to the address by plain TCP.
    """
    try:
        host = _local_address(scheduler.host, scheduler.port)
    except (OSError, UnicodeError) as error:
        raise KothError(f"no route to {scheduler}: {getattr(error, 'strerror', None) or error}") from None
    if not SchedulerAddress(scheduler.protocol, host, 0).is_guarded:
        raise KothError(f"a worker of {scheduler} can't listen on {host}: TLS is required beyond this machine")
    return host


def _local_address(host: str, port: int) -> str:
    """Return the local IP address of a UDP socket towards this host; send nothing. Raises OSError."""
    problem = OSError()
    for family, kind, protocol, _, place in socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM):
        try:
            with socket.socket(family, kind, protocol) as probe:
                probe.connect(place)
                return str(probe.getsockname()[0])
        except OSError as error:
            problem = error
    raise problem
