"""Rules 1 and 2: abilities, HP, points, places."""

from __future__ import annotations

import math

import numpy as np
import pytest

from koth.engine.batch import Batch
from koth.errors import SettingsError
from koth.game import FAULT, Array, no_answers
from koth.games.aliens import GAME
from koth.games.aliens.state import Settings, halve, round_half_up, total

FLOAT = np.float32


@pytest.mark.parametrize(
    ("value", "whole"),
    [
        (0.0, 0), (0.49999997, 0), (0.5, 1), (1.5, 2), (2.5, 3), (2.4999998, 2), (3.5, 4), (10.0, 10),
        (16777215.0, 16777215), (3e9, 2147483647), (np.inf, 2147483647),
    ],
)  # fmt: skip
def test_rounding_takes_halves_upwards(value: float, whole: int) -> None:
    assert round_half_up(FLOAT(value)) == whole


@pytest.mark.parametrize(
    ("ability", "half"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (11, 6), (2.4, 1), (2.9999998, 1)]
)
def test_rule_1_sight_and_blur_halve_the_ability_not_its_level(ability: float, half: int) -> None:
    """A vision of 2.9999998 is of level 3, but sees like 1.4999999."""
    assert halve(FLOAT(ability)) == half


def test_rule_7_abilities_are_added_in_single_precision_in_their_order() -> None:
    tiny = FLOAT(2**-24)
    # 1 + tiny is 1 again in single precision, tiny + tiny + 1 is not; all in all 2.5 or just below it.
    assert total(np.array([1, tiny, tiny, 1, 0.5], FLOAT)) == 3
    below = np.array([2.4999998, 1e-8, 1e-8, 1e-8, 1e-8], FLOAT)
    assert float(below.astype(np.float64).sum()) > 2.4999998
    assert total(below) == 2
    thirds = np.array([3.3333333, 3.3333333, 2.8333333, 0, 0], FLOAT)
    exact = float(thirds.astype(np.float64).sum())
    assert math.floor(exact + 0.5) == 9
    assert total(thirds) == math.floor(float(thirds[0] + thirds[1] + thirds[2]) + 0.5)


@pytest.mark.parametrize(("seats", "side"), [(1, 39), (43, 110), (4, 48), (5, 50), (250, 253)])
def test_the_board_has_two_and_a_half_squares_per_instance(seats: int, side: int) -> None:
    """ceil(sqrt((seats + 5) * 100 * 2.5)): prey species count."""
    assert Settings().side(seats) == side
    assert GAME.match_info(Settings(), GAME.initial_state(Settings(), seats, [1]), 0, 0)["side"] == side


