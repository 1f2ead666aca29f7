"""The contract between a game's rules and everything that hosts it.

A game is an object that fits the `Game` protocol (`koth.games.defaults` has what most games answer alike);
`koth.games` lists them. Its state is a NamedTuple of NumPy arrays whose leading axis is the match, so one
source of the rules serves a contest (batches of one) and a researcher (batches of thousands). Its turn is a
generator that reads like the rulebook: every `yield` asks the bots one question (`koth.question`) and receives
their answers.
"""

from __future__ import annotations

import zlib
from collections import namedtuple
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from koth.buffers import Buffers as Buffers
from koth.errors import SettingsError as SettingsError  # games raise it, and import it from here
from koth.question import FAULT as FAULT  # all that a game needs of questions is found here too
from koth.question import FAULTS as FAULTS
from koth.question import Agents as Agents
from koth.question import Answers as Answers
from koth.question import Array as Array
from koth.question import Field as Field
from koth.question import Observations as Observations
from koth.question import Question as Question
from koth.question import RowIndex as RowIndex
from koth.question import default_answers as default_answers
from koth.question import no_answers as no_answers

State = Any
"""A NamedTuple of arrays of the game's own; every array has the match as its first axis."""

Turn = Generator[Observations, Answers, None]


class Constants:
    """Settings of which kernels can be told: a base of frozen dataclasses.

    `numbers` has every constant that is a number, a truth or a tuple of whole numbers (as an int64 array), by the
    settings' names: one argument for a kernel.
    """

    Numbers: Any
    """The class of `numbers`."""

    def __init_subclass__(cls) -> None:
        wanted = (int, float, bool, tuple[int, ...], "int", "float", "bool", "tuple[int, ...]")
        names = [name for name, kind in cls.__annotations__.items() if kind in wanted]
        # Numba's cache on disk finds the class again by where it stands.
        cls.Numbers = namedtuple("Numbers", names, module=cls.__module__)  # type: ignore[misc]
        cls.Numbers.__qualname__ = f"{cls.__qualname__}.Numbers"

    @cached_property
    def numbers(self) -> Any:
        """The constants that are numbers, as a NamedTuple."""
        values = (getattr(self, name) for name in self.Numbers._fields)
        return self.Numbers(*(np.array(v, np.int64) if isinstance(v, tuple) else v for v in values))

    def within(self, **bounds: tuple[float, float]) -> None:
        """Raises SettingsError for the first constant that is not within its bounds, both included."""
        for key, (low, high) in bounds.items():
            if not low <= getattr(self, key) <= high:
                raise SettingsError(f"{key} must be in {low}..{high}, not {getattr(self, key)}")


@dataclass(frozen=True)
class ContestDefaults:
    """How the statement runs a contest: used where `koth run` is not told otherwise.

    `aggregate` turns a bot's scores into its standing: "median", "mean", "sum", or "wins" (scores are 1 or 0).
    `table` is the number of seats of a match when not all bots play in one. From `blocks` blocks on (a match; at
    tables one table, played from every seat) the standings' intervals and verdicts hold, as measured with the game's
    own scores (`python -m koth.testing.blocks`); 0: not measured, as many as skewed scores need. `score_range` is the
    least and the greatest score of a match; None: unknown.
    """

    games: int
    aggregate: str
    table: int | None = None
    blocks: int = 0
    score_range: tuple[float, float] | None = None


@dataclass(frozen=True)
class TimeControl:
    """Seconds that a bot has: to start, for a question, extra for its first one.

    What a question takes beyond is taken from its `bank`, which is for the whole match; with an empty bank it
    is late. So many late answers in a row, or so many seconds of lateness in all, end it for the match. With
    `freeze`, bots are stopped while they are not asked.
    """

    start: float = 10.0
    question: float = 1.0
    first: float = 0.0
    late_in_a_row: int = 3
    lateness: float = 60.0
    bank: float = 0.0
    freeze: bool = False


class Game(Protocol):
    """What a game tells the arena. Nothing outside a game's folder knows more about it than this."""

    name: str
    version: int
    """Of the game's behaviour: a replay of another version can't be verified."""
    title: str
    seats: range
    """How many bots a match can seat."""
    rulesets: Mapping[str, Any]
    """Settings (a frozen dataclass) by ruleset name; the first is the default."""
    protocols: Mapping[str, Callable[..., Any]]
    """Ways to talk to a bot, by name: see `koth.protocol.bot_protocol`."""
    contest_defaults: ContestDefaults
    time_control: TimeControl
    reserved_names: frozenset[str]
    """Names that no bot may have."""
    default_entrants: Sequence[str]
    """The default field: names of sample bots, the same on every machine."""

    def questions(self, settings: Any, seats: int) -> Mapping[str, Question]:
        """Every question a match can ask, by name."""

    def initial_state(self, settings: Any, seats: int, seeds: Sequence[int]) -> State:
        """A batch of new matches, one per seed (integers in [0, 2**63)).

        Raises SettingsError when the settings can't be played with so many seats.
        """

    def match_info(self, settings: Any, state: State, match: int, seat: int) -> dict[str, Any]:
        """What one bot is told once, before any question, as JSON."""

    def opening(self, settings: Any, state: State, buffers: Buffers) -> Turn:
        """Questions before turn 1 (most games: none)."""

    def turn(self, settings: Any, state: State, buffers: Buffers) -> Turn:
        """One turn of every match that is not over."""

    def over(self, state: State) -> Array:
        """bool[matches]"""

    def agents(self, settings: Any, seats: int) -> Agents:
        """Every body that can be asked in a match of so many seats."""

    def alive(self, settings: Any, state: State) -> Array:
        """bool[matches, agents]: whose body can still be asked in this match."""

    def scores(self, settings: Any, state: State) -> Array:
        """float64[matches, seats]: each seat's score so far."""

    def extra_scores(self, settings: Any, state: State, match: int) -> dict[str, float]:
        """Scores of who is not a bot (prey, for instance), by name."""

    def frame(self, settings: Any, state: State, match: int) -> dict[str, Any]:
        """Everything there is to see, for replays and pictures: JSON values and arrays of integers."""

    def scratch(self) -> frozenset[str]:
        """State fields that only hold values within a turn or follow from the others."""

    def carried(self) -> frozenset[str]:
        """Of these, the ones that are kept up to date from turn to turn instead of being made anew in each."""


def copy_state(state: State) -> State:
    """A state that shares nothing with `state`."""
    return type(state)(*(array.copy() for array in state))


def state_hash(game: Game, state: State, match: int) -> str:
    """Eight hex digits over one match of a state (scratch fields left out)."""
    scratch = game.scratch()
    crc = 0
    for name, array in zip(state._fields, state, strict=True):
        if name not in scratch:
            crc = zlib.crc32(np.ascontiguousarray(array[match]).data, crc)
    return f"{crc:08x}"
