"""Observations and actions as Gymnasium's spaces (extra `learn`)."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces

from koth.game import Array, Field

if TYPE_CHECKING:
    from koth.learn.environment import Environment


def observation_space(env: Environment, *axes: int) -> spaces.Dict:
    """Return the space of one agent's observation, or of a batch with these axes before."""
    declared = env.encoding.observations
    return spaces.Dict({name: space_of(field, axes) for name, field in sorted(declared.items())})


def space_of(field: Field, axes: tuple[int, ...] = ()) -> spaces.Space[Any]:
    """Return the space of a field: `MultiBinary` for int8 of 0 and 1, lest a library take planes for pictures."""
    shape, dtype = (*axes, *field.shape), np.dtype(field.dtype)
    if dtype == np.int8 and field.bounds == (0, 1):
        return spaces.MultiBinary(shape)
    return spaces.Box(field.bounds[0], field.bounds[1], shape, dtype.type)


def action_space(env: Environment, *axes: int) -> spaces.Discrete | spaces.MultiDiscrete:
    """Return the space of one agent's actions, or of a batch with these axes before."""
    choices = env.choices
    several = len(choices) > 1
    if not axes:
        return spaces.MultiDiscrete(np.array(choices)) if several else spaces.Discrete(choices[0])
    return spaces.MultiDiscrete(
        np.broadcast_to(choices, (*axes, len(choices))) if several else np.full(axes, choices)
    )


def masks_for(env: Environment, masks: Array) -> list[Any]:
    """Return each agent's mask as `Space.sample` takes it: int8[choices], or a tuple with one for each action."""
    parts = [list(masks[:, first:last].astype(np.int8)) for first, last in pairwise(env.encoding.places)]
    return list(zip(*parts, strict=True)) if len(parts) > 1 else parts[0]


def full_masks(env: Environment, masks: Array, asked: Array) -> Array:
    """Return bool[rows, choices] in which each action of every row has a choice: the first, of who is not asked."""
    full = masks & asked[:, None]
    for first, last in pairwise(env.encoding.places):
        full[:, first] |= ~full[:, first:last].any(axis=1)
    return full
