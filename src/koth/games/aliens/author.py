"""What the author of an aliens bot is shown: the planet through an instance's eyes, what classes know and return."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from koth.game import Array, Observations
from koth.games.aliens.protocol import Json

ABILITY_NAMES = ("life", "strength", "defense", "vision", "cleverness")


def observation_text(observations: Observations, row: int, match_info: Mapping[str, Any]) -> list[str]:
    """What one instance knows: itself and, by the question, its window or its enemy."""
    observation = observations.rows(row, row + 1).fields
    number = int(observation["instance"][0])
    if observations.question.name == "points":
        return [f"instance {number} sets its points, {match_info['points']} at most in all"]
    levels = ", ".join(
        f"{name} {level}" for name, level in zip(ABILITY_NAMES, observation["levels"][0].tolist(), strict=True)
    )
    lines = [f"instance {number}: {int(observation['hp'][0])} hit points; {levels}"]
    if observations.question.name == "meet":
        enemy = ", ".join(
            f"{name} {level}" for name, level in zip(ABILITY_NAMES, observation["enemy"][0].tolist(), strict=False)
        )
        return [*lines, f"meets somebody who looks like {enemy} (each up to {int(observation['blur'][0])} too high)"]
    side = 2 * int(observation["sight"][0]) + 1
    letters = observation["window"].tobytes().decode("ascii").replace(" ", ".")
    for y in range(side):
        around = [letters[x * side + y] for x in range(side)]
        if y == side // 2:
            around[side // 2] = "@"
        lines.append(" ".join(around))
    return [*lines, "@ itself  A alien  W whale  C cow  T turtle  E eagle  H human"]


def called(observations: Observations) -> list[str]:
    """Each instance by its number."""
    return [f"instance {number}" for number in observations.question.labels(observations)]


def shown(observations: Observations, match_info: Mapping[str, Any]) -> list[str]:
    """What each instance knew when one of its methods was called."""
    if observations.question.name == "points":
        return ["sets its points"] * len(observations)
    return [_known(alien) for alien in Json().ask(match_info, observations)["aliens"]]


def _known(alien: Mapping[str, Any]) -> str:
    around = f"enemy {tuple(alien['enemy'])}" if "enemy" in alien else f"fields {alien['fields']}"
    return f"{alien['hp']} hit points, levels {tuple(alien['levels'])}; {around}"


def said(observations: Observations, fields: Mapping[str, Array], match_info: Mapping[str, Any]) -> list[str]:
    """What each instance's method returned."""
    ((name, values),) = Json().encode(match_info, observations, fields).items()
    if name == "moves":
        return [f"Move.{move}" for move in values.values()]
    return [str(value) if name == "fights" else f"points {tuple(value)}" for value in values.values()]
