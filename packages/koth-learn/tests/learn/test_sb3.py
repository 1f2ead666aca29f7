"""The VecEnv of Stable-Baselines3, where that is installed (it brings PyTorch, so it is in no extra)."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest

import koth_learn
from koth.errors import KothError
from koth.games import GAMES
from koth_learn import gym
from tests.learn.small import SINGLE, SMALL, Addressed, small

is_here = importlib.util.find_spec("stable_baselines3") is not None
needs_sb3 = pytest.mark.skipif(not is_here, reason="stable_baselines3 is not installed")


@pytest.mark.skipif(is_here, reason="stable_baselines3 is installed")
def test_without_it_the_cure_is_told() -> None:
    with pytest.raises(KothError, match="pip install stable-baselines3"):
        koth_learn.vec_env("pacman")


@needs_sb3
@pytest.mark.parametrize("name", GAMES)
def test_a_vec_env_is_the_native_one_in_line(name: str) -> None:
    env: Any = koth_learn.vec_env(name, 3, **SMALL[name], limit=6)
    native = small(name, limit=6)
    env.seed(9)
    shown = env.reset()
    native.reset(9)
    act = Addressed(native)
    ends = 0
    for _ in range(40):
        masks = np.stack(env.env_method("action_masks"))
        assert (masks == native.action_masks().reshape(env.num_envs, -1)).all()
        assert env.observation_space.contains({key: array[0] for key, array in shown.items()})
        actions = act()
        shown, rewards, done, infos = env.step(actions.reshape(env.num_envs, *actions.shape[2:]))
        native.step(actions)
        for key, array in native.arrays.observations.items():
            assert (shown[key] == array.reshape(shown[key].shape)).all()
            assert not np.shares_memory(shown[key], array)
        assert (rewards == native.arrays["rewards"].reshape(-1)).all()
        assert (done == (native.arrays["terminated"] | native.arrays["truncated"]).reshape(-1)).all()
        for k in np.flatnonzero(done).tolist():
            assert infos[k]["TimeLimit.truncated"] == native.arrays["truncated"].reshape(-1)[k]
            assert env.observation_space.contains(infos[k]["terminal_observation"])
            if native.arrays["ended"][k // native.agents]:
                assert len(infos[k]["scores"]) == native.seats
                ends += 1
    assert ends


@needs_sb3
@pytest.mark.filterwarnings("error")
@pytest.mark.filterwarnings("ignore:It seems that your observation")  # planes are boxes, which might be pictures
@pytest.mark.filterwarnings("ignore:The minimal resolution for an image")
@pytest.mark.parametrize("name", SINGLE)
def test_its_own_check_passes(name: str) -> None:
    from stable_baselines3.common.env_checker import check_env

    env = gym.env(name, **SINGLE[name])
    check_env(env)
    env.close()
