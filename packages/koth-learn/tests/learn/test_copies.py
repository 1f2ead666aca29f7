"""Copies of environments, by pickle and by deepcopy: they go on as the original would, or are refused in one line."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

import koth_learn
from koth.errors import KothError
from koth.game import Field, Question
from koth.games import GAMES
from koth_learn import gym
from tests.learn.small import SINGLE, SMALL, small

Drive = Callable[[Any, np.random.Generator], Any]


def plain(value: Any) -> Any:
    """What a step returned, as values that can be compared, and that the next step does not change."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return (value.dtype.str, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value


def native_step(env: Any, random: np.random.Generator) -> Any:
    return plain(env.step(env.random_actions(random)))


def parallel_step(env: Any, random: np.random.Generator) -> Any:
    if not env.agents:
        return plain(env.reset(seed=5))
    drawn = env.table.native.random_actions(random)[0]
    return plain(env.step({name: drawn[env.table.place[name]] for name in env.agents}))


def turns_step(env: Any, random: np.random.Generator) -> Any:
    if not env.agents:
        env.reset(seed=5)
    agent, told = env.agent_selection, plain(env.last())
    drawn = env.table.native.random_actions(random)[0][env.table.place[agent]]
    env.step(None if env.terminations[agent] or env.truncations[agent] else drawn)
    return agent, told


def gym_step(env: Any, random: np.random.Generator) -> Any:
    told = plain(env.step(env.unwrapped.native.random_actions(random).reshape(env.action_space.shape)))
    if env.unwrapped.native.arrays["ended"].any() and not hasattr(env, "num_envs"):
        env.reset(seed=5)
    return told


def vector_env(name: str, **options: Any) -> Any:
    assert gym.Vector  # importing the module registers its environments
    return gymnasium.make_vec(f"koth/{name}-v0", 2, **SMALL[name], **options)


APIS: dict[str, tuple[Callable[..., Any], Drive]] = {
    "make": (lambda name, **options: small(name, 2, **options), native_step),
    "parallel": (lambda name, **options: koth_learn.parallel_env(name, **SMALL[name], **options), parallel_step),
    "turns": (lambda name, **options: koth_learn.aec_env(name, **SMALL[name], **options), turns_step),
    "vector": (vector_env, gym_step),
}
WAYS: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "deepcopy": copy.deepcopy,
}


def both_go_on(env: Any, other: Any, drive: Drive, steps: int = 12) -> None:
    """The copy plays first: what it does must not show in the original."""
    told = [drive(other, random) for random in [np.random.default_rng(4)] for _ in range(steps)]
    assert [drive(env, random) for random in [np.random.default_rng(4)] for _ in range(steps)] == told


@pytest.mark.slow_but
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("way", WAYS)
def test_a_copy_before_the_reset_is_whole(name: str, api: str, way: str) -> None:
    make, drive = APIS[api]
    env = make(name, limit=5)
    other = WAYS[way](env)
    assert plain(env.reset(seed=1)) == plain(other.reset(seed=1))
    both_go_on(env, other, drive)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("way", WAYS)
def test_a_copy_in_a_match_is_whole(name: str, api: str, way: str) -> None:
    make, drive = APIS[api]
    env, random = make(name, limit=5, copies=True), np.random.default_rng(2)
    env.reset(seed=1)
    for steps in (0, 1, 7):  # matches end, and begin again, in between
        for _ in range(steps):
            drive(env, random)
        both_go_on(env, WAYS[way](env), drive)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("api", APIS)
def test_a_copy_in_a_match_is_refused_with_its_cure(api: str, way: str) -> None:
    env = APIS[api][0]("pacman")
    env.reset(seed=1)
    with pytest.raises(KothError, match="make it with copies=True"):
        WAYS[way](env)


@pytest.mark.parametrize("way", WAYS)
def test_opponents_are_copied_before_the_reset_only(way: str) -> None:
    env = gym.env("pacman", **SINGLE["pacman"])
    other = WAYS[way](env)
    assert plain(env.reset(seed=1)) == plain(other.reset(seed=1))
    both_go_on(env, other, gym_step, 4)
    with pytest.raises(KothError, match="an environment with bots can't be copied or pickled in a match"):
        WAYS[way](env)
    env.close()
    other.close()


def test_what_one_copy_samples_another_does_not() -> None:
    env = small("pacman")
    env.action_space.seed(3)
    other = copy.deepcopy(env)
    drawn = [other.action_space.sample() for _ in range(9)]
    assert [env.action_space.sample() for _ in range(9)] == drawn


def test_a_question_of_a_dict_is_pickled() -> None:
    question = Question("move", {"x": Field("u1")}, {"way": Field("u1")}, max_rows=2)
    other = pickle.loads(pickle.dumps(question))
    assert (other.name, other.observation, other.max_rows) == ("move", question.observation, 2)
    assert other.observation_type._fields == ("x",)
