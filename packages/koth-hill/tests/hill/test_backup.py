"""A backup is written while the hill goes on, and a hill made of it goes on, too."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from koth_hill import retention
from koth_hill.backup import backup
from koth_hill.connection import open_hill
from koth_hill.models import Match, Version
from koth_hill.retention import hold_removals, sweep
from tests.hill.conftest import Place

RUN = ("--isolation", "none")


@pytest.fixture
def played(hill: Place) -> Place:
    """A hill with two matches."""
    for name in ("fox", "hen"):
        hill.submit(name, name)
    Version.objects.update(state="playing")
    hill("run", "--matches", 2, *RUN)
    return hill


@pytest.mark.slow
def test_a_hill_made_of_a_backup_is_the_same_and_goes_on(played: Place, tmp_path: Path) -> None:
    files = {file.name: file.read_bytes() for file in (played.folder / "replays").iterdir()}
    (played.folder / "site.key").write_text("secret")
    saved, again = tmp_path / "saved", Place(played.koth, tmp_path / "again")
    assert played("backup", saved) == f"{saved}: 4 files and the database\n", "record, key, and two replays"
    assert (saved / "hill.sqlite").stat().st_mode & 0o77 == 0
    assert played.refused("backup", saved).startswith("name a new folder for the backup")
    shutil.copytree(saved, again.folder)
    assert again.status() == played.status()
    assert {file.name: file.read_bytes() for file in (again.folder / "replays").iterdir()} == files
    assert (again.folder / "site.key").read_text() == "secret"
    assert "verified, 2 matches" in played.koth("verify", again.folder).out
    assert again("run", "--matches", 1, *RUN) == {"matches": 1}
    assert [match["match"] for match in again.matches()] == [3, 2, 1]
    assert played.status()["matches"]["played"] == 2


def test_a_runner_goes_on_during_a_backup_and_removes_nothing(
    played: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replays = played.folder / "replays"
    record = played.folder / "hill.json"
    record.write_text(record.read_text().replace('"keep_days": null', '"keep_days": 1'))
    monkeypatch.setattr(retention, "find_memorable", set)
    with open_hill(played.folder) as hill:
        Match.objects.update(ended="2020-01-01T00:00:00Z")
        with hold_removals(hill.folder):
            sweep(hill)
            assert len([*replays.iterdir()]) == 2
        with closing(sqlite3.connect(played.folder / "hill.sqlite")) as reader:  # as a runner or the site reads
            reader.execute("BEGIN; ")
            reader.execute("SELECT * FROM hill_match").fetchone()
            assert backup(hill, tmp_path / "saved") == 3
        sweep(hill)
        assert [*replays.iterdir()] == []
    assert len([*(tmp_path / "saved" / "replays").iterdir()]) == 2
