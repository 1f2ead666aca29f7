"""Fixtures of contests."""

from tests.cli.conftest import koth as koth
