"""A hill's folder is its owner's alone, whatever the umask is, and is made so when an older one is opened."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from koth_hill.connection import open_hill
from koth_hill.models import Version
from koth_hill.registry import withdraw
from tests.cli.program import GOOD
from tests.hill.conftest import Place

RUN = ("--isolation", "none")
LOUD = GOOD.replace("return", "import sys; print('here', file=sys.stderr)\n        return")


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    """Let everybody write what is made, as some hosts do."""
    before = os.umask(0)
    yield
    assert os.umask(before) in (0, 0o002), "koth takes from others at most the right to write"


def readable(folder: Path) -> list[str]:
    """Return what others may read in a folder: of the copies of bots only the folder counts."""
    found = [folder, *folder.rglob("*")]
    return sorted(
        str(path.relative_to(folder))
        for path in found
        if path.stat().st_mode & 0o77 and "bots" not in path.relative_to(folder).parts[:-1]
    )


def played(hill: Place) -> None:
    for name in ("fox", "hen"):
        hill.submit(name, name, LOUD)
    Version.objects.update(state="playing")
    hill("run", "--matches", 1, *RUN)


def test_all_of_a_hill_is_its_owners(hill: Place, tmp_path: Path) -> None:
    played(hill)
    assert {"replays", "bots", "hill.sqlite"} <= {path.name for path in hill.folder.iterdir()}
    hill("backup", tmp_path / "saved")
    with open_hill(hill.folder):
        withdraw("fox")
        assert (hill.folder / "hill.sqlite-wal").exists()
        assert readable(hill.folder) == []
    for folder in (hill.folder, tmp_path / "saved"):
        assert readable(folder) == []


def test_an_older_hill_is_closed_to_others_and_that_is_said_once(hill: Place) -> None:
    played(hill)
    hill.folder.chmod(0o755)
    done = hill.koth("standings", hill.folder)
    assert (done.code, done.err) == (0, f"others could read {hill.folder}; now only its owner can\n")
    assert readable(hill.folder) == []
    assert hill.koth("standings", hill.folder).err == ""
    hill("run", "--matches", 1, *RUN)
