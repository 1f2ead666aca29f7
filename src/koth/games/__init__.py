"""The games that koth knows: the one list."""

from __future__ import annotations

from importlib import import_module

from koth.game import Game

GAMES = {
    "zombies": "koth.games.zombies",
    "metalman": "koth.games.metalman",
    "pacman": "koth.games.pacman",
    "aliens": "koth.games.aliens",
}
"""Module by game name. A game's module is imported when it is asked for, and holds its `GAME`."""


def load(name: str) -> Game:
    """The game of this name. Raises KeyError when there is none."""
    game: Game = import_module(GAMES[name]).GAME
    return game
