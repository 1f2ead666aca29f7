"""The pictures of a round: letters for the terminal, and draw.js, run by Node over real frames."""

from __future__ import annotations

from pathlib import Path

import pytest

from koth.events import own_copy
from koth.games.metalman import GAME, glyphs
from tests.games.drawing import draw, letters_on_board
from tests.games.metalman.boards import board, play, settings_for

START = """
    timer 1
    seats 3
    S0> F   F   F   F
    F   W   O   F   F
    A0> F   S1< F   F
    F   F   A1v F   F
    F   F   F   F   S2<
    """
ROUND = {0: ("v", ">>"), 1: ("", "^>")}


@pytest.mark.needs("node")
def test_draw_js(tmp_path: Path) -> None:
    settings = settings_for(START)
    frames = [own_copy(GAME.frame(settings, state, 0)) for state in (board(START), play(START, ROUND))]
    made = draw(GAME, frames, {"bots": [{"name": name} for name in ("ann", "ben", "cy")]}, [1], tmp_path)
    assert made["calls"] > 100
    assert made["board"] == {"width": 5, "height": 5, "wraps": False, "reach": 4}
    assert made["actors"] == [{"id": 1, "x": 2, "y": 2, "team": 0}, {"id": 3, "x": 3, "y": 2, "team": 1}]
    assert made["about"][0]["title"] == "ann, assassin"
    assert made["caption"] == "collapse in 5 rounds"
    assert ["piece 1 0 1", 2, 2] in made["stamps"]


def test_letters() -> None:
    width, height, letters = glyphs.glyphs(GAME.frame(settings_for(START), play(START, ROUND), 0), {})
    assert letters_on_board(width, height, letters) == ["×××××", "×█^·×", "×.▶▼×", "×.··×", "×××××"]
    assert (2, 2, "▶", 0) in letters
