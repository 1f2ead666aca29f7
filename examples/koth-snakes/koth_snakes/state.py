"""The state of snakes matches, as arrays with a leading axis of matches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from koth.game import Array, Constants

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

    seed: Array  # int64[M]
    turn: Array  # int32[M] turns played
    over: Array  # bool[M]
    alive: Array  # bool[M, K]
    died: Array  # int32[M, K] in which turn
    health: Array  # int32[M, K]
    heading: Array  # uint8[M, K] direction of the last move
    length: Array  # int32[M, K]
    head: Array  # int32[M, K] its place in the ring
    body: Array  # int16[M, K, 1 << n]
    parts: Array  # uint8[M, side * side] parts of living snakes on each square
    food: Array  # bool[M, side * side]
    score: Array  # float64[M, K]
    # For events:
    fate: Array  # uint8[M, K] what it died of: STARVED ...
    killer: Array  # int8[M, K] the snake that it ran into


STARVED, WALL, BODY, HEAD = range(4)
"""What a snake dies of."""

SCRATCH = frozenset({"fate", "killer"})
"""Notes for people, on which no rule hangs."""


def empty_state(settings: Settings, seats: int, matches: int) -> State:
    """Boards without snakes or food; every snake is dead and has no length."""
    squares = settings.side**2
    each = (matches, seats)
    return State(
        seed=np.zeros(matches, np.int64),
        turn=np.zeros(matches, np.int32),
        over=np.zeros(matches, np.bool_),
        alive=np.zeros(each, np.bool_),
        died=np.zeros(each, np.int32),
        health=np.zeros(each, np.int32),
        heading=np.zeros(each, np.uint8),
        length=np.zeros(each, np.int32),
        head=np.zeros(each, np.int32),
        body=np.zeros((*each, 1 << (squares + 1).bit_length()), np.int16),
        parts=np.zeros((matches, squares), np.uint8),
        food=np.zeros((matches, squares), np.bool_),
        score=np.zeros(each, np.float64),
        fate=np.zeros(each, np.uint8),
        killer=np.zeros(each, np.int8),
    )
