"""The tables of this koth."""

from importlib import import_module

Migration = import_module("koth_hill.migrations.0001_initial").Migration
