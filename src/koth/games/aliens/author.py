"""What the author of an aliens bot is shown: the planet through an instance's eyes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from koth.game import Asks

ABILITY_NAMES = ("life", "strength", "defense", "vision", "cleverness")


def eyes(asks: Asks, row: int, facts: Mapping[str, Any]) -> list[str]:
    """What one instance knows: itself and, by the question, its window or its enemy."""
    view = asks.rows(row, row + 1).view
    number = int(view["instance"][0])
    if asks.question.name == "points":
        return [f"instance {number} sets its points, {facts['points']} at most in all"]
    levels = ", ".join(
        f"{name} {level}" for name, level in zip(ABILITY_NAMES, view["levels"][0].tolist(), strict=True)
    )
    lines = [f"instance {number}: {int(view['hp'][0])} hit points; {levels}"]
    if asks.question.name == "meet":
        enemy = ", ".join(
            f"{name} {level}" for name, level in zip(ABILITY_NAMES, view["enemy"][0].tolist(), strict=False)
        )
        return [*lines, f"meets somebody who looks like {enemy} (each up to {int(view['blur'][0])} too high)"]
    side = 2 * int(view["sight"][0]) + 1
    letters = view["window"].tobytes().decode("ascii").replace(" ", ".")
    for y in range(side):
        around = [letters[x * side + y] for x in range(side)]
        if y == side // 2:
            around[side // 2] = "@"
        lines.append(" ".join(around))
    return [*lines, "@ itself  A alien  W whale  C cow  T turtle  E eagle  H human"]
