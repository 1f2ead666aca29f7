"""What the author of a pacman bot is shown: the maze through its eyes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from koth.game import Asks
from koth.games.pacman.state import NORTH, WEST
from koth.games.pacman.view import CONTENTS


def eyes(asks: Asks, row: int, facts: Mapping[str, Any]) -> list[str]:
    """The maze with what the bot sees now: itself is `@`, other squares show their letter, unseen ones nothing."""
    side = facts["side"]
    squares = asks.rows(row, row + 1).view
    seen = dict(zip(squares["square"].tolist(), squares["content"].tolist(), strict=True))
    own = int(squares["square"][0])
    canvas = [[" "] * (2 * side + 1) for _ in range(2 * side + 1)]
    walls = [int(digit, 16) for digit in facts["walls"]]
    for r in range(side + 1):
        for c in range(side + 1):
            digit = walls[r % side * side + c % side]
            if digit >> NORTH & 1 and c < side:
                canvas[2 * r][2 * c : 2 * c + 3] = "███"
            if digit >> WEST & 1 and r < side:
                for k in range(3):
                    canvas[2 * r + k][2 * c] = "█"
    for square, what in seen.items():
        r, c = divmod(square, side)
        letter = CONTENTS[what]
        canvas[2 * r + 1][2 * c + 1] = "·" if letter == "X" else letter
    r, c = divmod(own, side)
    canvas[2 * r + 1][2 * c + 1] = "@"
    legend = "@ itself  · nothing  o pellet  O power pellet  F fruit  P Pac-Man  G ghost"
    return [f"at row {r}, column {c}, on {CONTENTS[seen[own]]}", *("".join(line) for line in canvas), legend]
