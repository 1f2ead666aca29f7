"""The game of a bot, found by the manifest, the imported API, or the folder's name."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from koth.build.bot_files import MANIFEST, read_beginning
from koth.build.jvm.languages import LANGUAGES as JVM_LANGUAGES
from koth.discovery.folder import parse_spec
from koth.discovery.languages import LANGUAGES, ending_of
from koth.discovery.manifest import read_tables
from koth.discovery.samples import sample_names
from koth.errors import KothError, choices
from koth.games import home, playable


def find_game(word: str) -> str:
    """Return the only possible game of a bot, or of the bots in a folder. Raises KothError."""
    games = playable()
    _, target, _ = parse_spec(word)
    if target.startswith("@"):
        found = [name for name in games if target[1:] in sample_names(name)]
    else:
        path = Path(target)
        if not os.path.exists(path):
            raise KothError(f"{word}: no such file or folder")
        found = _games_of_bot(path, games) or _games_of_bots(path, games) or _games_of_path(path, games)
    if len(found) != 1:
        reason = "its files do not show it" if not found else f"it may be {' or '.join(found)}"
        raise KothError(f"{word}: which game does it play? {reason}: --game GAME (there are: {', '.join(games)})")
    return found[0]


def _games_of_bots(path: Path, games: Sequence[str]) -> list[str]:
    """Return the games of the bots in a folder's direct subfolders. Raises KothError for a bad manifest."""
    folders = [folder for folder in sorted(path.iterdir()) if folder.is_dir()] if path.is_dir() else []
    named = {game for folder in folders if not folder.is_symlink() for game in _games_of_bot(folder, games)}
    return [name for name in games if name in named]


def _games_of_bot(path: Path, games: Sequence[str]) -> list[str]:
    return _games_of_manifest(path, games) or _games_of_imports(path, games)


def _games_of_manifest(path: Path, games: Sequence[str]) -> list[str]:
    """Return the game that a bot's manifest names. Raises KothError for an unknown game or a bad manifest."""
    file = path / MANIFEST
    wanted = read_tables(file).get("game")
    if wanted is not None and wanted not in games:
        raise KothError(f"{file}: game = {wanted!r}: no such game{choices(str(wanted), games)}")
    return [name for name in games if name == wanted]


def _games_of_imports(path: Path, games: Sequence[str]) -> list[str]:
    lines = [line for file in _find_sources(path) for line in _import_lines(read_beginning(file))]
    apis = {name: _api_pattern(name) for name in games}
    return [name for name in games if any(apis[name].search(line) for line in lines)]


def _games_of_path(path: Path, games: Sequence[str]) -> list[str]:
    """Return the games whose names occur in the innermost such part of the bot's path."""
    for part in reversed(path.absolute().parts):
        found = [name for name in games if name in re.split(r"[^a-z]+", part.lower())]
        if found:
            return found
    return []


def _find_sources(path: Path) -> list[Path]:
    """Return the possible source files at a path: the file, or those directly in the folder, without links."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    known = {*LANGUAGES, *JVM_LANGUAGES}
    return [file for file in files if ending_of(file) in known and file.is_file() and not file.is_symlink()]


IMPORTS = re.compile(r"\b(?:import|from|importClass|importPackage|require)\b", re.IGNORECASE)


def _import_lines(text: str) -> list[str]:
    """Return the text after the keyword in each import."""
    found = ((line, IMPORTS.search(line)) for line in text.split("\n"))
    return [line[begin.end() :] for line, begin in found if begin]


def _api_pattern(game: str) -> re.Pattern[str]:
    """Return a pattern for the names of a game's API: the Python package, or packages for the JVM."""
    at = home(game)
    packages = [path.name for path in (at.folder / "jvm" / "api").glob("*") if path.is_dir()]
    names = "|".join(re.escape(name) for name in (at.module, *packages))
    return re.compile(rf"\b(?:{names})\b", re.IGNORECASE)
