"""Levels of difficulty for a person's match: the opponents and settings in a game's `play.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from koth.errors import KothError, choices
from koth.viewer.server import file_of_game

DEFAULT_LEVEL = "easy"


@dataclass(frozen=True)
class Level:
    """A level of difficulty: the opponents' names, and settings that differ from the ruleset's."""

    name: str
    bots: tuple[str, ...]
    settings: Mapping[str, Any]


def levels_of(game: str) -> dict[str, Level]:
    """Return a game's levels in the order of `play.toml`; empty without this file."""
    file = file_of_game(game, "play.toml")
    if file is None:
        return {}
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    return {name: Level(name, tuple(table["bots"]), table.get("settings", {})) for name, table in tables.items()}


def level_of(game: str, name: str | None) -> Level | None:
    """Return the level `name`; for None the default level, if the game has levels. Raises KothError."""
    levels = levels_of(game)
    if name is None:
        return levels.get(DEFAULT_LEVEL)
    if name not in levels:
        raise KothError(f"{game} has no level {name!r}{choices(name, levels)}")
    return levels[name]
