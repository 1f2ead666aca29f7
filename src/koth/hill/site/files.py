"""The files of the site's and the viewer's pages, below an address that changes with them."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

from koth.games import names
from koth.viewer.server import MEDIA, file_of_game, picture_of, static_files

OWN = Path(__file__).parent / "static"
TYPES = {**MEDIA, ".png": "image/png"}


def _files() -> dict[str, Path]:
    """Return the files of all pages by name; the site's own go before the viewer's."""
    return {**static_files(), **{file.name: file for file in sorted(OWN.iterdir()) if file.suffix in TYPES}}


@functools.cache
def digest() -> str:
    """Return what all these files are known by, the games' pictures included: addresses with it never change."""
    found = hashlib.blake2b(digest_size=6)
    pictures = [file for game in sorted(names()) for file in (picture_of(game), file_of_game(game, "picture.png"))]
    for file in (*_files().values(), *filter(None, pictures)):
        found.update(file.name.encode())
        found.update(file.read_bytes())
    return found.hexdigest()


def content(game: str, name: str) -> tuple[bytes, str] | None:
    """Return a file and its type; `draw.js` and `picture.png` are the game's. None where there is none."""
    return _contents(game).get(name)


@functools.cache
def _contents(game: str) -> dict[str, tuple[bytes, str]]:
    own = {"draw.js": picture_of(game), "picture.png": file_of_game(game, "picture.png")}
    found = {**_files(), **{name: file for name, file in own.items() if file is not None}}
    return {name: (file.read_bytes(), TYPES[file.suffix]) for name, file in found.items()}
