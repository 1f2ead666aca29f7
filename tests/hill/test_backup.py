"""A backup has all of a hill, and a hill made of it goes on."""

from __future__ import annotations

import gzip
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from koth.hill.backup import TABLES, backup
from koth.hill.connection import DATABASE, open_hill
from koth.hill.models import AuditEntry, Version
from tests.hill.conftest import Place

RUN = ("--isolation", "none")


def rows() -> dict[str, list[dict[str, object]]]:
    return {table.__name__: list(table.objects.order_by("pk").values()) for table in TABLES}


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
    assert played.refused("backup", tmp_path / "backup").startswith("name a new folder for the backup")
    done = played.koth("hill", "restore", tmp_path / "backup", tmp_path / "again")
    assert done.code == 0, done.err
    again = Place(played.koth, tmp_path / "again")
    assert again.status() == played.status()
    again.status()
    assert {file.name: file.read_bytes() for file in (again.folder / "replays").iterdir()} == files
    assert again("run", "--matches", 1, *RUN) == {"matches": 1}
    assert [match["match"] for match in again.matches()] == [3, 2, 1]
    assert played.status()["matches"]["played"] == 2


def test_others_write_while_a_backup_reads_one_moment(played: Place, tmp_path: Path) -> None:
    def write(part: str) -> None:
        if part.startswith("rows: ") and part != "rows: author":  # the first table is read then
            with closing(sqlite3.connect(played.folder / DATABASE, timeout=0)) as other, other:
                other.execute(
                    "INSERT INTO hill_auditentry (at, who, what, text) VALUES ('2031-01-01', '', 'late', '')"
                )

    with open_hill(played.folder) as hill:
        before = sum(table.objects.count() for table in TABLES)
        assert backup(hill, tmp_path / "backup", write) == before
        assert AuditEntry.objects.filter(what="late").count() == len(TABLES) - 1
    assert b"late" not in gzip.decompress((tmp_path / "backup" / "hill.jsonl.gz").read_bytes())


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


@pytest.fixture
def saved(hill: Place, tmp_path: Path) -> Path:
    """A backup of a hill with a bot, and files of the host's beside it."""
    hill.submit("fox", "fox")
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "match-0001.koth.gz").write_text("SECRET")
    hill("backup", tmp_path / "backup")
    return tmp_path / "backup"


def restored(hill: Place, saved: Path) -> str:
    """Return the line with which the backup is refused; nothing of the host's is in the new hill."""
    again = saved.parent / "again"
    line = hill.koth.refused("hill", "restore", saved, again)
    assert not (again / "hill.json").exists()
    assert not [file for file in again.rglob("*") if file.is_file() and b"SECRET" in file.read_bytes()]
    return line


@pytest.mark.parametrize("place", ["notes", "replays", "season-1", "replays/match-0001.koth.gz"])
def test_links_in_a_backup_are_refused(place: str, hill: Place, saved: Path) -> None:
    link = saved / place
    link.parent.mkdir(parents=True, exist_ok=True)
    target = saved.parent / "private"
    link.symlink_to(target / link.name if link.suffix else target)
    assert f"{link} is a link" in restored(hill, saved)


def test_a_pipe_in_a_backup_is_refused(hill: Place, saved: Path) -> None:
    (saved / "notes").mkdir()
    os.mkfifo(saved / "notes" / "pipe")
    assert f"{saved / 'notes' / 'pipe'} is not a file" in restored(hill, saved)


ROWS = {
    "another table": (b'{"model": "sessions.session", "pk": "x", "fields": {}}', "is not a table of hills"),
    "no row": (b"[1]", "is not a table of hills"),
    "deep": (b"[" * 100_000, "recursion"),
    "many values": (b'{"model": [' + b"0," * 1_100_000, "more than 1,000,000 values"),
    "long": (b" " * (129 << 20), "more than 128 MB"),
    "no fields": (b'{"model": "hill.author", "pk": 1}', "line 2"),
    "wrong value": (b'{"model": "hill.match", "pk": 1, "fields": {"turns": "many"}}', "many"),
    "wrong JSON": (
        b'{"model": "hill.runner", "pk": 1, "fields": {"host": "x", "pid": 1, "machine": [7]}}',
        "machine must be a table of keys and values",
    ),
    "infinite": (
        b'{"model": "hill.seat", "pk": 1, "fields": {"match": 1, "place": 0, "version": 1, "score": "Infinity"}}',
        "score is inf, not a finite number",
    ),
    "unknown fault": (
        b'{"model": "hill.seat", "pk": 1, "fields": {"match": 1, "place": 0, "version": 1, "faults": '
        b'{"bored": {"count": 1, "turn": 1, "text": ""}}}}',
        "`faults` has 'bored', which is not one of late, crash",
    ),
    "strange field": (b'{"model": "hill.author", "pk": 1, "fields": {"x": 1}}', "x"),
}


@pytest.mark.parametrize("kind", ROWS)
def test_rows_of_a_stranger_are_refused_with_the_reason(kind: str, hill: Place, saved: Path) -> None:
    row, problem = ROWS[kind]
    file = saved / "hill.jsonl.gz"
    first = gzip.decompress(file.read_bytes()).split(b"\n")[0]
    file.write_bytes(gzip.compress(first + b"\n" + row, 1))
    line = restored(hill, saved)
    assert line.startswith(f"{file}: line 2 is not a row of a hill: ")
    assert problem in line


def test_rows_that_never_end_are_refused(hill: Place, saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("koth.hill.backup.SMALLEST_LIMIT", 1 << 20)
    file = saved / "hill.jsonl.gz"
    row = b'{"model": "hill.policy", "pk": 1, "fields": {"title": ""}}' + b" " * 10_000
    file.write_bytes(gzip.compress(b"\n".join([row] * 2000)))
    assert "more than 200 times the bytes of the file" in restored(hill, saved)
