"""The files of the site's and the viewer's pages, at addresses that change with their content."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

from koth.games import names
from koth.viewer.server import MEDIA, file_of_game, picture_of, static_files

SITE_FILES = Path(__file__).parent / "static"
TYPES = {**MEDIA, ".png": "image/png"}


@functools.cache
def files(game: str) -> dict[str, Path]:
    """Return the files of all pages by name: a game's precede the site's, and the site's the viewer's."""
    own = {file.name: file for file in sorted(SITE_FILES.iterdir()) if file.suffix in TYPES}
    of_game = {"draw.js": picture_of(game), "picture.png": file_of_game(game, "picture.png")}
    return {**static_files(), **own, **{name: file for name, file in of_game.items() if file is not None}}


@functools.cache
def digest() -> str:
    """Return one digest of all these files, of all games: the content at an address with it never changes."""
    found = hashlib.blake2b(digest_size=6)
    for file in sorted({file for game in names() for file in files(game).values()}):
        found.update(file.name.encode())
        found.update(file.read_bytes())
    return found.hexdigest()
