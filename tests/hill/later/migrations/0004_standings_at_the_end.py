"""The tables of this koth."""

from importlib import import_module

Migration = import_module("koth.hill.migrations.0004_standings_at_the_end").Migration
