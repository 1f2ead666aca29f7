"""Which game a bot plays, as far as its files tell: by the API that they import."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from koth.bots.folders.languages import LANGUAGES, beginning
from koth.bots.folders.samples import sample_names
from koth.bots.jvm.languages import COMPILED, SCRIPTS
from koth.errors import KothError
from koth.games import home, playable

FILES = 200
"""Sources of a bot that are looked at."""


def game_of(word: str) -> str:
    """The only game that the bot of a command line's word can be meant for. Raises KothError."""
    games = playable()
    if word.startswith("@"):
        found = [name for name in games if word[1:] in sample_names(name)]
    else:
        texts = [beginning(file) for file in islice(_sources(Path(word.rpartition("=")[2].partition("#")[0])), FILES)]
        imports = {name: _imports(name) for name in games}
        found = [name for name in games if any(imports[name].search(text) for text in texts)]
    if len(found) != 1:
        told = "its files do not tell" if not found else f"it may be {' or '.join(found)}"
        raise KothError(f"{word}: which game does it play? {told}: --game GAME (there are: {', '.join(games)})")
    return found[0]


def _sources(path: Path) -> Iterator[Path]:
    """The files of a path that may be sources, links apart."""
    files = [path] if path.is_file() else sorted(path.rglob("*")) if path.is_dir() else []
    for file in files:
        if file.suffix in {*LANGUAGES, *COMPILED, *SCRIPTS} and file.is_file() and not file.is_symlink():
            yield file


def _imports(game: str) -> re.Pattern[str]:
    """What a line looks like that imports a game's API: its Python package, or a package of the JVM's."""
    at = home(game)
    packages = [path.name for path in (at.folder / "jvm" / "api").glob("*") if path.is_dir()]
    names = "|".join(re.escape(name) for name in (at.module, *packages))
    return re.compile(rf"(?im)^.*\b(?:import|from|importClass|importPackage|require)\b.*\b(?:{names})\b")
