"""Calls of an aliens bot's methods in words, for its author."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from koth.game import Array, Observations
from koth.games.aliens.protocol import Json


def unit_names(observations: Observations) -> list[str]:
    """Return the number of each instance as the instance's name."""
    return [f"instance {number}" for number in observations.question.labels(observations)]


def observation_lines(observations: Observations, match_info: Mapping[str, Any]) -> list[str]:
    """Return the state of each instance when one of its methods was called."""
    if observations.question.name == "points":
        return ["sets its points"] * len(observations)
    return [_describe(alien) for alien in Json().ask(match_info, observations)["aliens"]]


def _describe(alien: Mapping[str, Any]) -> str:
    around = f"enemy {tuple(alien['enemy'])}" if "enemy" in alien else f"fields {alien['fields']}"
    return f"{alien['hp']} hit points, levels {tuple(alien['levels'])}; {around}"


def answer_lines(observations: Observations, fields: Mapping[str, Array], match_info: Mapping[str, Any]) -> list[str]:
    """Return the result of each instance's method."""
    ((name, values),) = Json().encode(match_info, observations, fields).items()
    if name == "moves":
        return [f"Move.{move}" for move in values.values()]
    return [str(value) if name == "fights" else f"points {tuple(value)}" for value in values.values()]
