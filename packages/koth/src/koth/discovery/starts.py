"""The first bots for `koth new`: a file for each language."""

from __future__ import annotations

from pathlib import Path

from koth.discovery.languages import LANGUAGES, ending_of
from koth.discovery.samples import sample_paths
from koth.games import home

ANY_GAME = Path(__file__).with_name("first_bot.js")
"""The first bot in JavaScript for games without their own; `koth new` adds answers to the game's questions."""


def find_starts(game: str) -> dict[str, Path]:
    """Return a game's first bots by language: the files in the game's folder `new/`.

    Without this folder, use samples that are single files (for each language the last by name). Raises GameError.
    """
    own = home(game).folder / "new"
    files = sorted(own.iterdir()) if own.is_dir() else sample_paths(game)
    found = {
        LANGUAGES[ending_of(file)].name: file for file in files if file.is_file() and ending_of(file) in LANGUAGES
    }
    return dict(sorted({"javascript": ANY_GAME, **found}.items()))
