"""What the author of a metalman bot is shown: the map through its pieces' eyes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from koth.game import Array, Observations
from koth.games.metalman.percepts import DIRECTIONS
from koth.games.metalman.protocol import Json
from koth.games.metalman.terrain import FLOOR, HIGHGROUND, WALL

POINTERS = ("↑→↓←", "▲▶▼◀")


def observation_text(observations: Observations, row: int, match_info: Mapping[str, Any]) -> list[str]:
    """The squares its two pieces see: its own are `S` and `A`, enemies arrows (spotters) and triangles."""
    observation = {name: values[row] for name, values in observations.fields.items()}
    letters = {WALL: "█", FLOOR: "·", HIGHGROUND: "^"}
    canvas = [[letters.get(code, " ") for code in line] for line in observation["board"].tolist()]
    for pieces in zip(
        observation["enemy_row"], observation["enemy_column"], observation["enemy_facing"], strict=True
    ):
        for piece, (r, c, facing) in enumerate(zip(*(values.tolist() for values in pieces), strict=True)):
            if r >= 0:
                canvas[r][c] = POINTERS[piece][facing]
    for piece, letter in enumerate("SA"):
        if observation["alive"][piece]:
            canvas[observation["row"][piece]][observation["column"][piece]] = letter
    facing = [list(DIRECTIONS[code]) for code in observation["facing"].tolist()]
    places = [[int(observation["row"][piece]), int(observation["column"][piece])] for piece in range(2)]
    told = [
        f"{name} at {place}, facing {towards}" if alive else f"{name} is dead"
        for name, place, towards, alive in zip(
            ("spotter", "assassin"), places, facing, observation["alive"], strict=True
        )
    ]
    clock = f"{int(observation['timer'])} rounds until the next collapse, {int(observation['circles'])} collapsed"
    legend = "S spotter  A assassin  █ wall  · floor  ^ highground  blank: not seen"
    return [f"{'; '.join(told)}; {clock}", *("".join(line) for line in canvas), legend]


def called(observations: Observations) -> list[str]:
    """Nothing: a bot speaks for both of its pieces."""
    return [""] * len(observations)


def shown(observations: Observations, match_info: Mapping[str, Any]) -> list[str]:
    """The state that each step was called with."""
    return [f"state {Json().ask(match_info, observations.rows(row, row + 1))}" for row in range(len(observations))]


def said(observations: Observations, fields: Mapping[str, Array], match_info: Mapping[str, Any]) -> list[str]:
    """The action that each step returned."""
    one = [{name: values[row : row + 1] for name, values in fields.items()} for row in range(len(observations))]
    return [str(Json().encode(match_info, observations.rows(row, row + 1), answer)) for row, answer in enumerate(one)]
