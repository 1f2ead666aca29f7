"""What the author of a zombies bot is shown: the board through a player's eyes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from koth.game import Asks
from koth.games.zombies.state import BODY, PLAYER, ZOMBIE
from koth.letters import seat_letters


def eyes(asks: Asks, row: int, facts: Mapping[str, Any]) -> list[str]:
    """What one player sees, as text: itself is `@`, zombies are `z`, bodies `#`, others their bot's letter."""
    window = asks.view["window"][row]
    side = window.shape[0]
    own = {name: int(asks.view[name][row]) for name in ("number", "x", "y", "bullets", "clock")}
    lines = [
        f"player {own['number']} at ({own['x']}, {own['y']}), {own['bullets']} bullets, {own['clock']} turns played"
    ]
    for y in range(side):
        codes = [int(code) & 255 for code in window[y]]
        letters = [_letter(code) for code in codes]
        if y == side // 2:
            letters[side // 2] = "@"
        lines.append(" ".join(letters))
    bots = "  ".join(f"{seat_letters(seat)[-1]} {name}" for seat, name in enumerate(facts["names"]))
    return [*lines, f"@ itself  z zombie  # body  {bots}"]


def _letter(code: int) -> str:
    if code >= PLAYER:
        return seat_letters(code - PLAYER)[-1]
    return {0: ".", ZOMBIE: "z", BODY: "#"}[code]
