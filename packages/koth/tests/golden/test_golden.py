"""Every golden is what the rules play today."""

from __future__ import annotations

from pathlib import Path

import pytest

from koth.games import GAMES
from tests.golden import paths, play_again

MOST_TURNS = 30


@pytest.mark.parametrize("path", paths(), ids=lambda path: path.stem)
def test_golden_is_played_again(path: Path) -> None:
    """`make golden` rewrites it; a changed golden needs a line in the changelog."""
    assert play_again(path) == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_two_goldens(game: str) -> None:
    assert len(paths(game)) >= 2
