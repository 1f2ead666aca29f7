"""Databases of strangers: small files with tables that never end, columns that compute, the name of another file."""

from __future__ import annotations

import sqlite3
import struct
from pathlib import Path

import pytest

from koth.contest.results import Results
from koth.contest.sqlite_limits import NAMES_ANOTHER
from koth.contest.store import Store
from koth.errors import KothError

ROWS = 2000


def results(folder: Path) -> sqlite3.Connection:
    """The database of a run in one file, with as many matches that the table has more than one page."""
    Store(folder).close()
    database = sqlite3.connect(folder / "results.sqlite", isolation_level=None)
    database.execute("PRAGMA journal_mode = DELETE")
    row = "0, 1, 'replays/match-0001.koth.gz', 'd', 0, '', 0, 0"
    numbers = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {ROWS}) SELECT i, {row} FROM n"
    database.execute(f"INSERT INTO matches {numbers}")
    return database


def endless(file: Path, root: int, page: int) -> None:
    """Let all children of a table's root be one page, all of whose children are one page, and so on: 550^6 leaves."""
    data = bytearray(file.read_bytes())
    start = (root - 1) * page
    assert data[start] == 5, "its root has children"
    (child,) = struct.unpack_from(">I", data, start + 8)
    for level in range(6):
        count, at, new = (page - 12) // 7, page, bytearray(page)
        for number in range(count):
            at -= 5
            struct.pack_into(">IB", new, at, child, 1)
            struct.pack_into(">H", new, 12 + 2 * number, at)
        struct.pack_into(">BHHHBI", new, 0, 5, 0, count, at, 0, child)
        if level < 5:
            data += new
            child = len(data) // page
        else:
            data[start : start + page] = new
    struct.pack_into(">I", data, 28, len(data) // page)
    file.write_bytes(data)


@pytest.mark.parametrize("question", ["__len__", "numbers", "matches"])
def test_a_table_whose_pages_have_no_end(question: str, tmp_path: Path) -> None:
    database = results(tmp_path)
    (root,) = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'matches'").fetchone()
    (page,) = database.execute("PRAGMA page_size").fetchone()
    database.close()
    endless(tmp_path / "results.sqlite", root, page)
    with pytest.raises(KothError, match="it is damaged: a table has no end"):
        getattr(Results(tmp_path), question)()


SPOILT = {
    "a view": (
        "ALTER TABLE revealed RENAME TO t; CREATE VIEW revealed AS SELECT * FROM t",
        "'revealed' is not a table",
    ),
    "a trigger": (
        "CREATE TRIGGER t AFTER INSERT ON matches BEGIN DELETE FROM scores; END",
        "'t' is not a table",
    ),
    "an index": ("CREATE INDEX i ON matches (hex(turns))", "'i' is not a table"),
    "a computed column": (
        "DROP TABLE revealed; CREATE TABLE revealed (one, block AS (hex(zeroblob(500000000))))",
        "revealed.block is computed",
    ),
    "a computed column that is kept": (
        "DROP TABLE revealed; CREATE TABLE revealed (one, block AS (hex(one)) STORED)",
        "revealed.block is computed",
    ),
}


@pytest.mark.parametrize("reads_only", [True, False])
@pytest.mark.parametrize("name", SPOILT)
def test_what_is_no_table_of_ours(name: str, reads_only: bool, tmp_path: Path) -> None:
    script, complaint = SPOILT[name]
    database = results(tmp_path)
    database.executescript(script)
    database.close()
    with pytest.raises(KothError, match=f"{complaint}; these are not results of koth's"):
        Results(tmp_path).matches() if reads_only else Store(tmp_path)


def test_other_tables_in_the_file_are_ignored(tmp_path: Path) -> None:
    database = results(tmp_path)
    database.executescript("CREATE TABLE mine (a); CREATE VIEW view AS SELECT * FROM matches")
    database.close()
    assert len(Results(tmp_path)) == ROWS


@pytest.mark.parametrize("value", ["'word'", "x'ff'", "1.5"])
def test_values_of_another_kind(value: str, tmp_path: Path) -> None:
    database = results(tmp_path)
    database.execute(f'UPDATE matches SET turns = {value} WHERE "match" = 3')
    database.close()
    with pytest.raises(KothError, match="a row is invalid"):
        Results(tmp_path).matches()


def test_a_journal_that_names_another_file(tmp_path: Path) -> None:
    """SQLite would roll it back, and then remove the file that it names."""
    results(tmp_path).close()
    (tmp_path / "results.sqlite-journal").write_bytes(bytes(512) + NAMES_ANOTHER)
    with pytest.raises(KothError, match="it belongs to more than one database"):
        Store(tmp_path)
