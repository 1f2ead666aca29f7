"""Gymnasium's and PettingZoo's own tests, and what the adapters promise beside them."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test

import koth.learn
from koth.errors import KothError
from koth.games import GAMES
from koth.learn import Against, gym
from koth.viewer.palette import team_colour
from tests.learn.small import SMALL, Addressed, small

TASTE = (
    "ignore:Observation is not a NumPy array",  # it is a dictionary of two
    "ignore:Observation space for each agent probably should be",
    "ignore:Action space for each agent probably should be",  # where an agent's actions are several
    "ignore:Environment has not defined a render",
    "ignore:No agents present but not all possible_agents",  # some are dead before the first question
)
tasteful = [pytest.mark.filterwarnings(words) for words in TASTE]
every_game = pytest.mark.parametrize("name", GAMES)


@every_game
class TestPettingZoo:
    pytestmark = tasteful

    def test_parallel(self, name: str) -> None:
        parallel_api_test(koth.learn.parallel_env(name, **SMALL[name], limit=12), 40)
        parallel_seed_test(lambda: koth.learn.parallel_env(name, **SMALL[name], limit=12), 20)

    def test_turns(self, name: str) -> None:
        api_test(koth.learn.aec_env(name, **SMALL[name], limit=5), 30)
        seed_test(lambda: koth.learn.aec_env(name, **SMALL[name], limit=5), 20)

    def test_renders(self, name: str) -> None:
        """In all modes, from the registry; every seat's colour is in the picture."""
        render_test(lambda render_mode: koth.learn.aec_env(name, render_mode, **SMALL[name]))
        env: Any = pettingzoo.make("parallel", f"koth/{name}-v0", render_mode="rgb_array", **SMALL[name])
        env.reset(seed=1)
        colours = {tuple(colour) for colour in env.render().reshape(-1, 3).tolist()}
        letters = koth.learn.parallel_env(name, "ansi", **SMALL[name])
        letters.reset(seed=1)
        for seat in range(env.table.native.seats):
            near = [max(abs(a - b) for a, b in zip(team_colour(seat), colour, strict=True)) for colour in colours]
            assert (min(near) < 40) == (name != "aliens" or seat < 2)
        assert len(letters.render().splitlines()) * 8 <= env.render().shape[0]

    def test_parallel_is_the_native_match(self, name: str) -> None:
        env, native = koth.learn.parallel_env(name, **SMALL[name]), small(name, 1)
        shown, infos = env.reset(seed=3)
        native.reset(3)
        act = Addressed(native)
        while env.agents and native.arrays["turn"][0] < 6:
            for agent in env.agents:
                k = env.table.place[agent]
                assert infos[agent]["asked"] == native.arrays["asked"][0, k]
                for key, array in native.arrays.observations.items():
                    assert (shown[agent][key] == array[0, k]).all()
            actions = act()
            shown, rewards, terminated, _, infos = env.step(
                {agent: actions[0, env.table.place[agent]] for agent in env.agents}
            )
            native.step(actions)
            assert all(rewards[agent] == native.arrays["rewards"][0, env.table.place[agent]] for agent in rewards)
            assert sum(terminated.values()) == native.arrays["terminated"].sum()


@pytest.mark.parametrize("name", ["pacman", "metalman"])
def test_an_env_against_a_field(name: str) -> None:
    check_env(gymnasium.make(f"koth.learn.gym:koth/{name}-v0", **SMALL[name]).unwrapped)


def test_a_vector_env_draws_each_match() -> None:
    vector: Any = gymnasium.make_vec("koth/pacman-v0", 2, render_mode="rgb_array", **SMALL["pacman"])
    vector.reset(seed=1)
    one, two = vector.render()
    assert one.shape == two.shape
    assert (one != two).any()
    with pytest.raises(KothError, match="no render mode 'rgb'"):
        koth.learn.aec_env("pacman", "rgb")


def test_an_env_plays_matches_to_their_end() -> None:
    env = gymnasium.make("koth/metalman-v0", seats=2, limit=30)
    env.reset(seed=1)
    env.action_space.seed(1)
    for _ in range(3):
        ended = False
        while not ended:
            _, reward, terminated, truncated, _ = env.step(env.action_space.sample())
            ended = terminated or truncated
        assert 0 <= reward <= 1
        env.reset()


def test_an_env_is_one_agents() -> None:
    with pytest.raises(KothError, match="not 4 agents'"):
        gym.env("zombies", **SMALL["zombies"])


@every_game
def test_a_vector_env_is_the_native_one_in_line(name: str) -> None:
    vector: Any = gymnasium.make_vec(f"koth/{name}-v0", 3, opponents={}, **SMALL[name])
    native = small(name)
    shown, _ = vector.reset(seed=9)
    native.reset(9)
    assert vector.num_envs == 3 * native.agents
    act = Addressed(native)
    for _ in range(12):
        actions = act()
        shown, rewards, terminated, truncated, infos = vector.step(
            actions.reshape(vector.num_envs, *actions.shape[2:])
        )
        native.step(actions)
        assert vector.observation_space.contains({key: array.copy() for key, array in shown.items()})
        for key, array in native.arrays.observations.items():
            assert (shown[key] == array.reshape(shown[key].shape)).all()
        told = (rewards, "rewards"), (terminated, "terminated"), (truncated, "truncated"), (infos["asked"], "asked")
        for array, key in told:
            assert (array == native.arrays[key].reshape(-1)).all()


def test_opponents_are_asked_of_their_own_agents_alone() -> None:
    """A seat's policy sees what this seat's agents are shown, and its actions are played."""
    native, same = small("pacman"), small("pacman")
    seen: list[np.ndarray] = []

    def go_north(observations: dict[str, np.ndarray], mask: np.ndarray) -> np.ndarray:
        seen.append(observations["scalars"].copy())
        assert len(mask) == len(observations["planes"])
        return np.zeros(len(mask), np.int64)

    me = Against(native, {1: go_north, 2: go_north})
    shown, _ = me.reset(4)
    same.reset(4)
    assert shown["planes"].shape == (3, 1, 10, 11, 11)
    for _ in range(4):
        rows = same.arrays["asked"][:, 1]
        expected = same.arrays.observations["scalars"][rows, 1].copy()
        actions = np.full((3, 3), 0)
        actions[:, 0] = 4
        before = len(seen)
        shown, rewards, *_ = me.step(np.full((3, 1), 4))
        same.step(actions)
        assert (seen[before] == expected).all()
        assert (rewards == same.arrays["rewards"][:, :1]).all()
        assert (shown["planes"] == same.arrays.observations["planes"][:, :1]).all()


def test_opponents_take_some_seats() -> None:
    for wrong in ({3: None}, {0: None, 1: None, 2: None}):
        with pytest.raises(KothError, match="seats 0 to 2"):
            Against(small("pacman"), wrong)  # type: ignore[arg-type]
