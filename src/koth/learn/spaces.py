"""Observations and actions as Gymnasium's spaces (extra `learn`)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from gymnasium import spaces

from koth.game import Array
from koth.learn.against import Against
from koth.learn.environment import Environment

Native = Environment | Against


def of(native: Native) -> Environment:
    """The environment that all agents are of."""
    return native.environment if isinstance(native, Against) else native


def observation_space(native: Native, *axes: int) -> spaces.Dict:
    """What one agent observes, or with further axes before: a box for each array."""
    declared = of(native).encoding.observations
    return spaces.Dict(
        {
            name: spaces.Box(field.bounds[0], field.bounds[1], (*axes, *field.shape), np.dtype(field.dtype).type)
            for name, field in sorted(declared.items())
        }
    )


def action_space(native: Native, *axes: int) -> spaces.Discrete | spaces.MultiDiscrete:
    """What one agent chooses, or with further axes before."""
    choices = native.choices
    several = len(choices) > 1
    if not axes:
        return spaces.MultiDiscrete(np.array(choices)) if several else spaces.Discrete(choices[0])
    return spaces.MultiDiscrete(
        np.broadcast_to(choices, (*axes, len(choices))) if several else np.full(axes, choices)
    )


def masks_for(native: Native, masks: Array) -> list[Any]:
    """Each agent's mask as `Space.sample` takes it: an array, or a tuple with one for each action."""
    places = of(native).encoding.places
    parts = [list(masks[:, first:last].astype(np.int8)) for first, last in pairwise(places)]
    return list(zip(*parts, strict=True)) if len(parts) > 1 else parts[0]
