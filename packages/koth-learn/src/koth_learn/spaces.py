"""Observations and actions as Gymnasium's spaces."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces

from koth.game import Array
from koth_learn.spec import flatten

if TYPE_CHECKING:
    from koth_learn.agent_arrays import AgentArrays


def observation_space(env: AgentArrays, *axes: int, flat: bool = False) -> spaces.Dict | spaces.Box:
    """Return the space of one agent's observation, or with leading `axes` of a batch; `flat`: as a vector."""
    if not flat:
        return dict_space(env, *axes)
    declared = env.encoding.observations
    low, high = (
        flatten({name: np.full((1, *field.shape), field.bounds[k]) for name, field in declared.items()})[0]
        for k in (0, 1)
    )
    return spaces.Box(np.broadcast_to(low, (*axes, low.size)), np.broadcast_to(high, (*axes, high.size)))


def dict_space(env: AgentArrays, *axes: int) -> spaces.Dict:
    """Return the space by names. (Planes are int8, so that no library takes them for pictures, which are uint8.)"""
    fields = sorted(env.encoding.observations.items())
    return spaces.Dict(
        {name: spaces.Box(*field.bounds, (*axes, *field.shape), np.dtype(field.dtype).type) for name, field in fields}
    )


def action_space(env: AgentArrays, *axes: int) -> spaces.Discrete | spaces.MultiDiscrete:
    """Return the space of one agent's actions, or with leading `axes` of a batch."""
    choices = env.choices
    several = len(choices) > 1
    if not axes:
        return spaces.MultiDiscrete(np.array(choices)) if several else spaces.Discrete(choices[0])
    return spaces.MultiDiscrete(
        np.broadcast_to(choices, (*axes, len(choices))) if several else np.full(axes, choices)
    )


def as_observation(arrays: Mapping[str, Array], flat: bool) -> Any:
    """Return observations as an adapter returns them: the dict, or vectors."""
    return flatten(arrays) if flat else dict(arrays)


def observation_of(arrays: Mapping[str, Array], match: int, agent: int, flat: bool) -> Any:
    """Return a copy of one agent's observation, as an adapter returns it."""
    own = {name: array[match, agent : agent + 1] for name, array in arrays.items()}
    return flatten(own)[0] if flat else {name: array[0].copy() for name, array in own.items()}


def masks_for(env: AgentArrays, masks: Array) -> list[Any]:
    """Return each agent's mask as `Space.sample` takes it: int8[choices], or a tuple with one for each action."""
    whole = masks.view(np.int8)
    if len(env.choices) == 1:
        return list(whole)
    parts = [list(whole[:, first:last]) for first, last in pairwise(env.encoding.places)]
    return list(zip(*parts, strict=True))
