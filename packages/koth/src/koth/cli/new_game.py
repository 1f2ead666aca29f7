"""`koth new-game`: a package with a new game that can be played at once."""

from __future__ import annotations

import os
import re
from importlib import resources
from pathlib import Path

from koth.cli.screen import echo, program
from koth.discovery.locations import check_free
from koth.errors import KothError
from koth.escaping import shell_word
from koth.games import names

GAME_NAME = re.compile(r"[a-z][a-z0-9]{0,30}")
MODEL = "skeleton"
PLAIN = "skeleton_plain"
"""The folder with the files that are different in a plain game."""
ALIKE = ("pyproject.toml", f"koth_{MODEL}/RULES.md", f"koth_{MODEL}/text.py", f"koth_{MODEL}/bots/*.py")
"""The files that are the same in a plain game."""


def new_game(name: str, folder: Path | None, plain: bool) -> None:
    """Write a game called `name`, plain or not, to `folder` (default: `koth-NAME`); print the next steps."""
    if not GAME_NAME.fullmatch(name):
        raise KothError(f"{name!r} is not a name for a game: small letters and digits, a letter first, 31 at most")
    if name in names():
        raise KothError(f"choose another name: there is a game {name} already")
    folder = Path(f"koth-{name}") if folder is None else folder
    check_free(folder)
    try:
        for place, file in _files(plain).items():
            own = folder / _fill_name(place, name)
            own.parent.mkdir(parents=True, exist_ok=True)
            own.write_text(_fill_name(file.read_text(encoding="utf-8"), name), encoding="utf-8")
    except OSError as error:
        raise KothError(f"{folder}: {error.strerror}") from None
    lines = [
        f"pip install -e {shell_word(os.path.join('.', f'{folder}[test]'))}",
        f"{program()} run {name} --matches 4 --out first",
        f"{program()} view first",
    ]
    echo(f"made {folder}, a game that plays; next (its README.md says more):")
    echo("\n".join(f"  {line}" for line in lines))


def _files(plain: bool) -> dict[str, Path]:
    """Return the model game's files by their paths in the new folder."""
    root = Path(str(resources.files("koth")))
    sources = {root / MODEL: ALIKE if plain else ("**/*",), **({root / PLAIN: ("**/*",)} if plain else {})}
    return {
        str(file.relative_to(source)): file
        for source, patterns in sources.items()
        for pattern in patterns
        for file in sorted(source.glob(pattern))
        if file.is_file() and file.suffix != ".pyc"
    }


def _fill_name(text: str, name: str) -> str:
    """Return a text of the model with the new game's name filled in."""
    return text.replace(MODEL, name).replace(MODEL.title(), name.title())
