"""Checks of seeds, settings and actions that a caller passes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import numpy as np

from koth.engine.plain_data import shorten
from koth.errors import KothError
from koth.game import Array


def check_seed(seed: Any) -> int:
    """Return a seed as a number. Raises KothError for anything else."""
    if not isinstance(seed, int | np.integer) or not 0 <= seed < 1 << 63:
        raise KothError(f"seed={shorten(seed)}: a seed must be a whole number from 0 to 2**63 - 1")
    return int(seed)


def settings_in(options: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return the settings among the options of a reset, or None; options of wrappers are ignored.

    Raises KothError for a key that is nearly `settings`.
    """
    for key in options or {}:
        if key != "settings" and get_close_matches(str(key).lower(), ["settings"], cutoff=0.8):
            raise KothError(f"reset has no option {key!r}; did you mean settings?")
    return (options or {}).get("settings")


def whole_numbers(actions: Any, shape: tuple[int, ...], whose: str = "actions", *, exactly: bool = False) -> Array:
    """Return integers in this shape, reshaped from another one unless `exactly`. Raises KothError."""
    try:
        found = np.asarray(actions)
    except ValueError:  # lists of several lengths
        found = np.array(None)
    fits = found.shape == shape if exactly else found.size == math.prod(shape)
    if found.dtype.kind not in "iu" or not fits:
        kind = f"{found.dtype}{list(found.shape)}" if found.ndim else shorten(actions)
        wanted = f"whole numbers{list(shape)}" if shape else "a whole number"
        raise KothError(f"{whose} must be {wanted}, not {kind}")
    return found.reshape(shape)


def out_of_range(given: Array, rows: Array, choices: tuple[int, ...], agents: int) -> str:
    """Return a text on the first action out of range: given[agents of all matches, actions], of these rows."""
    row, action = np.argwhere((given[rows] < 0) | (given[rows] >= np.array(choices)))[0].tolist()
    match, agent = divmod(int(rows[row]), agents)
    which = f" {action}" if len(choices) > 1 else ""
    said, most = given[rows[row], action], choices[action] - 1
    return f"match {match}, agent {agent}: its action{which} must be from 0 to {most}, not {said}"
