"""The state of zombies matches: the actors and their squares, as arrays with a leading axis of matches."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from koth.game import Array, Constants, SettingsError, zero_state
from koth.kernel import kernel

KINDS = ("absent", "zombie", "body", "player")
ABSENT, ZOMBIE, BODY, PLAYER = range(4)
"""Kinds of actors; an actor never leaves the board, it only changes its kind.

As the low byte of an identity, `PLAYER + seat` stands for a player of that seat's bot.
"""

MOVES = ("NORTHWEST", "NORTH", "NORTHEAST", "EAST", "STAY", "WEST", "SOUTHEAST", "SOUTH", "SOUTHWEST")
"""The moves in the statement's order; an answer's `action` is an index into it."""
DX = np.array([-1, 0, 1, 1, 0, -1, 1, 0, -1], dtype=np.int32)
DY = np.array([-1, -1, -1, 0, 0, 0, 1, 1, 1], dtype=np.int32)
STAY = 4
SHOOT = 9
"""The `action` that fires at `target`."""


@dataclass(frozen=True)
class Settings(Constants):
    """Every constant of the rules."""

    vision: int = 8
    """Squares that a player sees in every direction."""
    shoot_range: int = 5
    """Squares that a bullet reaches in every direction."""
    bullets: int = 3
    """Bullets a player starts with."""
    players: int = 50
    """Players per bot."""
    density: float = 0.06
    """Players per square at the start."""
    moves: tuple[str, ...] = MOVES
    """The order of `Move.values()`, as bots see it."""

    def __post_init__(self) -> None:
        self.within(vision=(1, 60), players=(1, 5000), bullets=(0, 1_000_000))
        if not 0 <= self.shoot_range <= self.vision:
            raise self.refusal("shoot_range", self.shoot_range, f"a whole number in 0..vision ({self.vision})")
        if not 0 < self.density <= 0.9:
            raise self.refusal("density", self.density, "above 0 and at most 0.9")
        if sorted(self.moves) != sorted(MOVES):
            raise self.refusal("moves", self.moves, f"{', '.join(MOVES)}, in any order")

    def side(self, seats: int) -> int:
        """Return the number of squares along one edge of the board for this number of bots."""
        return max(2 * self.vision + 1, math.ceil(math.sqrt(self.players * seats / self.density)))


class State(NamedTuple):
    """M matches on boards of S x S squares (`framed` with a margin, which repeats the opposite edges).

    An identity is `number * 256 + low byte`, the low byte being ZOMBIE, BODY or PLAYER + seat; 0 is an empty square.
    Actor slots: players first, `players` per seat in seat order (so a living player's slot is its number), then
    zombies that appeared: K = S*S + P slots, P of them players. `rows` are S + 2, `places` 2*K.
    """

    seed: Annotated[Array, "int64[M]"]
    clock: Annotated[Array, "int32[M]"]  # turns played
    over: Annotated[Array, "bool[M]"]
    next_number: Annotated[Array, "int32[M]"]  # the number that the next renamed actor gets
    actors: Annotated[Array, "int32[M]"]  # slots in use
    players: Annotated[Array, "int32[M]"]  # slots that began as players
    kind: Annotated[Array, "uint8[M, K]"]
    seat: Annotated[Array, "uint8[M, K]"]  # whose player it is or was
    number: Annotated[Array, "int32[M, K]"]
    x: Annotated[Array, "int32[M, K]"]
    y: Annotated[Array, "int32[M, K]"]
    bullets: Annotated[Array, "int32[M, K]"]
    score: Annotated[Array, "int32[M, seats]"]
    board: Annotated[Array, "uint32[M, framed, framed]"]  # identities
    slot_at: Annotated[Array, "int32[M, S, S]"]  # slot + 1 of who stands there, 0: nobody
    prey: Annotated[Array, "int32[M, P]"]  # slots of the living players, row by row of the board
    first_prey: Annotated[Array, "int32[M, rows]"]  # where the rows of the board begin in `prey`
    near: Annotated[Array, "int32[M, 9]"]  # slots of the players around somebody
    bitten_by: Annotated[Array, "int32[M, P]"]  # the slot + 1 of a zombie that bites the player this turn, 0: none
    hit: Annotated[Array, "int32[M, P]"]  # slots of those who are hit this turn
    action: Annotated[Array, "uint8[M, K]"]  # what each actor does this turn
    wants: Annotated[Array, "int32[M, K]"]  # the square (y * S + x) that each actor wants to stand on
    wanted: Annotated[Array, "uint8[M, K]"]  # per square: how many want it this turn (2: contested)
    waiting: Annotated[Array, "int32[M, places]"]  # who is still to be moved, a list of slots
    # This turn's, for pictures and events:
    shots: Annotated[Array, "int32[M, P, 2]"]  # slots of shooter and target (-1: nobody)
    shot_count: Annotated[Array, "int32[M]"]
    turned: Annotated[Array, "int32[M, P, 2]"]  # slots of the new zombie and of its biter (its own: it rose there)
    turned_count: Annotated[Array, "int32[M]"]


SCRATCH = frozenset(State._fields[State._fields.index("board") :])
CARRIED = frozenset({"board", "slot_at"})
"""Scratch fields that are updated from turn to turn."""


def empty_state(settings: Settings, seats: int, matches: int, side: int) -> State:
    """Return a batch without actors on the boards."""
    slots = side * side + settings.players * seats  # a board read from text keeps slots for missing players
    halo = settings.vision
    if settings.players * seats > side * side:
        raise SettingsError(f"{settings.players * seats} players do not fit on {side} x {side} squares")
    state = zero_state(
        State, M=matches, K=slots, P=settings.players * seats, S=side, framed=side + 2 * halo, rows=side + 2,
        places=2 * slots, seats=seats,
    )  # fmt: skip
    state.players[:] = settings.players * seats
    state.action[:] = STAY
    return state


@kernel
def identity(kind: int, seat: int, number: int) -> int:
    """Return the code that stands on the board for an actor."""
    low = PLAYER + seat if kind == PLAYER else kind
    return number * 256 + low


@kernel
def place(s: State, m: int, slot: int) -> None:
    """Write the identity of `slot` to its square of the board."""
    x = s.x[m, slot]
    y = s.y[m, slot]
    halo = (s.board.shape[1] - s.slot_at.shape[1]) // 2
    s.board[m, y + halo, x + halo] = identity(s.kind[m, slot], s.seat[m, slot], s.number[m, slot])
    s.slot_at[m, y, x] = slot + 1


@kernel
def rename(s: State, m: int, slot: int, kind: int) -> None:
    """Make `slot` a zombie or a body, under the next number of the match."""
    s.kind[m, slot] = kind
    s.number[m, slot] = s.next_number[m]
    s.next_number[m] += 1
    place(s, m, slot)
