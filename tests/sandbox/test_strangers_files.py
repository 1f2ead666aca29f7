"""Files of strangers that a host opens: pipes, devices and endless tables are refused in one line, at once."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from koth.contest.record import read_run
from koth.contest.store import Store
from koth.errors import KothError
from koth.plain import read_plain
from koth.replay import Replay, ReplayError


def odd(kind: str, place: Path) -> Path:
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "device":
        place.symlink_to("/dev/zero")
    else:
        with open(place, "wb") as file:
            file.truncate(2 << 30)
    return place


@pytest.mark.parametrize("kind", ["pipe", "device", "large"])
def test_a_replay(kind: str, tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match=r"it is (no file|larger than 1024 MB)"):
        Replay(odd(kind, tmp_path / "match.koth.gz"))


@pytest.mark.parametrize("kind", ["pipe", "device", "large"])
def test_a_record(kind: str, tmp_path: Path) -> None:
    odd(kind, tmp_path / "run.json")
    with pytest.raises(KothError, match=r"run.json: it is (no file|larger than 64 MB)"):
        read_run(tmp_path)


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_results(kind: str, tmp_path: Path) -> None:
    odd(kind, tmp_path / "results.sqlite")
    with pytest.raises(KothError, match=r"results.sqlite: it is no file"):
        Store(tmp_path, read_only=True)


def test_a_table_without_an_end(tmp_path: Path) -> None:
    Store(tmp_path).close()
    database = sqlite3.connect(tmp_path / "results.sqlite")
    endless = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    with database:
        database.execute("DROP TABLE matches")
        database.execute(f"CREATE VIEW matches AS {endless}")
    database.close()
    with pytest.raises(KothError, match="'matches' is no table; these are no results of koth's"):
        Store(tmp_path, read_only=True)


def test_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abc")
    (tmp_path / "link").symlink_to("file")
    assert read_plain(tmp_path / "link") == b"abc"
    with pytest.raises(OSError, match="larger"):
        read_plain(tmp_path / "file", 2)
