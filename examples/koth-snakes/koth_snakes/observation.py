"""The observations of a snake, and the frames of replays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from koth.game import Buffers, Field, FrameSpec, Observations, Question, RowIndex, Units
from koth.kernel import copy_values, kernel
from koth_snakes.rules import part
from koth_snakes.state import HEALTH, MOVES, ON, Settings, State


class Observation(NamedTuple):
    """What a snake is shown: rule 12."""

    turn: Any
    health: Any
    length: Any
    parts: Any
    snake: Any
    x: Any
    y: Any
    foods: Any
    food_x: Any
    food_y: Any


def questions(settings: Settings, seats: int) -> dict[str, Question]:
    """The one question of the game."""
    last = settings.side - 1
    longest = settings.side**2 + 2
    return {
        "move": Question(
            "move",
            observation=Observation(
                turn=Field("<i4", low=0, doc="turns played"),
                health=Field("<i2", (seats,), low=-1, high=HEALTH, doc="by seat; 0: dead; -1: its head is not seen"),
                length=Field("<i2", (seats,), low=-1, high=longest, doc="by seat, as health"),
                parts=Field("<i4", low=0, doc="how many parts of snakes are seen"),
                snake=Field("u1", ragged="parts", low=0, high=seats - 1, doc="whose part; each snake head to tail"),
                x=Field("u1", ragged="parts", low=0, high=last),
                y=Field("u1", ragged="parts", low=0, high=last, doc="grows upwards"),
                foods=Field("<i4", low=0, doc="how many squares with food are seen"),
                food_x=Field("u1", ragged="foods", low=0, high=last),
                food_y=Field("u1", ragged="foods", low=0, high=last),
            ),
            answer={"move": Field("u1", default=ON, names=MOVES, doc="where the head goes; on: as before")},
            max_rows=seats,
            doc="Where does the snake go?",
        )
    }


@kernel
def near(square: int, head: int, settings: Any) -> bool:
    """Rule 12. Is a square within sight of a head?"""
    if settings.sight == 0:
        return True
    side = settings.side
    dx, dy = abs(square % side - head % side), abs(square // side - head // side)
    if settings.wraps:
        dx, dy = min(dx, side - dx), min(dy, side - dy)
    return max(dx, dy) <= settings.sight


@kernel
def show(
    s: State, settings: Any, m: int, k: int, row: int, seen: Observation, parts: int, foods: int
) -> tuple[int, int]:
    """Fill one row; its parts and foods are written from these places on. Returns the places after them."""
    side = settings.side
    head = part(s, m, k, 0)
    first_part, first_food = parts, foods
    seen.turn[row] = s.turn[m]
    for other in range(s.alive.shape[1]):
        known = not s.alive[m, other] or near(part(s, m, other, 0), head, settings)
        seen.health[row, other] = (s.health[m, other] if s.alive[m, other] else 0) if known else -1
        seen.length[row, other] = (s.length[m, other] if s.alive[m, other] else 0) if known else -1
        for i in range(s.length[m, other] if s.alive[m, other] else 0):
            square = part(s, m, other, i)
            if other == k or near(square, head, settings):
                seen.snake[parts] = other
                seen.x[parts] = square % side
                seen.y[parts] = square // side
                parts += 1
    for square in range(s.food.shape[1]):
        if s.food[m, square] and near(square, head, settings):
            seen.food_x[foods] = square % side
            seen.food_y[foods] = square // side
            foods += 1
    seen.parts[row] = parts - first_part
    seen.foods[row] = foods - first_food
    return parts, foods


@kernel
def repeat(row: int, seen: Observation, parts: int, foods: int) -> tuple[int, int]:
    """Fill one row as the one before it: without fog all snakes of a match see the same."""
    seats = seen.health.shape[1]
    copy_values(seen.health, (row - 1) * seats, seen.health, row * seats, seats)
    copy_values(seen.length, (row - 1) * seats, seen.length, row * seats, seats)
    for one in (seen.turn, seen.parts, seen.foods):
        one[row] = one[row - 1]
    for values in (seen.snake, seen.x, seen.y):
        copy_values(values, parts - seen.parts[row], values, parts, seen.parts[row])
    for values in (seen.food_x, seen.food_y):
        copy_values(values, foods - seen.foods[row], values, foods, seen.foods[row])
    return parts + seen.parts[row], foods + seen.foods[row]


@kernel
def count(s: State) -> tuple[int, int]:
    """How many parts and foods all that are asked can be shown at most."""
    parts = 0
    foods = 0
    for m in range(s.seed.size):
        living = 0
        length = 0
        for k in range(s.alive.shape[1]):
            living += s.alive[m, k]
            length += s.length[m, k] if s.alive[m, k] else 0
        food = 0
        for square in range(s.food.shape[1]):
            food += s.food[m, square]
        parts += 0 if s.over[m] else living * length
        foods += 0 if s.over[m] else living * food
    return parts, foods


@kernel
def write(s: State, settings: Any, index: RowIndex, seen: Observation) -> tuple[int, int, int]:
    """A row for every living snake of the matches that are not over; returns rows, parts and foods written."""
    rows = 0
    parts = 0
    foods = 0
    for m in range(s.seed.size):
        for k in range(s.alive.shape[1]):
            if s.alive[m, k] and not s.over[m]:
                index.match[rows] = m
                index.seat[rows] = k
                if settings.sight == 0 and rows > 0 and index.match[rows - 1] == m:
                    parts, foods = repeat(rows, seen, parts, foods)
                else:
                    parts, foods = show(s, settings, m, k, rows, seen, parts, foods)
                rows += 1
    return rows, parts, foods


def see(settings: Settings, state: State, buffers: Buffers) -> Observations:
    """Rule 11. The question, asked of every living snake."""
    parts, foods = count(state)
    index, seen = buffers.arrays("move", parts=parts, foods=foods)
    rows, parts, foods = write(state, settings.numbers, index, seen)
    return buffers.observations("move", rows, parts=parts, foods=foods)


FRAMES = FrameSpec(
    units=[Units("x", "y", ["reach"], seat="seat", reach="reach"), Units("food_x", "food_y")],
)


def frame(settings: Settings, state: State, m: int) -> dict[str, Any]:
    """Everything there is to see: all parts head to tail, snake by snake, and the food; y grows downwards."""
    lengths = np.where(state.alive[m], state.length[m], 0)
    squares = [part(state, m, k, i) for k in range(len(lengths)) for i in range(lengths[k])]
    body = np.array(squares, np.int64)
    food = np.flatnonzero(state.food[m])
    return {
        "side": settings.side,
        "wraps": settings.wraps,
        "score": state.score[m].tolist(),
        "alive": state.alive[m].astype(int).tolist(),
        "length": lengths.tolist(),
        "health": np.where(state.alive[m], state.health[m], 0).tolist(),
        "seat": np.repeat(np.arange(len(lengths)), lengths),
        "x": body % settings.side,
        "y": settings.side - 1 - body // settings.side,
        "reach": np.array([0 if i else settings.sight or settings.side for n in lengths for i in range(n)], np.int64),
        "food_x": food % settings.side,
        "food_y": settings.side - 1 - food // settings.side,
    }
