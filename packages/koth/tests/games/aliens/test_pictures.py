"""The pictures of a round: letters for the terminal, and draw.js, run by Node over real frames."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from koth.events import own_copy
from koth.games.aliens import GAME, glyphs
from tests.games.aliens.boards import SMALL, Planet
from tests.games.drawing import draw, letters_on_board

START = """
    A0+B0 .     .     w0    .
    .     .     .     t0    .
    .     A1    .     .     .
    .     B1+B2 .     .     .
    .     .     .     .     c0
    A0 900hp 9 99 1 1 1
    B0 9hp 60 30 9 9 9
    A1 10hp 1 1 1 5 1
    B1 1hp 1 1 1 1 1
    B2 1hp 1 1 1 1 1
    """


def frames() -> list[dict[str, Any]]:
    """Before and after a round in which A0 kills B0, and two of B most likely each other."""
    planet = Planet(START, fights={"A0": True, "B1": True}, seed=2)
    before = own_copy(GAME.frame(SMALL, planet.state, 0))
    planet.play()
    return [{"turn": 30, **before}, {"turn": 31, **own_copy(GAME.frame(SMALL, planet.state, 0))}]


def hit_points(frame: dict[str, Any]) -> list[int]:
    """The hit points of all living aliens, by species."""
    sums = [0] * len(frame["score"])
    for species, hp in zip(frame["species"].tolist(), frame["hp"].tolist(), strict=True):
        sums[species] += max(hp, 0)
    return sums


@pytest.mark.needs("node")
def test_draw_js(tmp_path: Path) -> None:
    facts = GAME.match_info(SMALL, Planet(START).state, 0, 0)
    match = {"bots": [{"name": "ann"}, {"name": "ben"}], "facts": facts}
    _, after = found = frames()
    made = draw(GAME, found, match, [0, 4, 8], tmp_path)
    assert made["calls"] > 300
    assert made["board"] == {"width": 5, "height": 5, "wraps": True, "reach": 1}
    assert made["others"] == ["Whale", "Cow", "Turtle", "Eagle", "Human"]
    assert made["series"].pop("hit points") == hit_points(after)
    assert made["series"] == {"total ability": after["score"], "alive": after["alive"]}
    assert made["crowds"][1][:2] == ["0 at 5", "0 at 0"]  # a great one and a small one
    assert made["crowds"][1][4] == "1 at 5"  # who dies in this round is seen until it meets its enemy
    assert made["crowds"][-1][4] is None
    assert made["actors"][-1] == {"id": 0, "x": 0, "y": 0, "team": 0}
    assert made["about"][0]["title"] == "ann #0"
    assert ["fought", "ben"] in made["about"][0]["rows"]
    assert ["strength", 105] in made["about"][0]["rows"]
    assert made["about"][1] == {
        "title": "ben #0",
        "rows": [["HP", "dead"], ["life", 60], ["strength", 30], ["defense", 9], ["vision", 9], ["cleverness", 9],
                 ["fought", "ann"]],
    }  # fmt: skip
    assert made["about"][2]["title"] == "Whale #0"
    assert made["caption"].endswith("alive, 2 fights")


def test_letters() -> None:
    width, height, letters = glyphs.glyphs(frames()[0], {})
    assert letters_on_board(width, height, letters) == ["B..w.", "...t.", ".A...", ".B...", "....c"]
    assert (1, 2, "A", 0) in letters
    assert (3, 0, "w", "dim") in letters
