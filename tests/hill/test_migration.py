"""A hill of an earlier koth is brought up to a later one, which has an artificial migration."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from django.db import connection
from django.test import override_settings

from koth.hill.connection import DATABASE, _make_tables_in_memory, open_hill
from koth.hill.databases import Applied
from koth.hill.drafts import texts_of
from koth.hill.migration import read_migrations
from koth.hill.models import AuditEntry, Author, Draft, Policy, Season
from tests.hill.conftest import Place

LATER = override_settings(MIGRATION_MODULES={"hill": "tests.hill.later.migrations"})


def test_a_hill_lives_through_a_new_version_of_koth(hill: Place, tmp_path: Path) -> None:
    hill.submit("fox", "fred")
    before = hill("status")
    with LATER:
        assert "tables of an earlier koth" in hill.refused("status")
        assert "koth hill migrate" in hill.refused("run", "--matches", 1)
        done = hill("migrate")
        assert done["migrations"] == ["hill.0005_licence"]
        assert hill("migrate") == {"migrations": [], "backup": None}
        assert hill("status") == before
        with open_hill(hill.folder), connection.cursor() as cursor:
            cursor.execute("SELECT licence FROM hill_season")
            assert cursor.fetchall() == [("MIT",)]
            assert AuditEntry.objects.filter(what="migrate", text__contains="hill.0005_licence").exists()
            assert Season.objects.count() == 1
    assert "tables of a newer koth" in hill.refused("status")
    again = Place(hill.koth, tmp_path / "again")
    assert hill.koth("hill", "restore", done["backup"], again.folder).code == 0
    assert again("status")["season"] == before["season"]


def test_nothing_is_migrated_without_a_backup(hill: Place) -> None:
    (hill.folder / "backups").write_text("no folder")
    with LATER:
        assert "backups: File exists" in hill.refused("migrate")
        assert "tables of an earlier koth" in hill.refused("status")


def make_earlier(folder: Path, later: Applied) -> None:
    """Give a hill's rows the tables of an earlier koth, without these migrations."""
    with open_hill(folder):
        applied = read_migrations() - later
    earlier = _make_tables_in_memory(applied)
    earlier.execute("PRAGMA foreign_keys = OFF")
    with closing(sqlite3.connect(folder / DATABASE)) as database:
        tables = [name for (name,) in earlier.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in {*tables} - {"django_migrations", "sqlite_sequence"}:
            now = {row[1] for row in database.execute(f"PRAGMA table_info({table})")}
            columns = [row[1:3] for row in earlier.execute(f"PRAGMA table_info({table})")]
            values = ", ".join(
                f'"{name}"' if name in now else "0" if kind == "bool" else "''" for name, kind in columns
            )
            rows = database.execute(f"SELECT {values} FROM {table}").fetchall() if now else []
            earlier.execute(f"DELETE FROM {table}")
            earlier.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", rows)
        earlier.commit()
        earlier.backup(database)


def test_drafts_of_one_file_and_the_latest_announcement_keep_their_texts(hill: Place) -> None:
    hill.submit("fox", "fred")
    with open_hill(hill.folder):
        Draft.objects.create(author=Author.objects.get(), name="hen", file="bot.py")
    later = "0002_finals_and_files", "0003_one_announcement", "0004_standings_at_the_end"
    make_earlier(hill.folder, {("hill", name) for name in later})
    with closing(sqlite3.connect(hill.folder / DATABASE)) as database, database:
        database.execute("UPDATE hill_draft SET source = 'class Bot: ...'")
        for number, text in enumerate(("It begins.", "It ends at noon."), 1):
            database.execute("INSERT INTO hill_announcement VALUES (?, '2026-01-01 00:00:00', ?)", (number, text))
    assert hill("migrate")["migrations"] == [f"hill.{name}" for name in later]
    with open_hill(hill.folder):
        assert Policy.objects.get().announcement == "It ends at noon."
        assert texts_of(Draft.objects.get()) == [("bot.py", "class Bot: ...")]
    assert hill("status")["bots"] == 1
