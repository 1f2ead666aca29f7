"""A backup has all of a hill, and a hill made of it goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from koth.hill.backup import TABLES
from koth.hill.models import Version
from tests.hill.conftest import Place

RUN = ("--isolation", "none")


def rows() -> dict[str, list[dict[str, object]]]:
    return {table.__name__: list(table.objects.order_by("pk").values()) for table in TABLES.values()}


@pytest.fixture
def played(hill: Place) -> Place:
    """A hill with two matches."""
    for name in ("fox", "hen"):
        hill.submit(name, name)
    Version.objects.update(state="playing")
    hill("run", "--matches", 2, *RUN)
    return hill


def test_a_hill_made_of_a_backup_is_the_same_and_goes_on(played: Place, tmp_path: Path) -> None:
    before = rows()
    files = {file.name: file.read_bytes() for file in (played.folder / "replays").iterdir()}
    count = played("backup", tmp_path / "backup")["rows"]
    assert count == sum(len(found) for found in before.values())
    assert (tmp_path / "backup" / "hill.jsonl.gz").stat().st_mode & 0o77 == 0
    assert played.refused("backup", tmp_path / "backup").endswith("a backup wants a new folder")
    done = played.koth("hill", "restore", tmp_path / "backup", tmp_path / "again")
    assert done.code == 0, done.err
    again = Place(played.koth, tmp_path / "again")
    assert again("status") == played("status")
    again("status")
    assert {file.name: file.read_bytes() for file in (again.folder / "replays").iterdir()} == files
    assert again("run", "--matches", 1, *RUN) == {"matches": 1}
    assert [match["match"] for match in again("matches")] == [3, 2, 1]
    assert played("status")["matches"]["played"] == 2


def test_what_is_no_backup_is_told(played: Place, tmp_path: Path) -> None:
    again = tmp_path / "again"
    assert "is not a backup of a hill" in played.koth.refused("hill", "restore", tmp_path / "none", again)
    played("backup", tmp_path / "backup")
    file = tmp_path / "backup" / "hill.jsonl.gz"
    whole = file.read_bytes()
    for data in (b"nothing of the kind", whole[: len(whole) // 2]):
        file.write_bytes(data)
        assert str(file) in played.koth.refused("hill", "restore", tmp_path / "backup", again)
        assert not (again / "hill.json").exists()
        (again / "hill.sqlite").unlink()
    assert "already holds a hill" in played.koth.refused("hill", "restore", tmp_path / "backup", played.folder)