def test_every_setting_is_used() -> None:
    settings = Settings(instances=3, prey=2, space=4.0)
    assert settings.side(2) == 8  # sqrt((2 * 3 + 5 * 2) * 4)
    assert GAME.initial_state(settings, 2, [1]).hp.shape == (1, 16)
    assert set_up([[4, 0, 0, 0, 0]], points=4, base_hp=7, hp_per_life=3).hp[0, 0] == 7 + 3 * 4
    assert set_up([[4, 1, 0, 0, 0]], points=4).hp[0, 0] == 0
    assert set_up([[4, 1, 0, 0, 0]], points=5, rounds=3).over.tolist() == [False]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"instances": 0}, "instances=0: instances must be a whole number in 1..1000"),
        ({"prey": -1}, "prey must be a whole number in"),
        ({"points": -1}, "points must be a whole number in"),
        ({"rounds": 0}, "rounds must be a whole number in"),
        ({"base_hp": 0}, "base_hp must be a whole number in"),
        ({"hp_per_life": -1}, "hp_per_life must be a whole number in"),
        ({"space": 0.9}, "space must be a number in"),
        ({"meetings": "none"}, 'meetings must be "pairs" or "first"'),
    ],
)
def test_settings_that_can_not_be_played(change: dict[str, object], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        Settings(**change)  # type: ignore[arg-type]


def test_more_instances_than_can_be_numbered() -> None:
    with pytest.raises(SettingsError, match="250500 instances are too many"):
        GAME.initial_state(Settings(instances=1000), 250, [1])


def set_up(points_of: list[list[float]], fault: list[int] | None = None, **settings: float) -> object:
    """The state after one bot's instances set these points."""
    given = {"instances": len(points_of), "prey": 1, "rounds": 1, **settings}
    chosen = Settings(**given)  # type: ignore[arg-type]
    batch = Batch(GAME, chosen, 1, [3])
    assert batch.observations.question.name == "points"
    assert batch.observations.fields["instance"].tolist() == list(range(len(points_of)))
    answers = no_answers(batch.observations, batch.nobody_gone())
    with np.errstate(over="ignore"):
        answers.fields["points"][:] = np.array(points_of, np.float64).astype(FLOAT)
    answers.fault[:] = fault or 0
    batch.answer(answers)
    return batch.state


@pytest.mark.parametrize(
    ("points", "hp"),
    [
        ([0, 0, 0, 0, 0], 10),
        ([2, 2, 2, 2, 2], 20),
        ([10, 0, 0, 0, 0], 60),
        ([1.5, 0, 0, 0, 0], 20),
        ([1.4999999, 0, 0, 0, 0], 15),
        ([2.5, 2.5, 2.5, 2.5, 0], 25),
        ([0.1, 0.2, 0.3, 9.4, 0], 10),
        ([5, 5, 1e-9, 0, 0], 35),
        ([10.0000001, 0, 0, 0, 0], 60),
    ],
)
def test_rule_2_legal_points(points: list[float], hp: int) -> None:
    """Points are made single precision before anything else: 10.0000001 is 10 then."""
    state = set_up([points])
    assert state.hp[0, 0] == hp
    assert (state.ability[0, 0] == FLOAT(1) + np.array(points, FLOAT)).all()


@pytest.mark.parametrize(
    "points",
    [
        [11, 0, 0, 0, 0],
        [10.000001, 0, 0, 0, 0],
        [5, 5, 1e-6, 0, 0],
        [-1, 5, 5, 0, 0],
        [-1e-9, 0, 0, 0, 0],
        [math.nan, 0, 0, 0, 0],
        [0, 0, 0, 0, math.inf],
        [1e300, 0, 0, 0, 0],
        [-math.inf, 0, 0, 0, 0],
    ],
)
def test_rule_2_illegal_points_kill_this_instance_only(points: list[float]) -> None:
    state = set_up([[1, 1, 1, 1, 1], points, [2, 2, 2, 2, 2]])
    assert state.hp[0, :3].tolist() == [15, 0, 20]


def test_rule_2_points_are_added_in_the_order_of_the_abilities() -> None:
    """In single precision 10 + 4e-7 + 4e-7 is 10, but 4e-7 + 4e-7 + 10 is more."""
    assert set_up([[9.999999, 4e-7, 4e-7, 0, 0]]).hp[0, 0] > 0
    assert set_up([[4e-7, 4e-7, 9.999999, 4e-7, 4e-7]]).hp[0, 0] == 10
    assert set_up([[10, 4e-7, 4e-7, 4e-7, 0]]).hp[0, 0] == 60
    assert set_up([[4e-7, 4e-7, 4e-7, 0, 10]]).hp[0, 0] == 0


@pytest.mark.parametrize("kind", ["error", "missing", "late", "crash", "illegal"])
def test_rule_2_a_fault_while_setting_up_kills_this_instance_only(kind: str) -> None:
    state = set_up([[1, 1, 1, 1, 1]] * 3, [0, FAULT[kind], 0])
    assert state.hp[0, :3].tolist() == [15, 0, 15]


def test_rule_2_distinct_random_squares() -> None:
    """400 instances on 1,000 squares: all different, and each square is taken as often as the others."""
    settings = Settings(instances=10, prey=10)
    seeds = range(400)
    state = GAME.initial_state(settings, 5, seeds)
    side = settings.side(5)
    squares = state.x * side + state.y
    assert all(len(set(row)) == 100 for row in squares.tolist())
    counts = np.bincount(squares.ravel(), minlength=side * side)
    expected = len(seeds) * 100 / (side * side)
    assert chi_square(counts, expected) < bound(side * side - 1)
    first = np.bincount(squares[:, 0], minlength=side * side)
    assert chi_square(first, len(seeds) / (side * side)) < bound(side * side - 1)


def chi_square(counts: Array, expected: float) -> float:
    return float(((counts - expected) ** 2 / expected).sum())


def bound(freedom: int) -> float:
    """What chi square exceeds about once in 10,000 times."""
    return freedom * (1 - 2 / (9 * freedom) + 3.72 * math.sqrt(2 / (9 * freedom))) ** 3


def test_rule_6_prey_put_their_points_into_one_ability() -> None:
    state = GAME.initial_state(Settings(instances=1, prey=1), 1, [1])
    assert state.hp[0].tolist() == [0, 60, 10, 10, 10, 10]
    assert (state.ability[0, 1:] == 1 + 10 * np.eye(5)).all()
    assert state.species[0].tolist() == [0, 1, 2, 3, 4, 5]
