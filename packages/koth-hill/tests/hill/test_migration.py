"""A hill of an earlier koth is brought up to a later one, which has an artificial migration."""

from __future__ import annotations

from pathlib import Path

from django.db import connection
from django.test import override_settings

from koth.contest.lock import lock_run
from koth_hill.connection import open_hill
from koth_hill.models import AuditEntry, Season
from tests.hill.conftest import Place

LATER = override_settings(MIGRATION_MODULES={"hill": "tests.hill.later.migrations"})


def test_a_hill_lives_through_a_new_version_of_koth(hill: Place) -> None:
    hill.submit("fox", "fred")
    before = hill.status()
    with LATER:
        assert "tables of an earlier koth" in hill.refused("season", "freeze")
        assert "koth hill migrate" in hill.refused("run", "--matches", 1)
        with lock_run(hill.folder):
            assert "another koth is running" in hill.refused("migrate")
        done = hill("migrate")
        assert "migrated by hill.0002_licence; the database before: " in done
        assert hill("migrate") == f"{hill.folder}: the tables are up to date\n"
        assert hill.status() == before
        with open_hill(hill.folder), connection.cursor() as cursor:
            cursor.execute("SELECT licence FROM hill_season")
            assert cursor.fetchall() == [("MIT",)]
            assert AuditEntry.objects.filter(action="migrate", text__contains="hill.0002_licence").exists()
            assert Season.objects.count() == 1
    assert "tables of another koth" in hill.refused("season", "freeze")
    Path(done.split(": ")[-1].strip()).rename(hill.folder / "hill.sqlite")
    assert hill.status() == before
