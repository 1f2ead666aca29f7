"""The state of Pac-Man matches: mazes, items, ghosts and Pac-Men, as arrays with a leading axis of matches."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from koth.errors import SettingsError
from koth.game import Array, Constants, zero_state
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
    NPC's slot, or G + seat for a bot's piece: `ghosts` are G + N. `squares` are S * S, and room for whole chunks.
    """

    seed: Annotated[Array, "int64[M]"]
    turn: Annotated[Array, "int32[M]"]  # turns played
    over: Annotated[Array, "bool[M]"]
    walls: Annotated[Array, "uint8[M, S, S]"]  # the sum of 1 << direction of a square's walls
    item: Annotated[Array, "uint8[M, S, S]"]  # NOTHING .. FRUIT
    pellets: Annotated[Array, "int32[M]"]  # plain pellets left
    ghost_kind: Annotated[Array, "uint8[M, G]"]  # BLINKY .. CLYDE
    ghost_row: Annotated[Array, "int32[M, G]"]
    ghost_col: Annotated[Array, "int32[M, G]"]
    ghost_back: Annotated[Array, "uint8[M, G]"]  # the direction of the square it came from
    ghost_waits: Annotated[Array, "bool[M, G]"]  # it sits out its next turn
    length: Annotated[Array, "int32[M, G]"]  # turns of each of its phases
    left: Annotated[Array, "int32[M, G]"]  # turns left of this phase
    chasing: Annotated[Array, "bool[M, G]"]  # this phase is a chase
    quarry: Annotated[Array, "int32[M, G]"]  # the seat it chases, -1: none
    partner: Annotated[Array, "int32[M, G]"]  # Inky: the ghost that was nearest as the chase began, -1: none
    status: Annotated[Array, "uint8[M, N]"]  # GONE, GHOST, PACMAN
    row: Annotated[Array, "int32[M, N]"]
    col: Annotated[Array, "int32[M, N]"]
    facing: Annotated[Array, "uint8[M, N]"]  # the direction it moved in last turn (before the first: NORTH)
    invincible: Annotated[Array, "int32[M, N]"]  # turns that it is still invincible
    waits: Annotated[Array, "bool[M, N]"]  # as a ghost: it sits out its next turn
    score: Annotated[Array, "int32[M, N]"]
    gained: Annotated[Array, "int32[M, N]"]  # points of this turn
    distances: Annotated[Array, "int32[M, ghosts]"]  # from one ghost, while it seeks a quarry or a partner
    step: Annotated[Array, "uint8[M, G]"]  # where each NPC ghost goes this turn
    dies: Annotated[Array, "bool[M, N]"]  # Pac-Men who are caught, while an encounter is settled
    eaten: Annotated[Array, "bool[M, ghosts]"]  # ghosts who are eaten in it
    ghosts_on: Annotated[Array, "uint16[M, S, S]"]  # ghosts per square, NPC or bots'
    pacmen_on: Annotated[Array, "uint16[M, S, S]"]  # living Pac-Men per square
    shown: Annotated[Array, "uint8[M, squares]"]  # what each square shows others: NOTHING .. SEES_GHOST
    # This turn's, for events:
    caught_by: Annotated[Array, "int32[M, N]"]  # the ghost that caught the Pac-Man, -1: none
    caught_at: Annotated[Array, "int32[M, N]"]  # on which square (row * S + column)
    eaten_by: Annotated[Array, "int32[M, N]"]  # the seat of who has eaten it as a ghost, -1: nobody
    ghosts_eaten: Annotated[Array, "int32[M, N]"]
    fruit_eaten: Annotated[Array, "int32[M, N]"]


SCRATCH = frozenset(State._fields[State._fields.index("distances") :])
CARRIED = frozenset({"ghosts_on", "pacmen_on", "shown"})
"""Scratch fields that are updated from turn to turn."""


def empty_state(seats: int, ghosts: int, matches: int, side: int) -> State:
    """Return a batch of boards without walls, all pieces on square (0, 0) and not yet counted there."""
    state = zero_state(
        State, M=matches, S=side, G=ghosts, N=seats, ghosts=ghosts + seats, squares=side * side + CHUNK
    )
    state.ghost_back[:], state.step[:], state.facing[:] = NOWHERE, NOWHERE, NORTH
    state.length[:], state.left[:], state.status[:] = 1, 1, PACMAN
    for nobody in (state.quarry, state.partner, state.caught_by, state.eaten_by):
        nobody[:] = -1
    return state
