"""Settings by hand: from text, from JSON, and what is not a setting."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest

from koth.engine.settings import choose, choose_variants, expand_variants, read_settings
from koth.errors import SettingsError
from koth.game import Constants
from koth.games import GAMES, load
from koth.plain import Match, PlainGame

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


PACMAN = load("pacman")


@pytest.mark.parametrize(
    ("game", "given", "overrides"),
    [
        (ZOMBIES, {"players": "3"}, {"players": 3}),
        (ZOMBIES, {"players": "3,5", "density": "0.1"}, {"players": {"each": [3, 5]}, "density": 0.1}),
        (ZOMBIES, {"players": [3, 5, 3]}, {"players": {"each": [3, 5]}}),
        (ZOMBIES, {"players": {"each": ["4"]}}, {"players": 4}),
        (PACMAN, {"coordinates": "col,row"}, {"coordinates": "col,row"}),
    ],
)
def test_values_with_commas_are_variants_of_a_contest(game: Any, given: Any, overrides: Any) -> None:
    name, found, first = choose_variants(game, None, given)
    assert found == overrides
    variants = expand_variants(found)
    assert choose(game, name, variants[0])[1] == first == choose(game, None, found)[1]
    for number, variant in enumerate(variants):
        record = {"ruleset": name, "settings": found}
        wanted = choose(game, name, variant)[1]
        assert read_settings(game, record, number) == read_settings(game, record, number + len(variants)) == wanted


def test_the_games_own_variants_hold_unless_others_are_given() -> None:
    defaults = replace(ZOMBIES.contest_defaults, variants={"players": (2, 4)})
    game: Any = SimpleNamespace(name="zombies", rulesets=ZOMBIES.rulesets, contest_defaults=defaults)
    assert choose_variants(game, None, {"vision": "9"})[1] == {"players": {"each": [2, 4]}, "vision": 9}
    assert choose_variants(game, None, {"players": "3"})[1] == {"players": 3}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"players": "3,x"}, "players=x: players must be a whole number"),
        ({"players": {"each": []}}, '"each" must have a list of values'),
        ({"players": list(range(1, 1002))}, "1,001 variants of the settings; at most 1,000 are allowed"),
        ({"shoot_range": "3,9"}, "shoot_range=9: shoot_range must be a whole number in 0..vision"),
    ],
)
def test_variants_that_can_not_be_played(given: Any, words: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(words)):
        choose_variants(ZOMBIES, None, given)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("player", "3", r"zombies has no setting 'player'; did you mean players\?"),
        ("players", "3.5", r"players=3.5: players must be a whole number in 1\.\.5000 \(players per bot\)"),
        ("density", "many", r"density=many: density must be a number \(players per square"),
        ("density", "nan", "density must be above 0"),
        ("density", "inf", "density must be above 0"),
        ("density", 10**400, r"density=10{59}: density must be a number \(players per square"),
        ("players", "0", r"players=0: players must be a whole number in 1\.\.5000 \(players per bot\)"),
        ("shoot_range", "99", r"shoot_range=99: shoot_range must be a whole number in 0\.\.vision \(8\)"),
        ("moves", "NORTH", "moves must be NORTHWEST, NORTH.*, in any order"),
        ("players", {}, "players={}: players must be a whole number"),
        ("players", 3.5, "players=3.5: players must be a whole number"),
        ("players", True, "players=True: players must be a whole number"),
        ("density", [0.5], r"density=\[0.5\]: density must be a number"),
        ("moves", 5, "moves=5: moves must be a list, each a text"),
        ("moves", ["NORTH", 5], "moves must be a list, each a text"),
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
        assert read_settings(load(game), told) == settings


@dataclass(frozen=True)
class Sized(Constants):
    side: int = 7
    wraps: bool = False


@dataclass(frozen=True)
class Richer(Sized):
    """A ruleset on another one's settings."""

    extra: int = 2
    steps: tuple[int, ...] = (1, 2)
    rates: tuple[float, ...] = (0.5,)
    flags: tuple[bool, ...] = (True,)
    corner: tuple[int, int] = (0, 0)
    mixed: tuple[str, int] = ("a", 1)
    pairs: tuple[tuple[int, float], ...] = ()


class Own(PlainGame):
    name = "own"
    title = "Own"
    seats = range(1, 3)
    rulesets = {"standard": Richer()}  # noqa: RUF012
    default_entrants = ()
    match = Match


def test_a_subclass_inherits_the_numbers_of_its_base() -> None:
    numbers = Richer(side=9).numbers
    assert numbers._fields == ("side", "wraps", "extra", "steps", "corner")
    assert (numbers.side, numbers.extra, numbers.steps.tolist()) == (9, 2, [1, 2])
    assert Sized().numbers._fields == ("side", "wraps")


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("steps", "3, 4,5", (3, 4, 5)),
        ("steps", "3", (3,)),
        ("steps", "", ()),
        ("rates", "1,0.25", (1.0, 0.25)),
        ("flags", "yes,false", (True, False)),
        ("corner", "4,5", (4, 5)),
        ("mixed", "b,7", ("b", 7)),
        ("pairs", "[[1, 2], [3, 0.5]]", ((1, 2.0), (3, 0.5))),
    ],
)
def test_lists_become_what_is_declared(key: str, text: str, value: Any) -> None:
    """From a command line, from TOML, and from the header of a replay."""
    game = Own()
    chosen = choose(game, None, {key: text})[1]
    assert repr(getattr(chosen, key)) == repr(value)
    header = {"ruleset": "standard", "settings": json.loads(json.dumps(asdict(chosen)))}
    assert read_settings(game, header) == chosen
    assert repr(getattr(choose(game, None, header["settings"])[1], key)) == repr(value)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("steps", "1,x", "steps=x: steps must be a list, each a whole number"),
        ("steps", [1, 2.5], r"steps=\[1, 2.5\]: steps must be a list, each a whole number"),
        ("flags", "1,maybe", "flags=maybe: flags must be a list, each true or false"),
        ("corner", "1,2,3", "corner=1,2,3: corner must be a list of 2: a whole number, a whole number"),
        ("corner", [1], "corner must be a list"),
        ("rates", "nan", "rates=nan: rates must be a list, each a number"),
        ("pairs", "[[1]]", "pairs must be a list"),
        ("side", str(10**20), "side must be a whole number"),
    ],
)
def test_lists_that_are_not_as_declared(key: str, value: Any, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        choose(Own(), None, {key: value})
