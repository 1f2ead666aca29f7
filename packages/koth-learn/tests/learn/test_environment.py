"""Native environments: what they promise of every game."""

from __future__ import annotations

import json
import sys
import tracemalloc
from typing import Any

import numpy as np
import pytest

from koth.errors import KothError
from koth.games import GAMES
from koth.rng import derive
from koth_learn import Environment, make
from tests.learn.small import Addressed, small

every_game = pytest.mark.parametrize("name", GAMES)
EVERY_ENCODING: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in GAMES),
    ("zombies", {"window": 5}),
    ("pacman", {"window": 12}),
]


def everything(env: Environment) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in env.arrays.all.items()}


@pytest.mark.parametrize(("name", "options"), EVERY_ENCODING)
def test_what_is_told_is_as_declared(name: str, options: dict[str, Any]) -> None:
    env = small(name, limit=8, **options)
    random = np.random.default_rng(1)
    observations, infos = env.reset(1)
    places = {key: array.ctypes.data for key, array in env.arrays.all.items()}
    ends = 0
    for _ in range(40):
        for key, field in env.encoding.observations.items():
            shown = observations[key]
            assert (shown.dtype, shown.shape) == (np.dtype(field.dtype), (3, env.agents, *field.shape))
            assert shown.min() >= field.bounds[0]
            assert shown.max() <= field.bounds[1]
        asked = infos["asked"]
        assert asked.any()
        assert (asked <= env.game.alive(env.settings, env.state)).all()
        for first, last in zip(env.encoding.places[:-1], env.encoding.places[1:], strict=True):
            assert infos["mask"][asked][:, first:last].any(axis=1).all()
        observations, rewards, terminated, truncated, infos = env.step(env.random_actions(random))
        assert not (terminated & truncated).any()
        assert np.isfinite(rewards).all()
        assert (infos["turn"] < 8).all()
        ends += infos["ended"].sum()
    assert ends
    assert places == {key: array.ctypes.data for key, array in env.arrays.all.items()}


KEPT = ("terminated", "truncated", "ended", "impossible")
"""Told of the last step alone: in a step in which a match is not asked they are gone."""


@every_game
def test_the_same_seeds_and_actions_are_the_same_arrays_in_any_batch(name: str) -> None:
    def told(env: Environment, steps: int) -> list[list[bytes]]:
        act = Addressed(env)
        found: list[list[bytes]] = [[] for _ in range(env.matches)]
        since: list[Any] = [[] for _ in range(env.matches)]
        for _ in range(steps):
            arrays = env.arrays.all
            for m in np.flatnonzero(arrays["asked"].any(axis=1)).tolist():
                now = [arrays[key][m].tobytes() for key in arrays if key not in (*KEPT, "rewards")]
                found[m].append(b"".join([*now, *since[m]]))
                since[m] = []
            env.step(act())
            for m in range(env.matches):
                last = [arrays[key][m] for key in (*KEPT, "rewards")]
                since[m] += [array.tobytes() for array in last if array.any()]
        return found

    together = small(name, 3, limit=9)
    together.reset(4)
    many = told(together, 40)
    alone = small(name, 1, limit=9)
    alone.reset([derive(4, 2)])
    one = told(alone, 40)[0]
    assert len(many[2]) > 15
    assert many[2] == one[: len(many[2])]
    assert (many[0] == many[2]) == (name == "metalman")  # it has no dice on its own maps


@pytest.mark.parametrize(("name", "options"), EVERY_ENCODING)
def test_a_copy_goes_on_alike_and_touches_nothing(name: str, options: dict[str, Any]) -> None:
    env = small(name, copies=True, limit=9, **options)
    env.reset(2)
    for _ in range(7):
        env.step(Addressed(env)())
    other, before = env.copy(), everything(env)
    told = []
    for _ in range(15):
        other.step(Addressed(other)())
        told.append(everything(other))
    assert everything(env) == before
    for then in told:
        env.step(Addressed(env)())
        assert everything(env) == then


@pytest.mark.parametrize("name", ["pacman", "metalman"])
def test_rewards_are_what_the_score_gains(name: str) -> None:
    env = small(name)
    env.reset(3)
    act, sums, ends = Addressed(env), np.zeros((3, env.agents)), 0
    for _ in range(250):
        *_, infos = env.step(act())
        sums += env.arrays["rewards"]
        for m in np.flatnonzero(infos["ended"]).tolist():
            assert sums[m] == pytest.approx(infos["final_scores"][m][env.units.seat])
            sums[m] = 0
            ends += 1
    assert ends > 2


