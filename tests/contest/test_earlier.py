"""The folder of a run of an earlier koth: read without being touched, gone on with, and as if it were of today.

`kind3/` was written by a koth whose results had `user_version` 3: two of three matches, the tables as SQL.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from koth.contest import schema
from koth.contest.store import Store
from tests.cli.program import Koth
from tests.contest.folders import replays, rows

THEN = Path(__file__).with_name("kind3")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """That folder, where its bots are found."""
    folder = Path(shutil.copytree(THEN, tmp_path / "out", ignore=shutil.ignore_patterns("*.py", "*.sql")))
    with closing(sqlite3.connect(folder / "results.sqlite")) as database:
        database.executescript((THEN / "results.sql").read_text())
    record = json.loads((folder / "run.json").read_text())
    for bot in record["bots"]:
        bot["path"] = shutil.copy(THEN / bot["path"], tmp_path)
    record["interpreters"]["python"] = sys.executable
    (folder / "run.json").write_text(json.dumps(record))
    return folder


def test_looking_at_it_changes_nothing(run: Path, koth: Koth) -> None:
    before = (run / "results.sqlite").read_bytes()
    done = koth("standings", run)
    assert done.code == 0, done
    assert "zombies (published), 2 matches, median" in done.out
    assert koth("verify", run).code == 0
    assert (run / "results.sqlite").read_bytes() == before


def test_going_on_with_it(run: Path, koth: Koth, tmp_path: Path) -> None:
    done = koth("resume", run)
    assert done.code == 0, done
    assert koth("verify", run).code == 0
    with closing(sqlite3.connect(run / "results.sqlite")) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (schema.VERSION,)
        assert database.execute("SELECT count(*) FROM questions").fetchone()[0] > 0  # as it was then
    small = ["--set", "players=3", "--set", "vision=2", "--set", "shoot_range=2", "--set", "density=0.02"]
    words = ["--matches", 3, "--seed", 7, "--replays", "answers", "--isolation", "none", "--out", tmp_path / "new"]
    assert koth("run", "zombies", tmp_path / "a.py", tmp_path / "b.py", *small, *words).code == 0
    assert replays(run) == replays(tmp_path / "new")
    assert [row[:6] + row[7:] for row in rows(run)["matches"]] == [
        row[:6] + row[7:] for row in rows(tmp_path / "new")["matches"]
    ]
    assert rows(run)["scores"] == rows(tmp_path / "new")["scores"]


def test_a_new_one_and_a_migrated_one_have_the_same_tables(run: Path, tmp_path: Path) -> None:
    Store(run).close()
    Store(tmp_path / "new").close()
    columns = []
    for folder in (run, tmp_path / "new"):
        with closing(sqlite3.connect(folder / "results.sqlite")) as database:
            names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            columns.append({name: database.execute(f"PRAGMA table_info({name})").fetchall() for name in names})
    told = [{name: [row[1] for row in rows] for name, rows in tables.items()} for tables in columns]
    assert told[0] == told[1]
