"""The match that every hostile bot's match is compared with, and what must be true after each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from koth.sandbox.descendants import descendants
from koth.sandbox.supervised_process import _Spawner
from tests.contest.folders import wait_until
from tests.session.arena import Quiet, quiet_match

PLACES = ("/tmp", "/dev", "/dev/shm", "/", "/var/tmp")
"""Where hostile bots try to write."""


@pytest.fixture(scope="session")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Quiet:
    return quiet_match(tmp_path_factory.mktemp("quiet"))


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """No process of a bot's is there any more, and no file."""
    yield
    for spawner in _Spawner.by_libraries.values():
        if (process := spawner.process) is not None:
            wait_until(lambda pid=process.pid: descendants(pid) == [], 10)  # supervisors end soon after all else
    for place in PLACES:
        assert not list(Path(place).glob("koth-zoo*"))
        assert not list(Path(place).glob("koth-probe")), place
