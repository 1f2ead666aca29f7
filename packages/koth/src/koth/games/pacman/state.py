"""The state of Pac-Man matches: mazes, items, ghosts and Pac-Men, as arrays with a leading axis of matches."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from koth.errors import SettingsError
from koth.game import Array, Constants
from koth.grid import CHUNK

# Directions, and the moves of an answer. A square's walls are the sum of `1 << direction`.
NORTH, EAST, SOUTH, WEST, STAY = 0, 1, 2, 3, 4
MOVES = "NESWX"
"""The moves' letters; an answer's `move` is an index into it."""
NOWHERE = STAY
"""The code for "no direction": a Pac-Man that did not move, a ghost without a previous square."""

ITEMS = ("nothing", "pellet", "power pellet", "fruit")
NOTHING, PELLET, POWER, FRUIT = range(4)
"""The items of a square."""
SEES_PACMAN, SEES_GHOST = 4, 5
"""Codes of a square's content in addition to items (rule 32)."""

HUNTERS = ("Blinky", "Pinky", "Inky", "Clyde")
BLINKY, PINKY, INKY, CLYDE = range(4)
"""Kinds of NPC ghosts."""

STATUSES = ("gone", "ghost", "pacman")
GONE, GHOST, PACMAN = range(3)
"""The states of a bot's piece: removed from the board, a ghost, or alive."""

ORDERS = ("row,col", "col,row")
"""The orders of the numbers in a square's name."""


@dataclass(frozen=True)
class Settings(Constants):
    """Every constant of the rules. Numbers of ghosts and items are per bot."""

    side: int = 0
    """Squares along one edge; 0: `ceil(spread * sqrt(bots))`."""
    spread: int = 10
    """Squares along one edge for a single bot."""
    ghosts: int = 2
    """NPC ghosts."""
    power_pellets: int = 4
    """Power pellets at the start."""
    fruit: int = 2
    """Fruit at the start."""
    turns: int = 500
    """Turns after which a match ends."""
    pellet_points: int = 10
    """Points for a pellet."""
    power_points: int = 50
    """Points for a power pellet."""
    fruit_points: int = 100
    """Points for fruit."""
    ghost_points: int = 200
    """Points for a ghost that is eaten."""
    invincible: int = 10
    """Turns that a power pellet protects."""
    phase_least: int = 5
    phase_most: int = 11
    """Bounds of a ghost's phase length, in turns."""
    reach: int = 5
    """The number of squares in each axis within which a ghost finds a quarry."""
    clyde_reach: int = 8
    pinky_ahead: int = 4
    inky_ahead: int = 2
    ghost_sight: int = 5
    """Squares in each axis that a dead Pac-Man sees."""
    side_queries: int = 10_000
    """Wall queries that a bot may send before one answer."""
    coordinates: str = "row,col"
    """The order of a square's numbers in the text protocol: "row,col" or "col,row"."""

    def __post_init__(self) -> None:
        self.within(
            spread=(1, 100), ghosts=(0, 100), power_pellets=(0, 100), fruit=(0, 100),
            turns=(1, 1_000_000), pellet_points=(0, 1_000_000), power_points=(0, 1_000_000),
            fruit_points=(0, 1_000_000), ghost_points=(0, 1_000_000), invincible=(1, 1_000_000),
            phase_least=(1, 1000), phase_most=(self.phase_least, 1000), reach=(0, 1000),
            clyde_reach=(0, 1000), pinky_ahead=(0, 100), inky_ahead=(0, 100),
            ghost_sight=(0, 60), side_queries=(0, 1_000_000),
        )  # fmt: skip
        if self.side and not 3 <= self.side <= 1000:
            raise self.refusal("side", self.side, "0, or a whole number in 3..1000")
        if self.side and self.spread != type(self).spread:
            raise SettingsError(f"spread={self.spread} has no effect with side={self.side}: set one of the two")
        if self.coordinates not in ORDERS:
            raise self.refusal("coordinates", self.coordinates, f"one of {', '.join(ORDERS)}")

    def side_for(self, seats: int) -> int:
        """Return the number of squares along one edge of the maze for this number of bots."""
        side = self.side or math.isqrt(self.spread * self.spread * seats - 1) + 1
        if side < 3:
            raise SettingsError(f"a maze of {side} x {side} squares is too small: its side must be at least 3")
        return side


