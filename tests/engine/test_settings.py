"""Settings by hand: from text, from JSON, and what is no setting."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

import pytest

from koth.engine.settings import choose, from_header
from koth.errors import SettingsError
from koth.game import Constants
from koth.games import GAMES, load

ZOMBIES = load("zombies")


def test_the_first_ruleset_is_the_default() -> None:
    name, settings = choose(ZOMBIES, None, {})
    assert (name, settings) == ("published", ZOMBIES.rulesets["published"])
    assert choose(ZOMBIES, "original", {})[1].moves[0] == "NORTHEAST"


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [("players", "3", 3), ("players", " 7", 7), ("density", "0.25", 0.25), ("density", "1e-2", 0.01)],
)
def test_text_becomes_a_value(key: str, text: str, value: Any) -> None:
    _, settings = choose(ZOMBIES, None, {key: text})
    assert getattr(settings, key) == value
    assert type(getattr(settings, key)) is type(value)


def test_lists_have_commas() -> None:
    moves = ZOMBIES.rulesets["published"].moves[::-1]
    assert choose(ZOMBIES, None, {"moves": ", ".join(moves)})[1].moves == moves


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("player", "3", r"zombies has no setting 'player'; did you mean players\?"),
        ("players", "3.5", r"players=3.5: players must be a whole number in 1\.\.5000 \(players per bot\)"),
        ("density", "many", r"density=many: density must be a number \(players per square"),
        ("density", "nan", "density must be above 0"),
        ("density", "inf", "density must be above 0"),
        ("players", "0", r"players=0: players must be a whole number in 1\.\.5000 \(players per bot\)"),
        ("shoot_range", "99", r"shoot_range=99: shoot_range must be a whole number in 0\.\.vision \(8\)"),
        ("moves", "NORTH", "moves must be NORTHWEST, NORTH.*, in any order"),
        ("players", {}, "players={}: players must be a whole number"),
        ("players", 3.5, "players=3.5: players must be a whole number"),
        ("players", True, "players=True: players must be a whole number"),
        ("density", [0.5], r"density=\[0.5\]: density must be a number"),
        ("moves", 5, "moves=5: moves must be a list, each text"),
        ("moves", ["NORTH", 5], "moves must be a list, each text"),
    ],
)
def test_what_can_not_be_set(key: str, value: Any, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        choose(ZOMBIES, None, {key: value})


def test_a_constant_that_is_no_number_is_refused_where_it_stands() -> None:
    @dataclass(frozen=True)
    class Settings(Constants):
        side: int = "7"  # type: ignore[assignment]

        def __post_init__(self) -> None:
            self.within(side=(3, 100))

    with pytest.raises(SettingsError, match=r"^side=7: side must be a whole number in 3..100$"):
        Settings()


def test_an_unknown_ruleset() -> None:
    with pytest.raises(SettingsError, match=r"no ruleset 'orginal'; did you mean original\?"):
        choose(ZOMBIES, "orginal", {})


@pytest.mark.parametrize("game", GAMES)
def test_every_ruleset_comes_back_from_a_header(game: str) -> None:
    for name, settings in load(game).rulesets.items():
        told = json.loads(json.dumps({"ruleset": name, "settings": asdict(settings)}))
        assert from_header(load(game), told) == settings
