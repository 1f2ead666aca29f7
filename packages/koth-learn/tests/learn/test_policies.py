"""Policies of this process on some of the seats, and pools of past selves."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from koth.errors import KothError
from koth.game import Array
from koth_learn import PolicyPool, make
from tests.learn.small import SMALL


def first_possible(observations: Mapping[str, Array], masks: Array) -> Any:
    return masks.argmax(axis=1)


def last_possible(observations: Mapping[str, Array], masks: Array) -> Any:
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


@pytest.mark.parametrize("name", ["pacman", "zombies"])
def test_a_policy_plays_as_if_the_caller_played_its_seat(name: str) -> None:
    """Its rows are those that the caller would have seen, and its actions do the same."""
    options: dict[str, Any] = {**SMALL[name], "limit": 6}
    alone, whole = make(name, 2, opponents={0: last_possible}, **options), make(name, 2, **options)
    alone.reset(3)
    whole.reset(3)
    own = whole.units.seat != 0
    for _ in range(10):
        actions = np.zeros(whole.action_shape, np.int64)
        for m in range(2):
            masks = whole.arrays["mask"][m]
            actions[m] = np.where(own, first_possible({}, masks), last_possible({}, masks))
        alone.step(actions[:, own])
        whole.step(actions)
        if whole.arrays["ended"].any():
            break
        for key in ("rewards", "asked"):
            assert (alone.arrays[key] == whole.arrays[key][:, own]).all()
        for key, array in whole.arrays.observations.items():
            assert (alone.arrays.observations[key] == array[:, own]).all()


def test_a_pool_draws_a_policy_for_each_match() -> None:
    """The same ones by the same seed, in copies too; only the last ones are kept."""
    calls: list[str] = []

    def self_of(name: str) -> Any:
        def act(observations: Mapping[str, Array], masks: Array) -> Any:
            calls.append(name)
            return np.zeros(len(masks), np.int64)

        return act

    pool = PolicyPool(most=2)
    with pytest.raises(KothError, match="add one before the first reset"):
        make("pacman", opponents={1: pool}, seats=2).reset(1)
    for name in "abc":
        pool.add(self_of(name))
    env = make("pacman", 8, seats=2, opponents={1: pool}, copies=True)
    env.reset(1)
    env.step(np.zeros(env.action_shape, np.int64))
    assert calls
    assert set(calls) == {"b", "c"}
    calls.clear()
    other = copy.deepcopy(env)
    for one in (env, other):
        one.step(np.zeros(env.action_shape, np.int64))
    assert (env.arrays["rewards"] == other.arrays["rewards"]).all()


def test_a_wrong_policy_is_named() -> None:
    with pytest.raises(KothError, match="opponents must be a dict of seats and bots"):
        make("pacman", seats=2, opponents=["@greedy"])  # type: ignore[arg-type]
    with pytest.raises(KothError, match="settings must be a dict of names and values"):
        make("pacman", seats=2, settings=["turns"])  # type: ignore[arg-type]
    with pytest.raises(KothError, match="the opponent at seat 1 must be a bot's name or path, a function"):
        make("pacman", seats=2, opponents={1: 7})  # type: ignore[dict-item]
    env = make("pacman", seats=2, opponents={1: lambda observations, masks: np.zeros(3)})
    env.reset(1)
    with pytest.raises(KothError, match=r"the policy at seat 1 must return whole numbers\[1, 1\], not float64\[3\]"):
        env.step(np.zeros(env.action_shape, np.int64))
    env = make("pacman", seats=2, opponents={1: lambda observations, masks: np.full((len(masks), 1), 999)})
    env.reset(1)
    with pytest.raises(KothError, match=r"the policy at seat 1 must return actions from 0 to \d+, not \[\[999\]\]"):
        env.step(np.zeros(env.action_shape, np.int64))
