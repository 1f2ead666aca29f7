"""What the author of a zombies bot is shown: the board through a player's eyes, and what classes see and return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from koth.game import Array, Observations
from koth.games.zombies.protocol import Json
from koth.games.zombies.state import BODY, PLAYER, ZOMBIE
from koth.seat_labels import seat_letters


def observation_text(observations: Observations, row: int, match_info: Mapping[str, Any]) -> list[str]:
    """What one player sees, as text: itself is `@`, zombies are `z`, bodies `#`, others their bot's letter."""
    window = observations.fields["window"][row]
    side = window.shape[0]
    own = {name: int(observations.fields[name][row]) for name in ("number", "x", "y", "bullets", "clock")}
    lines = [
        f"player {own['number']} at ({own['x']}, {own['y']}), {own['bullets']} bullets, {own['clock']} turns played"
    ]
    for y in range(side):
        codes = [int(code) & 255 for code in window[y]]
        letters = [_letter(code) for code in codes]
        if y == side // 2:
            letters[side // 2] = "@"
        lines.append(" ".join(letters))
    bots = "  ".join(f"{seat_letters(seat)[-1]} {name}" for seat, name in enumerate(match_info["names"]))
    return [*lines, f"@ itself  z zombie  # body  {bots}"]


def _letter(code: int) -> str:
    if code >= PLAYER:
        return seat_letters(code - PLAYER)[-1]
    return {0: ".", ZOMBIE: "z", BODY: "#"}[code]


def called(observations: Observations) -> list[str]:
    """Each player, and where it is."""
    numbers, xs, ys = (observations.fields[name].tolist() for name in ("number", "x", "y"))
    return [f"player {number} at {x},{y}" for number, x, y in zip(numbers, xs, ys, strict=True)]


def shown(observations: Observations, match_info: Mapping[str, Any]) -> list[str]:
    """Everybody in sight of each player, and how far away."""
    players = Json().ask(match_info, observations)["players"]
    return [f"{player['bullets']} bullets; {_around(player['seen'])}" for player in players]


def _around(seen: Sequence[tuple[int, int, str, int]]) -> str:
    return "; ".join(f"{name} {number} at {dx:+d},{dy:+d}" for dx, dy, name, number in seen) or "nobody in sight"


def said(observations: Observations, fields: Mapping[str, Array], match_info: Mapping[str, Any]) -> list[str]:
    """What each player did, as the classes have it."""
    return [_action(move) for move in Json().encode(match_info, observations, fields)["moves"].values()]


def _action(move: Any) -> str:
    if isinstance(move, str):
        return f"Move.{move}"
    return f"Shoot({' '.join(map(str, move['shoot'])) if move['shoot'] else 'nobody'})"
