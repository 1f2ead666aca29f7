"""Calls of a Metal Man bot's `step` in words, for its author."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from koth.game import Array, Observations
from koth.games.metalman.protocol import Json


def unit_names(observations: Observations) -> list[str]:
    """Return no names: each row is a bot's only row, for both of its pieces."""
    return [""] * len(observations)


def observation_lines(observations: Observations, match_info: Mapping[str, Any]) -> list[str]:
    """Return the state that was passed to each step."""
    return [f"state {Json().ask(match_info, observations.rows(row, row + 1))}" for row in range(len(observations))]


def answer_lines(observations: Observations, fields: Mapping[str, Array], match_info: Mapping[str, Any]) -> list[str]:
    """Return the action that each step returned."""
    one = [{name: values[row : row + 1] for name, values in fields.items()} for row in range(len(observations))]
    return [str(Json().encode(match_info, observations.rows(row, row + 1), answer)) for row, answer in enumerate(one)]
