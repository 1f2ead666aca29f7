"""The state of metalman matches: the terrain and two pieces per player, as arrays with a leading axis of matches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar, NamedTuple

from koth.errors import SettingsError
from koth.game import Array, Constants, zero_state
from koth.games.metalman import terrain

PIECES = ("spotter", "assassin")
SPOTTER, ASSASSIN = range(2)
"""A player's two pieces."""

PUBLISHED, ORIGINAL = "published", "original"


@dataclass(frozen=True)
class Settings(Constants):
    """Every constant of the rules."""

    map: str = "classic"
    """A shipped map's name, `random`, or a map file. koth reads a file at once and stores its rows instead."""
    size: int = 19
    """Rows and columns of random maps."""
    timer: int = 5
    """Rounds from one collapse to the next."""
    spotter_steps: int = 2
    """Steps of a spotter in a round."""
    assassin_steps: int = 4
    """Steps of an assassin in a round."""
    spotter_sight: tuple[int, ...] = (1, 2, 3, 3, 2)
    """How far to each side the spotter sees, per square ahead."""
    assassin_sight: tuple[int, ...] = (1, 1)
    highground_sight: int = 5
    """How far a spotter on highground sees, in steps."""
    phases: str = PUBLISHED
    """The ruleset whose order of phases is used, as the two rulesets differ."""

    FILES: ClassVar[Mapping[str, Callable[[str], bool]]] = {"map": terrain.is_file_name}
    """Constants that may be read from a file, each with a test of whether its value is a file's name."""

    def __post_init__(self) -> None:
        self.within(
            size=(terrain.SMALLEST, terrain.LARGEST), timer=(1, 10_000), spotter_steps=(0, 100),
            assassin_steps=(0, 100), highground_sight=(0, terrain.LARGEST),
        )  # fmt: skip
        for key in ("spotter_sight", "assassin_sight"):
            widths = tuple(getattr(self, key))  # JSON has lists
            object.__setattr__(self, key, widths)
            fits = all(isinstance(width, int) and 0 <= width <= ahead for ahead, width in enumerate(widths, 1))
            if len(widths) > 30 or not fits:
                raise self.refusal(key, widths, "at most 30 widths, the n-th in 0..n")
        if self.phases not in (PUBLISHED, ORIGINAL):
            raise self.refusal("phases", self.phases, f"{PUBLISHED} or {ORIGINAL}")
        if self.map != terrain.RANDOM and self.size != type(self).size:
            raise SettingsError(f"size={self.size} needs map={terrain.RANDOM}: any other map has its own size")
        object.__setattr__(self, "map", terrain.resolve(self.map))

    @cached_property
    def fixed_map(self) -> Array | None:
        """uint8[rows, columns], or None when every seed has a map of its own."""
        return None if self.map == terrain.RANDOM else terrain.load(self.map)

    @property
    def dice(self) -> bool:
        """True if matches depend on their seed, as only matches on random maps do."""
        return self.map == terrain.RANDOM

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of every match's map."""
        fixed = self.fixed_map
        return (self.size, self.size) if fixed is None else (fixed.shape[0], fixed.shape[1])


class State(NamedTuple):
    """M matches of K players on maps of H x W squares. A last axis of 2 is the piece: spotter, assassin."""

    seed: Annotated[Array, "int64[M]"]
    round: Annotated[Array, "int32[M]"]  # rounds played
    over: Annotated[Array, "bool[M]"]
    timer: Annotated[Array, "int32[M]"]  # rounds until the next collapse
    circles: Annotated[Array, "int32[M]"]  # rings collapsed so far
    terrain: Annotated[Array, "uint8[M, H, W]"]  # WALL, FLOOR or HIGHGROUND; collapsed squares are walls
    row: Annotated[Array, "int32[M, K, 2]"]  # a dead piece keeps its last square
    column: Annotated[Array, "int32[M, K, 2]"]
    facing: Annotated[Array, "uint8[M, K, 2]"]
    alive: Annotated[Array, "bool[M, K, 2]"]
    winner: Annotated[Array, "bool[M, K]"]  # players that share the win, once the match is over
    trail: Annotated[Array, "int32[M, K, 2, longest]"]  # squares of this round (row * W + column), the last repeated
    captures: Annotated[Array, "int32[M, pieces, 4]"]  # this round's: seat and piece of the captor, of the captured
    capture_count: Annotated[Array, "int32[M]"]  # entries of `captures` in use
    crushed: Annotated[Array, "bool[M, K, 2]"]  # died in this round's collapse


SCRATCH = frozenset({"trail", "captures", "capture_count", "crushed"})
"""Fields that only pictures and events read."""


def empty_state(settings: Settings, seats: int, matches: int) -> State:
    """Return a batch with unset maps and every piece dead at (0, 0), facing UP."""
    height, width = settings.shape
    longest = 1 + max(settings.spotter_steps, settings.assassin_steps)
    state = zero_state(State, M=matches, K=seats, H=height, W=width, pieces=2 * seats, longest=longest)
    state.timer[:] = settings.timer
    return state
