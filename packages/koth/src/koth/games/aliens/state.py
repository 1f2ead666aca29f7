"""The state of aliens matches: squares and abilities of all instances, as arrays with an axis of matches."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from koth.errors import SettingsError
from koth.game import Array, Constants, zero_state
from koth.grid import CHUNK
from koth.kernel import kernel

MOVES = (
    "NORTH", "NORTHEAST", "EAST", "SOUTHEAST", "SOUTH", "SOUTHWEST", "WEST", "NORTHWEST", "STAY",
)  # fmt: skip
"""The moves in the statement's order; an answer's `move` is an index into it."""
DX = np.array([0, 1, 1, 1, 0, -1, -1, -1, 0], dtype=np.int32)
DY = np.array([-1, -1, 0, 1, 1, 1, 0, -1, 0], dtype=np.int32)
STAY = 8

LIFE, STRENGTH, DEFENSE, VISION, CLEVERNESS = 0, 1, 2, 3, 4
ABILITIES = ("life", "strength", "defense", "vision", "cleverness")
"""The abilities, in their order in every array."""

PREY = ("Whale", "Cow", "Turtle", "Eagle", "Human")
"""The prey species, in the order of the abilities into which they put all their points."""
WHALE, COW, TURTLE, EAGLE, HUMAN, ALIEN = range(6)
LETTERS = np.frombuffer(b"WCTEHA", dtype=np.uint8).copy()
"""The letters in windows: of each prey species, and last of an ALIEN of any bot."""
PREY_LETTERS = "wcteh"
"""The letters of prey in a terminal's pictures."""
EMPTY = 32
NOBODY = -1

HALO = 32
"""The width of the margin that repeats the board, so that windows up to this sight need no wrapping."""


@dataclass(frozen=True)
class Settings(Constants):
    """Every constant that a contest may want to change (RULES.md has those of fights)."""

    instances: int = 100
    """Aliens of each bot."""
    prey: int = 100
    """Animals of each of the five prey species."""
    points: int = 10
    """Ability points of each instance."""
    rounds: int = 1000
    """Rounds after which a match ends."""
    base_hp: int = 10
    """HP without points in life."""
    hp_per_life: int = 5
    """HP that each point in life adds."""
    space: float = 2.5
    """Squares per alien at the start."""
    meetings: str = "pairs"
    """The pairs that meet on a square: all "pairs" (rule 4), or newcomers the "first" who arrived (rule 10)."""

    def __post_init__(self) -> None:
        self.within(
            instances=(1, 1000), prey=(0, 1000), points=(0, 1000), rounds=(1, 1_000_000), base_hp=(1, 1_000_000),
            hp_per_life=(0, 1000), space=(1, 1000),
        )  # fmt: skip
        if self.meetings not in ("pairs", "first"):
            raise self.refusal("meetings", self.meetings, '"pairs" or "first"')

    def slots(self, seats: int) -> int:
        """Return the number of instances of all species together. Raises SettingsError if they are too many."""
        slots = seats * self.instances + len(PREY) * self.prey
        if slots > 32_768:
            raise SettingsError(f"{slots} instances are too many: at most 32768 can share a planet")
        return slots

    def side(self, seats: int) -> int:
        """Return the number of squares along one edge of the board for this number of bots."""
        return math.ceil(math.sqrt(self.slots(seats) * self.space))


class State(NamedTuple):
    """M matches of N instances on boards of S x S squares (`width` x `height` with margins).

    Slots: `instances` for each seat in seat order, then `prey` for each prey species. A square is `x * S + y`. A slot
    without HP is dead, or was never alive.
    """

    seed: Annotated[Array, "int64[M]"]
    clock: Annotated[Array, "int32[M]"]  # rounds played
    over: Annotated[Array, "bool[M]"]
    gone: Annotated[Array, "bool[M, seats]"]  # bots whose process is dead: their instances are not asked any more
    species: Annotated[Array, "uint8[M, N]"]  # the seat, or seats + index into PREY
    hp: Annotated[Array, "int32[M, N]"]
    ability: Annotated[Array, "float32[M, N, 5]"]
    x: Annotated[Array, "int32[M, N]"]
    y: Annotated[Array, "int32[M, N]"]
    living: Annotated[Array, "int32[M, N]"]  # slots of the living at the start of the round, ascending
    population: Annotated[Array, "int32[M]"]  # how many they are
    fights: Annotated[Array, "int32[M, N, 2]"]  # the last round's fights: two slots
    slain: Annotated[
        Array, "uint8[M, N]"
    ]  # whom each of them has killed: 1 the first of the two, 2 the second, 3 both
    fight_count: Annotated[Array, "int32[M]"]
    count_at: Annotated[Array, "int32[M, squares]"]  # how many stand on a square
    board: Annotated[Array, "uint8[M, width, height]"]  # the letters that are seen, [x, y]
    move: Annotated[Array, "uint8[M, N]"]  # where each goes this round
    # While they meet:
    crowds: Annotated[Array, "int32[M]"]  # squares with several on them, of whom some may still have to meet
    crowd_start: Annotated[Array, "int32[M, N]"]  # first of a crowd's members
    crowd_size: Annotated[Array, "int32[M, N]"]
    member: Annotated[Array, "int32[M, N]"]  # slots, crowd after crowd
    last_pair: Annotated[Array, "int64[M, N]"]  # the rank of the pair in which each slot has met somebody last
    next_pair: Annotated[Array, "int64[M, N]"]  # the rank of the pair in which it will next
    meetings: Annotated[Array, "int32[M]"]  # meetings of this wave
    meeting: Annotated[Array, "int32[M, N, 2]"]  # two slots each; by rule 10 the newcomer first
    opponent: Annotated[Array, "int32[M, N]"]  # whom each slot is asked about now, or NOBODY
    wants: Annotated[Array, "uint8[M, N]"]  # whether it wants to fight


SCRATCH = frozenset(State._fields[State._fields.index("living") :])


def empty_state(settings: Settings, seats: int, matches: int, side: int) -> State:
    """Return a batch without living instances; the species of all slots are set."""
    slots = settings.slots(seats)
    bots = np.repeat(np.arange(seats), settings.instances)
    prey = np.repeat(np.arange(seats, seats + len(PREY)), settings.prey)
    state = zero_state(
        State, M=matches, N=slots, seats=seats, squares=side * side, width=side + 2 * HALO,
        height=side + 2 * HALO + CHUNK,
    )  # fmt: skip
    state.species[:] = np.concatenate([bots, prey])
    state.board[:], state.move[:], state.opponent[:] = EMPTY, STAY, NOBODY
    return state


@kernel
def side_of(s: State) -> int:
    """Return the number of squares along one edge of the boards."""
    return int(s.board.shape[1] - 2 * HALO)


@kernel
def round_half_up(value: float) -> int:
    """Return the nearest integer, halves upwards, within the bounds of 32 bits.

    Of an ability, this is its level (rule 1).
    """
    nearest: int = math.floor(min(float(value) + 0.5, 2147483647.0))
    return nearest


@kernel
def halve(ability: float) -> int:
    """Rule 1. Return half of an ability (not of its level), rounded: the sight of vision, the blur of cleverness."""
    return round_half_up(float(ability) * 0.5)


@kernel
def total(ability: Array) -> int:
    """Rule 7. Return the sum of an alien's five abilities, added in single precision and rounded."""
    return round_half_up(ability[0] + ability[1] + ability[2] + ability[3] + ability[4])


@kernel
def is_asked(species: int, gone: Array) -> bool:
    """Return whether a bot decides for this species: it is not prey, and the bot's process lives."""
    return bool(species < gone.size and not gone[species])
