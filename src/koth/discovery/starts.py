"""The first bots that `koth new` makes: a file for each language, without importing any game."""

from __future__ import annotations

from pathlib import Path

from koth.discovery.languages import LANGUAGES, ending_of
from koth.discovery.samples import sample_paths
from koth.games import home

ANY_GAME = Path(__file__).with_name("first_bot.js")
"""The first bot in JSON lines for games that have none in its language; it lacks the answers to their questions."""


def find_starts(game: str) -> dict[str, Path]:
    """Return the first bots of a game by language: the files of its folder `new/`.

    If there is no such folder, they are samples that are single files: of each language the last by name. Raises
    GameError.
    """
    own = home(game).folder / "new"
    files = sorted(own.iterdir()) if own.is_dir() else sample_paths(game)
    found = {
        LANGUAGES[ending_of(file)].name: file for file in files if file.is_file() and ending_of(file) in LANGUAGES
    }
    return dict(sorted({"javascript": ANY_GAME, **found}.items()))