@pytest.mark.parametrize(("name", "options"), EVERY_ENCODING)
def test_a_limit_truncates_and_shows_what_would_have_come(name: str, options: dict[str, Any]) -> None:
    cut, free = small(name, 1, limit=3, **options), small(name, 1, **options)
    cut.reset(6)
    free.reset(6)
    act = Addressed(free)
    while not cut.arrays["ended"][0]:
        actions = act()
        cut.step(actions)
        free.step(actions)
    assert free.arrays["turn"][0] == 3
    assert cut.arrays["turn"][0] == 0
    truncated = cut.arrays["truncated"][0]
    assert truncated.any()
    assert (free.arrays["asked"][0] <= truncated).all()
    first = free.arrays["asked"][0]
    for key in free.encoding.observations:
        assert (cut.arrays.final_observations[key][0, first] == free.arrays.observations[key][0, first]).all()


@every_game
def test_a_step_makes_no_arrays(name: str) -> None:
    """Beside what is observed it needs next to nothing, and keeps nothing of it."""
    env = small(name, 100, settings={})
    env.reset(1)
    actions = Addressed(env)()
    for _ in range(6):
        env.step(actions)
    tracemalloc.start()
    try:
        before, peaks = sys.getallocatedblocks(), []
        for _ in range(6):
            tracemalloc.reset_peak()
            start = tracemalloc.get_traced_memory()[0]
            env.step(actions)
            assert not env.arrays["ended"].any()  # new matches are made, of course
            peaks.append(tracemalloc.get_traced_memory()[1] - start)
        kept = sys.getallocatedblocks() - before  # traced memory leaves out what is freed of earlier steps
    finally:
        tracemalloc.stop()
    observed = sum(array.nbytes for array in env.arrays.observations.values())
    assert max(peaks) < observed / 10
    assert kept < 500


def test_shaping_changes_rewards_on_arrays() -> None:
    def hurry(state: Any, rewards: np.ndarray) -> None:
        rewards -= (~state.over[:, None]).astype(np.float32)

    plain, shaped = small("zombies"), small("zombies", shaping=hurry)
    plain.reset(1)
    shaped.reset(1)
    act = Addressed(plain)
    actions = act()
    plain.step(actions)
    shaped.step(actions)
    assert (shaped.arrays["rewards"] == plain.arrays["rewards"] - 1).all()


@pytest.mark.parametrize(("name", "options"), EVERY_ENCODING)
def test_observations_are_of_the_question_and_the_facts_alone(name: str, options: dict[str, Any]) -> None:
    """An encoding that has only been told what a bot is, as JSON, and asked as one, observes and answers the same."""
    env, asked = small(name, 3, **options), small(name, 3, **options)
    asked.encoding.boards = {}
    for one in (env, asked):
        one.reset(5)
    told = [json.loads(json.dumps(env.game.match_info(env.settings, env.state, m, env.seats - 1))) for m in range(3)]
    alone = type(env.encoding)(told[0], env.encoding.questions, 3, **options)
    for match, match_info in enumerate(told):
        alone.begin(match, match_info)
    act = Addressed(env)
    for _ in range(5):
        observations = asked.batch.observations
        assert observations is not None
        assert not observations.boards
        again = {key: array.copy() for key, array in env.arrays.flat_part("observation.").items()}
        mask = env.arrays.flat("mask").copy()
        for array in (*again.values(), mask):
            array[env._places(observations)] = 0
        alone.observe(observations, env._places(observations), again)
        alone.possible(observations, env._places(observations), mask)
        for key, array in env.arrays.observations.items():
            assert (array == again[key].reshape(array.shape)).all()
        assert (mask == env.arrays.flat("mask")).all()
        actions = act()
        for one in (env, asked):
            one.step(actions)
        assert everything(env) == everything(asked)


@pytest.mark.parametrize("window", [1, 2, 5, 8])
def test_a_smaller_window_is_the_middle_of_a_larger_one(window: int) -> None:
    """Masks are of what is in range, whatever is shown."""
    settings = {"players": 20, "density": 0.2}
    whole, part = (small("zombies", settings=settings, **options) for options in ({}, {"window": window}))
    act = Addressed(whole)
    for env in (whole, part):
        env.reset(2)
    for _ in range(5):
        planes = whole.arrays.observations["planes"]
        middle = planes[..., 8 - window : 9 + window, 8 - window : 9 + window]
        assert (part.arrays.observations["planes"] == middle).all()
        anybody = planes[..., 3:14, 3:14].any(2).reshape(3, 40, 121)
        armed = whole.arrays.observations["scalars"][..., :1] > 0
        assert (whole.arrays["mask"][..., 9:] == anybody & armed)[whole.arrays["asked"]].all()
        assert anybody.any()
        actions = act()
        for env in (whole, part):
            env.step(actions)
        assert (whole.arrays["mask"] == part.arrays["mask"]).all()


