"""Gymnasium's and PettingZoo's own tests, and what the adapters promise beside them."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

import koth_learn
import koth_learn.zoo
from koth.errors import KothError
from koth.games import GAMES
from koth.rng import derive
from koth_learn import gym
from tests.learn.small import SINGLE, SMALL, Addressed, small

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
        parallel_api_test(koth_learn.parallel_env(name, **SMALL[name], limit=12), 40)
        parallel_seed_test(lambda: koth_learn.parallel_env(name, **SMALL[name], limit=12), 20)

    def test_turns(self, name: str) -> None:
        api_test(koth_learn.aec_env(name, **SMALL[name], limit=5), 30)
        seed_test(lambda: koth_learn.aec_env(name, **SMALL[name], limit=5), 20)

    def test_renders(self, name: str) -> None:
        """As text, in letters; without a mode there is nothing."""
        env: Any = pettingzoo.make("parallel", f"koth/{name}-v0", render_mode="ansi", **SMALL[name])
        env.reset(seed=1)
        assert len(env.render().splitlines()) > 5
        plain = koth_learn.parallel_env(name, **SMALL[name])
        plain.reset(seed=1)
        assert plain.render() is None

    def test_parallel_is_the_native_match(self, name: str) -> None:
        env, native = koth_learn.parallel_env(name, **SMALL[name]), small(name, 1)
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


@pytest.mark.parametrize("name", SINGLE)
def test_an_env_against_samples(name: str) -> None:
    env = gymnasium.make(f"koth_learn.gym:koth/{name}-v0", **SINGLE[name]).unwrapped
    check_env(env)
    env.close()


def test_an_env_of_one_seat_needs_no_opponents() -> None:
    env: Any = gymnasium.make("koth_learn.gym:koth/pacman-v0", seats=1)
    check_env(env.unwrapped)
    _, info = env.reset(seed=3)
    ended, reward, turns = False, 0.0, 0
    while not ended:
        masks = env.get_wrapper_attr("action_masks")()
        assert (masks == info["action_mask"]).all()
        _, gained, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
        reward, turns, ended = reward + gained, turns + 1, terminated or truncated
    assert info["scores"] == [reward]


@pytest.mark.parametrize("name", SMALL)
def test_the_masks_of_a_vector_leave_every_row_a_choice(name: str) -> None:
    env: Any = gymnasium.make_vec(f"koth/{name}-v0", 3, **SMALL[name])
    _, infos = env.reset(seed=1)
    act = Addressed(env.unwrapped.native)
    for _ in range(80):
        assert (infos["action_mask"] == env.unwrapped.action_masks()).all()
        first = 0
        for count in env.unwrapped.native.choices:
            assert infos["action_mask"][:, first : first + count].any(axis=1).all()
            first += count
        *_, infos = env.step(act().reshape(env.action_space.shape))


def test_an_env_is_one_agents() -> None:
    for kind in (KothError, TypeError):  # the second is what Stable-Baselines3's make_vec_env waits for
        with pytest.raises(kind, match="no render mode 'rgb_array'"):
            gymnasium.make("koth/pacman-v0", render_mode="rgb_array", seats=1)
    with pytest.raises(KothError, match="there are 8 in 1 match of zombies: a seat has 4 agents"):
        gym.env("zombies", **SMALL["zombies"])
    with pytest.raises(KothError, match="there are 3 in 1 match of pacman: opponents="):
        gym.env("pacman", **SMALL["pacman"])


def test_planes_are_no_pictures() -> None:
    """Spaces are boxes within bounds; planes are int8, which no library takes for the pixels of a picture."""
    for name in GAMES:
        for key, space in koth_learn.make(name, **SMALL[name]).observation_space.spaces.items():
            assert isinstance(space, gymnasium.spaces.Box)
            assert space.dtype == (np.int8 if key == "planes" else np.float32)
            assert (space.low == 0).all()
            assert (space.high == 1).all()


@every_game
def test_a_vector_env_is_the_native_one_in_line(name: str) -> None:
    vector: Any = gymnasium.make_vec(f"koth/{name}-v0", 3, **SMALL[name])
    native = small(name)
    shown, _ = vector.reset(seed=9)
    native.reset([derive(seed, 0) for seed in (9, 10, 11)])
    assert vector.num_envs == 3 * native.agents
    act = Addressed(native)
    for _ in range(12):
        actions = act()
        shown, rewards, terminated, truncated, infos = vector.step(
            actions.reshape(vector.num_envs, *actions.shape[2:])
        )
        native.step(actions)
        assert vector.observation_space.contains(shown)
        for key, array in native.arrays.observations.items():
            assert (shown[key] == array.reshape(shown[key].shape)).all()
        told = (rewards, "rewards"), (terminated, "terminated"), (truncated, "truncated"), (infos["asked"], "asked")
        for array, key in told:
            assert (array == native.arrays[key].reshape(-1)).all()


@pytest.mark.parametrize("seed", [1, [3, 5]])
def test_a_vector_env_keeps_gymnasiums_contract(seed: Any) -> None:
    """As SyncVectorEnv: the same seeds, and arrays that no later step changes. (Gymnasium has no checker of it.)"""
    options = {"seats": 1, "settings": {"turns": 30}}
    vector: Any = gymnasium.make_vec("koth/pacman-v0", 2, **options)
    mode = gymnasium.vector.AutoresetMode.SAME_STEP
    assert vector.metadata["autoreset_mode"] is vector.unwrapped.autoreset_mode is mode
    usual = gymnasium.vector.SyncVectorEnv(
        [lambda: gymnasium.make("koth/pacman-v0", **options)] * 2, autoreset_mode=mode
    )
    steps = [env.reset(seed=seed) for env in (vector, usual)]
    random, turns = np.random.default_rng(1), 0
    while not any(step[2].any() for step in steps if turns):  # an Env of a match alone ends a step earlier
        assert (steps[0][0]["planes"] == steps[1][0]["planes"]).all()
        assert turns == 0 or (steps[0][1] == steps[1][1]).all()
        kept, before, turns = steps[0], repr(steps[0]), turns + 1
        actions = random.integers(0, 5, 2)
        steps = [env.step(actions) for env in (vector, usual)]
        assert repr(kept) == before
    assert turns > 2
