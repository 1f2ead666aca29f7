"""What the author of an aliens bot is shown: the planet through an instance's eyes, what classes know and return."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from koth.game import Array, Asks
from koth.games.aliens.wire import Json

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


def called(asks: Asks) -> list[str]:
    """Each instance by its number."""
    return [f"instance {number}" for number in asks.question.labels(asks)]


def shown(asks: Asks, facts: Mapping[str, Any]) -> list[str]:
    """What each instance knew when one of its methods was called."""
    if asks.question.name == "points":
        return ["sets its points"] * len(asks)
    return [_known(alien) for alien in Json().ask(facts, asks)["aliens"]]


def _known(alien: Mapping[str, Any]) -> str:
    around = f"enemy {tuple(alien['enemy'])}" if "enemy" in alien else f"fields {alien['fields']}"
    return f"{alien['hp']} hit points, levels {tuple(alien['levels'])}; {around}"


def said(asks: Asks, fields: Mapping[str, Array], facts: Mapping[str, Any]) -> list[str]:
    """What each instance's method returned."""
    ((name, values),) = Json().say(facts, asks, fields).items()
    if name == "moves":
        return [f"Move.{move}" for move in values.values()]
    return [str(value) if name == "fights" else f"points {tuple(value)}" for value in values.values()]