def test_a_window_wider_than_the_maze_shows_it_again_and_again() -> None:
    """Whatever the number of seats, shapes are the same, and what is seen repeats with the maze's side."""
    env = make("pacman", seats=1)
    side = env.encoding.side  # type: ignore[attr-defined]
    wide = make("pacman", seats=1, window=side)
    assert env.encoding.observations["planes"].shape == make("pacman", seats=9).encoding.observations["planes"].shape
    env.reset(3)
    wide.reset(3)
    planes = wide.arrays.observations["planes"][0, 0]
    assert (planes[:, side:] == planes[:, : side + 1]).all()
    assert (planes[:, :, side:] == planes[:, :, : side + 1]).all()
    assert (planes[:, side - 5 : side + 6, side - 5 : side + 6] == env.arrays.observations["planes"][0, 0]).all()
    assert planes[0, :side, :side].any()


def test_a_reset_leaves_nothing_behind() -> None:
    """What is told of a match does not depend on what was played before it."""
    for name, options in EVERY_ENCODING:
        used, fresh = small(name, limit=4, **options), small(name, limit=4, **options)
        used.reset(1)
        act = Addressed(used)
        for _ in range(12):
            used.step(act())
        used.reset(3)
        fresh.reset(3)
        assert everything(used) == everything(fresh)


WRONG: dict[str, Any] = {
    "no option 'seets'; did you mean seats": {"seets": 2},
    "no option 'windou'; did you mean window": {"windou": 2},
    "window must be in 1..8": {"window": 9},
    "no setting": {"settings": {"colour": 3}},
    "no ruleset": {"ruleset": "colour"},
    "not 0 of 2": {"matches": 0, "seats": 2},
    "not 1 of 900": {"seats": 900},
    "not 1 of 0": {"seats": 0},
    "limit=-1: limit must be a whole number from 1 on": {"limit": -1},
    "no sample @gunnar .*did you mean gunner": {"opponents": {1: "@gunnar"}, "seats": 2},
    "some of the seats 0 to 1": {"opponents": {2: "@gunner"}, "seats": 2},
    "and leave one": {"opponents": {0: "@gunner", 1: "@gunner"}, "seats": 2},
    "bots as opponents can't be copied": {"opponents": {0: "@gunner"}, "seats": 2, "copies": True},
}


@pytest.mark.parametrize("words", WRONG)
def test_what_cannot_be_is_said_in_a_line(words: str) -> None:
    with pytest.raises(KothError, match=words):
        make("zombies", **WRONG[words])


def test_what_cannot_be_done_is_said_in_a_line() -> None:
    env = small("pacman")
    with pytest.raises(KothError, match="call reset before"):
        env.step(np.zeros(env.action_shape, np.int64))
    with pytest.raises(KothError, match="2 seeds for 3 matches"):
        env.reset([1, 2])
    env.reset()
    with pytest.raises(KothError, match="match 1, agent 2: its action must be from 0 to 4, not 5"):
        env.step(np.where(np.arange(9).reshape(3, 3) == 5, 5, 0))
    with pytest.raises(KothError, match=r"whole numbers\[3, 3\], not int64\[9\]"):
        env.step(np.zeros(9, np.int64))
    with pytest.raises(KothError, match="not float64"):
        env.step(np.zeros((3, 3)))
    with pytest.raises(KothError, match="copies=True"):
        env.copy()


@every_game
def test_masks_have_a_choice_for_everybody(name: str) -> None:
    """For who is asked they are the possible choices, for the rest the first one."""
    env = small(name, limit=9)
    env.reset(1)
    random = np.random.default_rng(1)
    for _ in range(12):
        masks, asked = env.action_masks(), env.arrays["asked"]
        assert (masks[asked] == env.arrays["mask"][asked]).all()
        firsts = list(env.encoding.places[:-1])
        assert (masks[~asked].sum(axis=1) == len(firsts)).all()
        assert masks[~asked][:, firsts].all()
        actions = env.random_actions(random)
        for k, first in enumerate(firsts):
            chosen = actions.reshape(*asked.shape, -1)[..., k][asked] + first
            assert masks[asked][np.arange(len(chosen)), chosen].all()
        env.step(actions)
