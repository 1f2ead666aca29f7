"""Migrations: the conversion of an earlier koth's tables to this koth's, after a backup."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from koth.errors import KothError
from koth.escaping import shell_word
from koth.hill.backup import TABLES, Tables, write
from koth.hill.claims import lock_runner
from koth.hill.connection import Hill
from koth.hill.databases import Applied
from koth.hill.registry import note


def check_migrations(applied: Applied, name: str, folder: Path, accepts_earlier: bool = False) -> None:
    """Refuse the tables of another koth and, unless `accepts_earlier`, the tables of an earlier koth.

    `name` is the database's name in messages. Raises KothError.
    """
    known = set(MigrationLoader(None).disk_migrations)
    if unknown := sorted(applied - known):
        missing = ".".join(unknown[0])
        raise KothError(f"{name}: tables of another koth: this one has no {missing}; use the koth that made the hill")
    if known - applied and not accepts_earlier:
        raise KothError(f"{name}: tables of an earlier koth; convert them: koth hill migrate {shell_word(folder)}")


def read_migrations() -> Applied:
    """Return the migrations of the open database."""
    return set(MigrationLoader(connection).applied_migrations)


def make_tables(applied: Applied) -> sqlite3.Connection:
    """Make the tables of these migrations in the open, empty in-memory database; return the connection."""
    executor = MigrationExecutor(connection)
    nodes = executor.loader.graph.node_map
    executor.migrate([key for key in applied if not applied & {child.key for child in nodes[key].children}])
    database: sqlite3.Connection = connection.connection
    return database


def migrate(hill: Hill, to: Path, on_table: Callable[[str], None]) -> list[str]:
    """Convert a hill's tables to this koth's, after a backup to the new folder `to`.

    Return the names of the applied migrations, in order; no names if the tables are this koth's already. The koth
    that made the tables can restore the backup. Raises KothError.
    """
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    names = [f"{migration.app_label}.{migration.name}" for migration, _ in plan]
    if names:
        with lock_runner(hill):
            write(hill, to, on_table, _earlier_tables(executor))
            call_command("migrate", verbosity=0, interactive=False)
        note("migrate", f"{', '.join(names)}, after a backup in {to}")
    return names


def _earlier_tables(executor: MigrationExecutor) -> Tables:
    applied = [key for key in executor.loader.applied_migrations if key in executor.loader.graph.nodes]
    models = {model.__name__: model for model in executor.loader.project_state(applied).apps.get_models()}
    return [models[table.__name__] for table in TABLES if table.__name__ in models]
