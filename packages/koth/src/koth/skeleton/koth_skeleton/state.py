"""Settings and state of matches: arrays whose first axis is the match."""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from koth.game import Array, Constants

MOVES = ("north", "east", "south", "west", "stay")
DX, DY, STAY = np.array([0, 1, 0, -1, 0]), np.array([-1, 0, 1, 0, 0]), 4


@dataclass(frozen=True)
class Settings(Constants):
    """Every constant of the rules: `koth run skeleton --set side=7` changes one."""

    side: int = 11
    turns: int = 60
    gold: int = 6
    wraps: bool = True

    def __post_init__(self) -> None:
        self.within(side=(3, 100), turns=(1, 10_000), gold=(1, 100))


class State(NamedTuple):
    """M matches of K bots. The picture shows x and y, and what is on boards such as `gold`."""

    seed: Annotated[Array, "int64[M]"]
    turn: Annotated[Array, "int32[M]"]  # turns played
    over: Annotated[Array, "bool[M]"]
    score: Annotated[Array, "int32[M, K]"]
    x: Annotated[Array, "int32[M, K]"]
    y: Annotated[Array, "int32[M, K]"]
    gold: Annotated[Array, "bool[M, side, side]"]
