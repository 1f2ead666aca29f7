"""The tables of this koth."""

from importlib import import_module

Migration = import_module("koth.hill.migrations.0003_one_announcement").Migration
