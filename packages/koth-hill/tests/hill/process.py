"""Several hills in one process, which only tests open."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest

from koth_hill import connection
from koth_hill.connection import configure
from tests.cli.program import Done, Koth


def forget_hill(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process open another hill, like the next process of a shell or a notebook."""
    monkeypatch.setattr(connection, "_folder", None)
    monkeypatch.setattr(connection, "configure", point_django)


def point_django(hill: connection.Hill, site: Mapping[str, Any]) -> None:
    """Set Django up for a hill, or point it to the hill's database if it is set up: only tests open several hills."""
    from django.conf import settings
    from django.db import connections

    if not settings.configured or sys.modules["django"] is None:
        configure(hill, site)
        return
    connections.close_all()
    with suppress(AttributeError):  # none was made yet
        del connections["default"]
    connections.settings = connections.configure_settings({"default": connection.database_settings(hill)})


class HillKoth(Koth):
    """Runs commands inside this process, each of which may open another hill."""

    def __call__(self, *words: object) -> Done:
        forget_hill(self.monkeypatch)
        return super().__call__(*words)
