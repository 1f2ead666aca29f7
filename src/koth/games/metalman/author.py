"""What the author of a metalman bot is shown: the map through its pieces' eyes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from koth.game import Array, Asks
from koth.games.metalman.percepts import DIRECTIONS
from koth.games.metalman.terrain import FLOOR, HIGHGROUND, WALL
from koth.games.metalman.wire import Json

POINTERS = ("↑→↓←", "▲▶▼◀")


def eyes(asks: Asks, row: int, facts: Mapping[str, Any]) -> list[str]:
    """The squares its two pieces see: its own are `S` and `A`, enemies arrows (spotters) and triangles."""
    view = {name: values[row] for name, values in asks.view.items()}
    letters = {WALL: "█", FLOOR: "·", HIGHGROUND: "^"}
    canvas = [[letters.get(code, " ") for code in line] for line in view["board"].tolist()]
    for pieces in zip(view["enemy_row"], view["enemy_column"], view["enemy_facing"], strict=True):
        for piece, (r, c, facing) in enumerate(zip(*(values.tolist() for values in pieces), strict=True)):
            if r >= 0:
                canvas[r][c] = POINTERS[piece][facing]
    for piece, letter in enumerate("SA"):
        if view["alive"][piece]:
            canvas[view["row"][piece]][view["column"][piece]] = letter
    facing = [list(DIRECTIONS[code]) for code in view["facing"].tolist()]
    places = [[int(view["row"][piece]), int(view["column"][piece])] for piece in range(2)]
    told = [
        f"{name} at {place}, facing {towards}" if alive else f"{name} is dead"
        for name, place, towards, alive in zip(("spotter", "assassin"), places, facing, view["alive"], strict=True)
    ]
    clock = f"{int(view['timer'])} rounds until the next collapse, {int(view['circles'])} collapsed"
    legend = "S spotter  A assassin  █ wall  · floor  ^ highground  blank: not seen"
    return [f"{'; '.join(told)}; {clock}", *("".join(line) for line in canvas), legend]


def called(asks: Asks) -> list[str]:
    """Nothing: a bot speaks for both of its pieces."""
    return [""] * len(asks)


def shown(asks: Asks, facts: Mapping[str, Any]) -> list[str]:
    """The state that each step was called with."""
    return [f"state {Json().ask(facts, asks.rows(row, row + 1))}" for row in range(len(asks))]


def said(asks: Asks, fields: Mapping[str, Array], facts: Mapping[str, Any]) -> list[str]:
    """The action that each step returned."""
    one = [{name: values[row : row + 1] for name, values in fields.items()} for row in range(len(asks))]
    return [str(Json().say(facts, asks.rows(row, row + 1), answer)) for row, answer in enumerate(one)]
