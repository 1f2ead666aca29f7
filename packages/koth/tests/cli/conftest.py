"""The command line for tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.program import Koth


@pytest.fixture
def koth(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Koth:
    """Runs commands, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return Koth(monkeypatch, capfd)
