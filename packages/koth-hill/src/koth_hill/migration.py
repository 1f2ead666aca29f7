"""Migrations: the conversion of an earlier koth's tables to this koth's, after a copy of the database."""

from __future__ import annotations

from pathlib import Path

from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from koth.errors import KothError
from koth.escaping import shell_word
from koth_hill.backup import copy_database
from koth_hill.claims import lock_runner
from koth_hill.connection import Hill
from koth_hill.registry import log_action


def check_migrations(name: str, folder: Path, accepts_earlier: bool = False) -> None:
    """Refuse the tables of another koth, and, unless `accepts_earlier`, the tables of an earlier koth.

    `name` is the database's name in messages. Raises KothError.
    """
    loader = MigrationExecutor(connection).loader
    known, applied = set(loader.disk_migrations), set(loader.applied_migrations)
    if unknown := sorted(applied - known):
        missing = ".".join(unknown[0])
        raise KothError(f"{name}: tables of another koth: this one has no {missing}; use the koth that made the hill")
    if known - applied and not accepts_earlier:
        raise KothError(f"{name}: tables of an earlier koth; convert them: koth hill migrate {shell_word(folder)}")


def migrate(hill: Hill) -> tuple[list[str], Path | None]:
    """Convert a hill's tables to this koth's under the runner's lock, after a copy of a database in SQLite.

    Return the names of the applied migrations, in order (none if the tables are this koth's already), and the copy.
    Raises KothError.
    """
    with lock_runner(hill):
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
        names = [f"{migration.app_label}.{migration.name}" for migration, _ in plan]
        if not names:
            return [], None
        copy = hill.folder / f"hill-{timezone.now():%Y-%m-%d-%H%M%S}.sqlite" if hill.is_sqlite else None
        if copy is not None:
            copy_database(copy)
        call_command("migrate", verbosity=0, interactive=False)
        log_action("migrate", ", ".join(names))
        return names, copy
