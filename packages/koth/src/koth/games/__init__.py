"""The games that koth can play: koth's own, and those of installed packages.

An installed package adds games by the entry point group `koth.games`:

    [project.entry-points."koth.games"]
    snakes = "koth_snakes"

The key is the game's name, the value the package that holds its `GAME` and all its files. koth imports a package only
when its game is named; koth's own games take precedence over games of the same name.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import TypedDict

from koth import __version__
from koth.engine.contract import find_game_problem
from koth.engine.guarded import describe_error, guard, line_of
from koth.errors import GameError as GameError
from koth.errors import choices
from koth.game import Game

GAMES = {
    "zombies": "koth.games.zombies",
    "metalman": "koth.games.metalman",
    "pacman": "koth.games.pacman",
    "aliens": "koth.games.aliens",
}
"""koth's own games: modules by game name."""

GROUP = "koth.games"


@dataclass(frozen=True)
class Home:
    """The location of a game: its module, the module's folder, and the package that brings it."""

    module: str
    folder: Path
    package: str
    version: str


@cache
def _installed_games() -> dict[str, list[EntryPoint]]:
    """Return the games of installed packages by name, without names that are koth's own."""
    found: dict[str, list[EntryPoint]] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, _package(entry))):
        if entry.name not in GAMES and entry not in found.get(entry.name, []):
            found.setdefault(entry.name, []).append(entry)
    return found


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.value


def names() -> tuple[str, ...]:
    """Return the names of all games: koth's own, then those of installed packages."""
    return (*GAMES, *_installed_games())


def playable() -> list[str]:
    """Return the `names` of games whose modules exist where their packages say."""
    return [name for name in names() if _trouble(name) is None]


def troubles() -> list[str]:
    """Return a line for each game of a package that can't be played, or has the name of one of koth's."""
    own = {_package(entry): entry.name for entry in entry_points(group=GROUP) if entry.name in GAMES}
    lines = [f"{package} brings a game {name}, too: koth plays its own" for package, name in sorted(own.items())]
    return lines + [line for line in map(_trouble, names()) if line is not None]


def _trouble(name: str) -> str | None:
    try:
        home(name)
    except GameError as error:
        return str(error)
    return None


@cache
def home(name: str) -> Home:
    """Return the location of the game of this name without importing it.

    Raises GameError for an unknown game, if two packages bring the game, and if its package lacks it.
    """
    if name in GAMES:
        return Home(GAMES[name], Path(__file__).resolve().parent / name, "koth", __version__)
    entries = _installed_games().get(name, [])
    if not entries:
        raise GameError(f"there is no game {name!r}{choices(name, names())}")
    if len(entries) > 1:
        brought_by = " and ".join(_package(entry) for entry in entries)
        raise GameError(f"the game {name} is brought by {brought_by}: uninstall all but one")
    entry = entries[0]
    try:
        spec = importlib.util.find_spec(entry.module)
    except (ImportError, ValueError):
        spec = None
    folders = spec.submodule_search_locations if spec is not None else None
    if not folders:
        raise GameError(f"the game {name}: its package {_package(entry)} has no package {entry.module!r}")
    version = entry.dist.version if entry.dist is not None else ""
    return Home(entry.module, Path(next(iter(folders))).resolve(), _package(entry), version)


@cache
def load(name: str) -> Game:
    """Return the game of this name. Raises GameError as `home` does, and if the module does not define a game."""
    at = home(name)
    try:
        game: Game = import_module(at.module).GAME
    except BaseException as error:  # a module may end with `sys.exit()`
        if name in GAMES or isinstance(error, KeyboardInterrupt):
            raise
        raise GameError(f"the game {name} of {at.package} can't be loaded: {describe_error(error)}") from error
    if trouble := find_game_problem(game):
        raise GameError(f"the game {name} of {at.package} {trouble}")
    if game.name != name:
        raise GameError(f"the game {name} of {at.package} calls itself {game.name!r}")
    return game if name in GAMES else guard(game)


def error_in_package(error: BaseException) -> GameError | None:
    """Return an error in an installed game as one line that names its file and line; None for errors elsewhere."""
    for name in playable():
        if name not in GAMES and (line := line_of(error, home(name).folder)):
            return GameError(f"the game {name}: {describe_error(error)}{line}")
    return None


class GamePackage(TypedDict):
    """The name and version of the installed package that brings a game; without a package the module, and ""."""

    name: str
    version: str


def package_of(game: Game) -> GamePackage:
    """Return the package that brings a game."""
    try:
        at = home(game.name)
    except GameError:
        return {"name": type(game).__module__.partition(".")[0], "version": ""}
    return {"name": at.package, "version": at.version}


def find_module(game: Game, name: str) -> ModuleType | None:
    """Return a module of the game's own package, such as `author` or `glyphs`; None if it has none."""
    module = f"{home(game.name).module}.{name}"
    return import_module(module) if importlib.util.find_spec(module) else None
