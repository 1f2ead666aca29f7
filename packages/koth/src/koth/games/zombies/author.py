"""Calls of a zombies bot's class in words, for its author."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from koth.game import Array, Observations
from koth.games.zombies.protocol import Json


def unit_names(observations: Observations) -> list[str]:
    """Return the number and square of each player as the player's name."""
    numbers, xs, ys = (observations.fields[name].tolist() for name in ("number", "x", "y"))
    return [f"player {number} at {x},{y}" for number, x, y in zip(numbers, xs, ys, strict=True)]


def observation_lines(observations: Observations, match_info: Mapping[str, Any]) -> list[str]:
    """Return for each player its bullets and the actors in sight, with their distances."""
    players = Json().ask(match_info, observations)["players"]
    return [f"{player['bullets']} bullets; {_around(player['seen'])}" for player in players]


def _around(seen: Sequence[tuple[int, int, str, int]]) -> str:
    return "; ".join(f"{name} {number} at {dx:+d},{dy:+d}" for dx, dy, name, number in seen) or "nobody in sight"


def answer_lines(observations: Observations, fields: Mapping[str, Array], match_info: Mapping[str, Any]) -> list[str]:
    """Return the action of each player, in the notation of the Python class."""
    return [_action(move) for move in Json().encode(match_info, observations, fields)["moves"].values()]


def _action(move: Any) -> str:
    if isinstance(move, str):
        return f"Move.{move}"
    return f"Shoot({' '.join(map(str, move['shoot'])) if move['shoot'] else 'nobody'})"
