"""The match that every bad bot's match is compared with."""

from __future__ import annotations

import pytest

from tests.session.arena import Quiet, quiet_match


@pytest.fixture(scope="session")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Quiet:
    return quiet_match(tmp_path_factory.mktemp("quiet"))
