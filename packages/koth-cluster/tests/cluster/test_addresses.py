"""Addresses of a cluster: which of them koth connects to, and where its workers listen."""

from __future__ import annotations

import socket
from contextlib import closing

import pytest

from koth.errors import KothError
from koth_cluster import addresses
from koth_cluster.addresses import SchedulerAddress, listening_host, scheduler_address

REFUSED = {
    "10.0.0.1:8786": "tcp://10.0.0.1:8786: TLS is required beyond this machine: tls://10.0.0.1:8786",
    "tcp://example.org:8786": "TLS is required beyond this machine: tls://example.org:8786",
    "tcp://[2001:db8::1]:8786": "TLS is required beyond this machine: tls://[2001:db8::1]:8786",
    "tcp://127.1:8786": "TLS is required beyond this machine",
    "tcp://0.0.0.0:8786": "TLS is required beyond this machine",
    "ws://127.0.0.1:1": "is not the address of a scheduler: tls://HOST:PORT, or tcp://127.0.0.1:PORT",
    "tcp://127.0.0.1": "is not the address of a scheduler",
    "tcp://127.0.0.1:80:8786": "is not the address of a scheduler",
    "tcp://127.0.0.1:65536": "is not the address of a scheduler",
    "tcp://a@127.0.0.1:1": "is not the address of a scheduler",
    "tls://:8786": "is not the address of a scheduler",
}
TAKEN = {
    "127.0.0.1:8786": SchedulerAddress("tcp", "127.0.0.1", 8786),
    "tcp://localhost:8786": SchedulerAddress("tcp", "localhost", 8786),
    "tcp://[::1]:8786": SchedulerAddress("tcp", "::1", 8786),
    "tls://example.org:8786": SchedulerAddress("tls", "example.org", 8786),
    "tls://[2001:db8::1]:1": SchedulerAddress("tls", "2001:db8::1", 1),
}
HOSTS = {
    ("tcp", "127.0.0.1"): ["127.0.0.1"],
    ("tcp", "localhost"): ["127.0.0.1", "::1"],
    ("tls", "127.0.0.2"): ["127.0.0.1"],
}
"""Where a worker listens, by the protocol and host of its scheduler."""


@pytest.mark.parametrize("text", REFUSED)
def test_schedulers_that_koth_does_not_connect_to(text: str) -> None:
    with pytest.raises(KothError) as refused:
        scheduler_address(text)
    assert REFUSED[text] in str(refused.value)


@pytest.mark.parametrize("text", TAKEN)
def test_schedulers_that_koth_connects_to(text: str) -> None:
    assert scheduler_address(text) == TAKEN[text]
    assert SchedulerAddress.parse(str(TAKEN[text])) == TAKEN[text]


@pytest.mark.parametrize("case", HOSTS)
def test_a_worker_listens_on_one_address(case: tuple[str, str]) -> None:
    assert listening_host(SchedulerAddress(*case, 8786)) in HOSTS[case]


def test_a_worker_has_a_route_to_its_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KothError, match=r"no route to tls://a\.\.b:8786"):
        listening_host(SchedulerAddress("tls", "a..b", 8786))
    monkeypatch.setattr(addresses, "_local_address", lambda *_: "192.0.2.7")
    with pytest.raises(KothError, match=r"can't listen on 192\.0\.2\.7: TLS is required beyond this machine"):
        listening_host(SchedulerAddress("tcp", "localhost", 8786))


def test_a_worker_listens_on_ipv6() -> None:
    try:
        with closing(socket.socket(socket.AF_INET6)) as free:
            free.bind(("::1", 0))
    except OSError as error:
        pytest.skip(f"this machine has no IPv6: {error}")
    assert listening_host(SchedulerAddress("tcp", "::1", 8786)) == "::1"
