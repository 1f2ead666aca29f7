"""The state of snakes matches, as arrays with a leading axis of matches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from koth.game import Array, Constants, zero_state

MOVES = ("up", "right", "down", "left", "on")
"""The words of an answer; `on` is what no answer means."""
ON = 4
DX, DY = np.array([0, 1, 0, -1]), np.array([1, 0, -1, 0])

LENGTH = 3
"""Parts of a snake at the start."""
HEALTH = 100
"""Of a snake that has just eaten."""


@dataclass(frozen=True)
class Settings(Constants):
    """Every constant of the rules."""

    side: int = 11
    """Squares on each side of the board."""
    turns: int = 500
    minimum_food: int = 1
    food_chance: int = 15
    """In so many turns of 100 there comes a food more."""
    wraps: bool = False
    """Is the board a torus?"""
    sight: int = 0
    """How far a snake sees from its head in each direction; 0: everything."""

    def __post_init__(self) -> None:
        self.within(side=(7, 25), turns=(1, 100_000), minimum_food=(0, 49), food_chance=(0, 100), sight=(0, 25))


class State(NamedTuple):
    """M matches of K snakes; a square is y * side + x, and y grows upwards.

    The parts of a snake, head to tail, are `length` entries of its ring `body` from `head` on.
    """

    seed: Annotated[Array, "int64[M]"]
    turn: Annotated[Array, "int32[M]"]  # turns played
    over: Annotated[Array, "bool[M]"]
    alive: Annotated[Array, "bool[M, K]"]
    died: Annotated[Array, "int32[M, K]"]  # in which turn
    health: Annotated[Array, "int32[M, K]"]
    heading: Annotated[Array, "uint8[M, K]"]  # direction of the last move
    length: Annotated[Array, "int32[M, K]"]
    head: Annotated[Array, "int32[M, K]"]  # its place in the ring
    body: Annotated[Array, "int16[M, K, ring]"]
    parts: Annotated[Array, "uint8[M, squares]"]  # parts of living snakes on each square
    food: Annotated[Array, "bool[M, squares]"]
    score: Annotated[Array, "float64[M, K]"]
    # For events:
    fate: Annotated[Array, "uint8[M, K]"]  # what it died of: STARVED ...
    killer: Annotated[Array, "int8[M, K]"]  # the snake that it ran into


STARVED, WALL, BODY, HEAD = range(4)
"""What a snake dies of."""

SCRATCH = frozenset({"fate", "killer"})
"""Notes for people, on which no rule hangs."""


def empty_state(settings: Settings, seats: int, matches: int) -> State:
    """Boards without snakes or food; every snake is dead and has no length."""
    squares = settings.side**2
    ring = 1 << (squares + 1).bit_length()
    return zero_state(State, M=matches, K=seats, squares=squares, ring=ring)