class State(NamedTuple):
    """M matches in mazes of S x S squares, with G NPC ghosts and N bots' pieces each.

    A direction is NORTH .. WEST, or NOWHERE. Squares are (row, column) from the top left. A ghost's number is an
    NPC's slot, or G + seat for a bot's piece.
    """

    seed: Array  # int64[M]
    turn: Array  # int32[M] turns played
    over: Array  # bool[M]
    walls: Array  # uint8[M, S, S] the sum of 1 << direction of a square's walls
    item: Array  # uint8[M, S, S] NOTHING .. FRUIT
    pellets: Array  # int32[M] plain pellets left
    ghost_kind: Array  # uint8[M, G] BLINKY .. CLYDE
    ghost_row: Array  # int32[M, G]
    ghost_col: Array  # int32[M, G]
    ghost_back: Array  # uint8[M, G] the direction of the square it came from
    ghost_waits: Array  # bool[M, G] it sits out its next turn
    length: Array  # int32[M, G] turns of each of its phases
    left: Array  # int32[M, G] turns left of this phase
    chasing: Array  # bool[M, G] this phase is a chase
    quarry: Array  # int32[M, G] the seat it chases, -1: none
    partner: Array  # int32[M, G] Inky: the ghost that was nearest as the chase began, -1: none
    status: Array  # uint8[M, N] GONE, GHOST, PACMAN
    row: Array  # int32[M, N]
    col: Array  # int32[M, N]
    facing: Array  # uint8[M, N] the direction it moved in last turn (before the first: NORTH)
    invincible: Array  # int32[M, N] turns that it is still invincible
    waits: Array  # bool[M, N] as a ghost: it sits out its next turn
    score: Array  # int32[M, N]
    gained: Array  # int32[M, N] points of this turn
    distances: Array  # int32[M, G + N] from one ghost, while it seeks a quarry or a partner
    step: Array  # uint8[M, G] where each NPC ghost goes this turn
    dies: Array  # bool[M, N] Pac-Men who are caught, while an encounter is settled
    eaten: Array  # bool[M, G + N] ghosts who are eaten in it
    ghosts_on: Array  # uint16[M, S, S] ghosts per square, NPC or bots'
    pacmen_on: Array  # uint16[M, S, S] living Pac-Men per square
    shown: Array  # uint8[M, S*S + CHUNK] what each square shows others: NOTHING .. SEES_GHOST
    # This turn's, for events:
    caught_by: Array  # int32[M, N] the ghost that caught the Pac-Man, -1: none
    caught_at: Array  # int32[M, N] on which square (row * S + column)
    eaten_by: Array  # int32[M, N] the seat of who has eaten it as a ghost, -1: nobody
    ghosts_eaten: Array  # int32[M, N]
    fruit_eaten: Array  # int32[M, N]


SCRATCH = frozenset(State._fields[State._fields.index("distances") :])
CARRIED = frozenset({"ghosts_on", "pacmen_on", "shown"})
"""Scratch fields that are updated from turn to turn."""


def empty_state(seats: int, ghosts: int, matches: int, side: int) -> State:
    """Return a batch of boards without walls, all pieces on square (0, 0) and not yet counted there."""
    u1, u2, i4 = np.uint8, np.uint16, np.int32
    squares, npcs, pieces = (matches, side, side), (matches, ghosts), (matches, seats)
    return State(
        seed=np.zeros(matches, np.int64),
        turn=np.zeros(matches, i4),
        over=np.zeros(matches, np.bool_),
        walls=np.zeros(squares, u1),
        item=np.zeros(squares, u1),
        pellets=np.zeros(matches, i4),
        ghost_kind=np.zeros(npcs, u1),
        ghost_row=np.zeros(npcs, i4),
        ghost_col=np.zeros(npcs, i4),
        ghost_back=np.full(npcs, NOWHERE, u1),
        ghost_waits=np.zeros(npcs, np.bool_),
        length=np.ones(npcs, i4),
        left=np.ones(npcs, i4),
        chasing=np.zeros(npcs, np.bool_),
        quarry=np.full(npcs, -1, i4),
        partner=np.full(npcs, -1, i4),
        status=np.full(pieces, PACMAN, u1),
        row=np.zeros(pieces, i4),
        col=np.zeros(pieces, i4),
        facing=np.full(pieces, NORTH, u1),
        invincible=np.zeros(pieces, i4),
        waits=np.zeros(pieces, np.bool_),
        score=np.zeros(pieces, i4),
        gained=np.zeros(pieces, i4),
        distances=np.zeros((matches, ghosts + seats), i4),
        step=np.full(npcs, NOWHERE, u1),
        dies=np.zeros(pieces, np.bool_),
        eaten=np.zeros((matches, ghosts + seats), np.bool_),
        ghosts_on=np.zeros(squares, u2),
        pacmen_on=np.zeros(squares, u2),
        shown=np.zeros((matches, side * side + CHUNK), u1),
        caught_by=np.full(pieces, -1, i4),
        caught_at=np.zeros(pieces, i4),
        eaten_by=np.full(pieces, -1, i4),
        ghosts_eaten=np.zeros(pieces, i4),
        fruit_eaten=np.zeros(pieces, i4),
    )
