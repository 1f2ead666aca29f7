"""Small boards for the tests of zombies' rules: one turn, before and after, as text.

    assert arena("A0 .", {"A0": "EAST"}) == grid(". A0")

An arena is set into an otherwise empty board, so far from the corner in which the turn's zombie rises (it is
`z20`, and stays there) that neither knows of the other. Who becomes something else gets number 21, 22 ...
Whoever has no order stays. `shoot X` shoots at whoever the notation calls X, `shoot nobody` at nobody.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import pytest

from koth.game import Answers, Buffers, Observations, default_answers
from koth.games import load
from koth.games.zombies.rules import SPAWN, WALK
from koth.games.zombies.state import BODY, MOVES, PLAYER, SHOOT, ZOMBIE, Settings, State
from koth.rng import draw
from koth.seat_labels import seat_letters
from koth.testing import seed_where
from tests.games.lines import words_of
from tests.games.zombies import notation

GAME = load("zombies")
TINY = Settings(vision=2, shoot_range=2, bullets=3, players=4)
RISEN = 20
"""The number of the zombie that rises in an arena's turn."""

Grid = list[list[str]]
Orders = Mapping[str, str | tuple[int, int]]


def grid(text: str) -> Grid:
    """The words of a board, row by row, without its header lines."""
    return [words for words in words_of(text) if words[0] not in notation.HEADERS]


def find(rows: Grid, word: str) -> tuple[int, int]:
    """Where (x, y) somebody stands."""
    return next((row.index(word), y) for y, row in enumerate(rows) if word in row)


def empty(side: int, actors: Mapping[tuple[int, int], str]) -> str:
    """The text of a board with these actors, by (x, y), and nobody else."""
    return "\n".join(" ".join(actors.get((x, y), ".") for x in range(side)) for y in range(side))


def board(text: str, settings: Settings = TINY, *, seed: int = 0, **header: int) -> State:
    """The state that a board's text stands for."""
    lines = [f"{key} {value}" for key, value in {"seats": 2, "seed": seed, **header}.items()]
    return notation.parse("\n".join([*lines, text]), settings)


def shown(state: State, settings: Settings = TINY) -> Grid:
    """The board of a state, as words."""
    return grid(notation.show(settings, state))


def dice(side: int, spawn: tuple[int, int], walks: Mapping[int, str], clock: int = 0) -> int:
    """A seed with which a zombie rises at this square, and zombies of these numbers stroll that way."""
    square = spawn[1] * side + spawn[0]
    return seed_where(
        lambda seed: draw(seed, clock, SPAWN, 0, side * side) == square,
        lambda seed: all(draw(seed, clock, WALK, number, 9) == MOVES.index(move) for number, move in walks.items()),
    )


def identity(name: str, settings: Settings = TINY) -> int:
    """What the view calls `A1`, `z20` or `#21`; 0 for `nobody`."""
    if name == "nobody":
        return 0
    found = re.fullmatch(r"(z|#|[A-Z])(\d+)", name)
    assert found, name
    number = int(found[2])
    if found[1] in "z#":
        return number * 256 + (ZOMBIE if found[1] == "z" else BODY)
    seat = ord(found[1]) - ord("A")
    return (seat * settings.players + number) * 256 + PLAYER + seat


def take_turn(state: State, orders: Orders | None = None, settings: Settings = TINY) -> Observations:
    """Play one turn of a state in place; returns what was asked in it."""
    buffers = Buffers(GAME.questions(settings, state.score.shape[1]), len(state.seed))
    turn = GAME.turn(settings, state, buffers)
    observations = next(turn)
    fields = default_answers(observations.question, len(observations))
    names = [
        player_name(seat, unit, settings) for seat, unit in zip(observations.seat, observations.unit, strict=True)
    ]
    for name, order in (orders or {}).items():
        row = names.index(name)
        if isinstance(order, tuple):
            fields["action"][row], fields["target"][row] = order
        elif order.startswith("shoot "):
            fields["action"][row], fields["target"][row] = SHOOT, identity(order[6:], settings)
        else:
            fields["action"][row] = MOVES.index(order)
    fault = np.zeros(len(observations), np.uint8)
    gone = np.zeros(state.score.shape, np.bool_)
    with pytest.raises(StopIteration):  # one question in a turn
        turn.send(Answers(fields, fault, gone))
    return observations


def player_name(seat: int, number: int, settings: Settings = TINY) -> str:
    """What the notation calls the player of this number."""
    return f"{seat_letters(int(seat))}{int(number) - int(seat) * settings.players}"


def arena(
    before: str,
    orders: Orders | None = None,
    settings: Settings = TINY,
    *,
    walks: Mapping[int, str] | None = None,
) -> Grid:
    """The arena one turn later; it may not be left by anybody."""
    rows = grid(before)
    size = max(len(rows), max(len(row) for row in rows))
    first = settings.vision + 1
    side = size + 2 * settings.vision + 1
    actors = {(first + x, first + y): word for y, row in enumerate(rows) for x, word in enumerate(row)}
    seed = dice(side, (0, 0), {RISEN: "STAY", **(walks or {})})
    state = board(empty(side, actors), settings, seed=seed, next=RISEN)
    take_turn(state, orders, settings)
    after = shown(state, settings)
    assert after[0][0] == f"z{RISEN}"
    inside = [row[first : first + len(rows[0])] for row in after[first : first + len(rows)]]
    outside = sum(word != "." for row in after for word in row) - 1
    assert outside == sum(word != "." for row in inside for word in row), "somebody left the arena"
    return inside
