"""Folders of hills that strangers have made: opening one reads its own files, connects nowhere, and ends."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.contest.test_strangers_databases import endless
from tests.hill.conftest import Place


def changed(hill: Place, script: str) -> None:
    with closing(sqlite3.connect(hill.folder / "hill.sqlite")) as database:
        database.executescript(script)


def record(hill: Place, **changes: Any) -> None:
    file = hill.folder / "hill.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


NOW = "2026-01-01 00:00:00"
ENDLESS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)"
SPOILT = {
    "view": f"ALTER TABLE hill_match RENAME TO m; CREATE VIEW hill_match AS "
    f"{ENDLESS} SELECT m.* FROM m, r WHERE n < 0",
    "trigger": "CREATE TRIGGER t AFTER INSERT ON hill_auditentry BEGIN UPDATE hill_author SET is_host = 1; END",
    "index": "CREATE INDEX i ON hill_match (hex(why))",
    "own index": "DROP INDEX match_state; CREATE INDEX match_state ON hill_match (hex(state))",
    "partial index": "DROP INDEX match_state; CREATE INDEX match_state ON hill_match (state) WHERE state > 'a'",
    "computed": "ALTER TABLE hill_author ADD COLUMN x AS (hex(zeroblob(500000000)))",
    "default": "ALTER TABLE hill_author ADD COLUMN x DEFAULT (hex(zeroblob(500000000)))",
    "without rowid": "DROP TABLE hill_auditentry; CREATE TABLE hill_auditentry "
    "(id integer PRIMARY KEY, at datetime, who varchar(60), what varchar(40), text text) WITHOUT ROWID",
    "check": "DROP TABLE hill_auditentry; CREATE TABLE hill_auditentry "
    "(id integer NOT NULL PRIMARY KEY AUTOINCREMENT, at datetime NOT NULL, who varchar(60) NOT NULL, "
    "what varchar(40) NOT NULL, text text NOT NULL CHECK (text LIKE '%a%b%c%d%e%'))",
    "missing": "DROP TABLE hill_auditentry",
    "session": "DROP TABLE django_session; CREATE VIEW django_session AS SELECT 1",
}


@pytest.mark.parametrize("kind", SPOILT)
def test_tables_that_koth_does_not_make_are_refused(kind: str, hill: Place) -> None:
    changed(hill, SPOILT[kind])
    every = (["status"], ["submit", "@runner"], ["backup", hill.folder.parent / "saved"])
    for command in every if kind == "view" else every[:1]:
        line = hill.refused(*map(str, command))
        assert line.startswith(str(hill.folder / "hill.sqlite"))
        assert line.endswith("these are not tables of a hill of koth's")


VALUES = {
    "a text as a number": "UPDATE hill_policy SET uploads_a_day = 'x'",
    "bytes as a name": "UPDATE hill_bot SET name = x'fffe'",
    "no text as a time": "UPDATE hill_season SET opened = cast(x'ff' AS text)",
    "no time": "UPDATE hill_auditentry SET at = 'yesterday'",
    "no day": "UPDATE hill_season SET opened = '2026-02-30 00:00:00'",
    "a time in no zone's years": "UPDATE hill_auditentry SET at = '0001-01-01 00:00:00'",
    "a row without the one it refers to": "PRAGMA foreign_keys = OFF; UPDATE hill_version SET bot_id = 77",
    "a number without an end": "INSERT INTO hill_fit VALUES (1, '2026-01-01 00:00:00', 1, 1, 1); "
    "INSERT INTO hill_rating VALUES (1, 9e999, 1, 1, 1, 1, 1, 1)",
    "an array for an object": "UPDATE hill_season SET layout = '[7]'",
    "null for an object": "UPDATE hill_season SET layout = 'null'",
    "an object without its keys": "UPDATE hill_season SET layout = '{}'",
    "no JSON": "PRAGMA ignore_check_constraints = ON; UPDATE hill_season SET layout = '{'",
    "a ranking that koth does not have": """UPDATE hill_season SET layout = json_replace(layout, '$.rank_by', 'x')""",
}


@pytest.mark.parametrize("kind", VALUES)
def test_values_that_koth_does_not_write_are_refused(kind: str, hill: Place) -> None:
    hill.submit("fox")
    changed(hill, f"INSERT OR IGNORE INTO hill_policy VALUES (1, '', '', 0, 1, 1, 1, 1, 1, 1, ''); {VALUES[kind]}")
    line = hill.refused("audit" if " time" in kind else "standings")
    assert "\n" not in line
    assert ("hill_policy" in line) == ("hill_policy" in VALUES[kind])


def test_a_table_without_an_end(hill: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("koth.contest.sqlite_limits.LEAST_STEPS", 100_000)
    monkeypatch.setattr("koth.contest.sqlite_limits.STEPS_PER_BYTE", 0.1)
    file = hill.folder / "hill.sqlite"
    row = "'2026-01-01 00:00:00', 'eve', 'x', hex(zeroblob(200))"
    numbers = f"WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n LIMIT 3000) SELECT i, {row} FROM n"
    changed(hill, f"INSERT INTO hill_auditentry {numbers}; PRAGMA journal_mode = DELETE")
    with closing(sqlite3.connect(file)) as database:
        (root,) = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'hill_auditentry'").fetchone()
        (page,) = database.execute("PRAGMA page_size").fetchone()
    endless(file, root, page)
    line = hill.refused("backup", hill.folder.parent / "saved")
    assert line == f"{file}: it is damaged: a table has no end"


@pytest.mark.parametrize("name", ["hill.sqlite", "hill.sqlite-wal", "hill.sqlite-shm", "hill.sqlite-journal"])
@pytest.mark.parametrize("kind", ["link", "hard link", "pipe"])
def test_a_database_that_lies_elsewhere_is_refused(name: str, kind: str, hill: Place, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes((hill.folder / "hill.sqlite").read_bytes())
    before, file = outside.read_bytes(), hill.folder / name
    file.unlink(missing_ok=True)
    {"link": file.symlink_to, "hard link": file.hardlink_to, "pipe": lambda _: os.mkfifo(file)}[kind](outside)
    assert hill.refused("submit", "@runner").startswith(f"{file}: ")
    assert outside.read_bytes() == before


@pytest.mark.parametrize("place", ["notes", "replays"])
def test_folders_that_lie_elsewhere_are_refused(place: str, hill: Place, tmp_path: Path) -> None:
    (hill.folder / place).parent.mkdir(exist_ok=True)
    (hill.folder / place).symlink_to(tmp_path)
    assert f"{hill.folder / place}: a link" in hill.refused("season", "freeze")


RECORDS = {
    "deep": b"[" * 60_000,
    "large": b" " * (1 << 17),
    "no object": b"7",
    "true": b'{"seats": true}',
    "endless": b'{"keep_days": 99999999999}',
    "none": b'{"seats": 0}',
    "not a number": b'{"hours_a_day": NaN}',
    "replays": b'{"replays": "some"}',
    "game": b'{"game": "../x\\u001b[31m"}',
}


@pytest.mark.parametrize("kind", RECORDS)
def test_a_record_that_koth_does_not_write_is_refused(kind: str, hill: Place) -> None:
    file, data = hill.folder / "hill.json", RECORDS[kind]
    if data.startswith(b"{"):
        whole = file.read_text().rstrip().removesuffix("}")
        data = f"{whole}, {data[1:].decode()}".encode()
    file.write_bytes(data)
    hill.refused("submit", "@runner")


# --- servers


@pytest.mark.parametrize("how", ["tcp", "socket"])
def test_a_server_that_only_the_folder_names_hears_nothing(
    how: str, hill: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", "secret")
    monkeypatch.delenv("KOTH_DATABASE", raising=False)
    with socket.socket(socket.AF_INET if how == "tcp" else socket.AF_UNIX) as door:
        door.bind(("127.0.0.1", 0) if how == "tcp" else str(tmp_path / ".s.PGSQL.5432"))
        door.listen()
        door.setblocking(False)
        url = (
            f"postgresql://127.0.0.1:{door.getsockname()[1]}/x"
            if how == "tcp"
            else f"postgresql:///x?host={tmp_path}"
        )
        record(hill, database=url)
        for command in (["status"], ["submit", "@runner"], ["run"]):
            line = hill.refused(*command)
            assert "set KOTH_DATABASE to the URL" in line
        with pytest.raises(BlockingIOError):
            door.accept()


def test_a_server_that_was_named_is_asked(hill: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    url = "postgresql://koth@/x?host=/nowhere"
    record(hill, database=url)
    monkeypatch.setenv("KOTH_DATABASE", f"{url}2")
    assert "set KOTH_DATABASE to the URL" in hill.refused("season", "freeze")
    monkeypatch.setenv("KOTH_DATABASE", url)
    assert "No such file or directory" in hill.refused("season", "freeze")


# --- rows on which a runner acts


@pytest.mark.parametrize("name", ["{outside}", "../../../{outside.name}", ".."])
def test_an_upload_is_written_nowhere_else(name: str, hill: Place, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    changed(
        hill,
        f"INSERT INTO hill_author VALUES (7, '', NULL, 'eve', 0, 1, 0, '{NOW}', '', NULL); "
        f"INSERT INTO hill_upload VALUES (1, '', '{name.format(outside=outside)}', 1, '{NOW}', 'waiting', '', 0, "
        "x'23', 7, NULL, NULL)",
    )
    assert hill.koth("hill", "run", hill.folder, "--matches", 1, "--isolation", "none").code == 0
    assert not outside.exists()
    with closing(sqlite3.connect(hill.folder / "hill.sqlite")) as database:
        ((state, reason),) = database.execute("SELECT state, reason FROM hill_upload").fetchall()
    assert state == "refused"
    assert reason.endswith("is not the name of a file that can be sent")


@pytest.mark.parametrize("name", ["/etc/hostname", "../../x", "", ".."])
def test_a_version_has_no_files_elsewhere(name: str, hill: Place) -> None:
    hill.submit("fox")
    changed(hill, f"UPDATE hill_version SET file = '{name}'")
    hill("run", "--matches", 1, "--isolation", "none")
    (version,) = hill.versions("fox")
    assert version["reason"] == f"{name!r} is not the name of a bot's folder or file"


def test_a_season_without_a_secret_is_not_played(hill: Place) -> None:
    changed(hill, "UPDATE hill_season SET secret = 'xx'")
    assert "has no secret: 32 hex digits are expected" in hill.refused("run", "--isolation", "none")
