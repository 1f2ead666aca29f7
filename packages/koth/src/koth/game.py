"""The interface between a game's rules and the rest of koth.

A game is an object that fits the `Game` protocol (`koth.games.defaults` implements what most games share);
`koth.games` lists them. A game's state is a NamedTuple of NumPy arrays whose leading axis is the match, so the same
rules serve a contest (batches of one) and a researcher (batches of thousands). A game's turn is a generator that
reads like the rulebook: every `yield` asks the bots one question (`koth.question`) and receives their answers.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
import zlib
from collections import namedtuple
from collections.abc import Callable, Generator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import pairwise
from typing import Any, Protocol, TypeVar, cast, get_args, get_origin, get_type_hints

import numpy as np

from koth.buffers import Buffers as Buffers
from koth.errors import SettingsError as SettingsError  # games raise it, and import it from here
from koth.errors import visible
from koth.events import Event as Event
from koth.events import Party as Party
from koth.files.shape import KINDS
from koth.frame import FrameSpec as FrameSpec
from koth.frame import Units as Units
from koth.question import FAULT as FAULT  # all that a game needs of questions is found here too
from koth.question import FAULT_KINDS as FAULT_KINDS
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
from koth.question import observation_fields as observation_fields

State = Any
"""A NamedTuple of arrays of the game's own; every array has the match as its first axis."""

Turn = Generator[Observations, Answers, None]


NUMBERS = re.compile(r"int|float|bool|tuple\[int(, ?(int|\.\.\.))*\]")
"""The types of constants, as text, that kernels can receive."""


class Constants:
    """Base class of settings (frozen dataclasses) that can be passed to kernels.

    `numbers` has every constant that is a number, a bool or a tuple of integers (as an int64 array), by the settings'
    names: one argument for a kernel.
    """

    Numbers: Any
    """The class of `numbers`."""

    def __init_subclass__(cls) -> None:
        declared = {
            name: kind for base in reversed(cls.__mro__) for name, kind in inspect.get_annotations(base).items()
        }
        words = {name: kind.__name__ if kind in (int, float, bool) else str(kind) for name, kind in declared.items()}
        names = [name for name, kind in words.items() if NUMBERS.fullmatch(kind)]
        # Numba's cache on disk finds the class again by where it stands.
        cls.Numbers = namedtuple("Numbers", names, module=cls.__module__)  # type: ignore[misc]
        cls.Numbers.__qualname__ = f"{cls.__qualname__}.Numbers"

    @cached_property
    def numbers(self) -> Any:
        """The constants that are numbers, as a NamedTuple."""
        values = (getattr(self, name) for name in self.Numbers._fields)
        return self.Numbers(*(np.array(v, np.int64) if isinstance(v, tuple) else v for v in values))

    @cached_property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """The lowest and the highest value of each constant, as passed to `within`."""
        return {}

    @classmethod
    @cache
    def meanings(cls) -> dict[str, str]:
        """Return the docstrings of constants; empty if there is no source file."""
        try:
            (made,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
        except (OSError, TypeError, SyntaxError):
            return {}
        return {
            line.target.id: inspect.cleandoc(text.value.value).removesuffix(".")
            for line, text in pairwise(made.body if isinstance(made, ast.ClassDef) else [])
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
            if isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
            and isinstance(text.value.value, str)
        }

    def within(self, **bounds: tuple[float, float]) -> None:
        """Raise SettingsError for the first constant that is not within its bounds, both included."""
        self.ranges.update(bounds)
        for key, (low, high) in bounds.items():
            value = getattr(self, key)
            if not isinstance(value, int | float) or not low <= value <= high:
                raise self.refusal(key, value)

    def refusal(self, key: str, value: Any, wanted: str = "") -> SettingsError:
        """Return an error that names a constant's valid values and its meaning.

        Without `wanted`: values of its kind, in the range that was passed to `within`.
        """
        kind = get_type_hints(type(self))[key]
        item = get_args(kind)[0] if get_origin(kind) is tuple else kind
        listed = "" if item is kind else "a list, each "
        span = " in {}..{}".format(*self.ranges[key]) if key in self.ranges else ""
        wanted = wanted or f"{listed}{KINDS.get(item, 'another value')}{span}"
        meaning = " ".join(self.meanings().get(key, "").split())
        if meaning[:1].isupper() and not meaning[1:2].isupper():
            meaning = meaning[0].lower() + meaning[1:]
        shown = visible(",".join(map(str, value)) if isinstance(value, tuple) else str(value))
        shown = shown if len(shown) <= 60 else f"{shown[:60]}..."
        return SettingsError(f"{key}={shown}: {key} must be {wanted}" + (f" ({meaning})" if meaning else ""))


LARGEST_SCORE = 2.0**53
"""The largest score, and -LARGEST_SCORE the smallest: floats represent all whole numbers between exactly."""
MOST_SCORES = 1 << 16
"""The largest number of scores of a match."""
AGGREGATES = ("median", "mean", "sum", "wins")
"""The ways to compute a bot's score from its matches; "wins" is the mean of 1 for each match won and 0 for others."""
RANK_BY = ("rating", "score")
"""The values that bots can be ranked by (`ContestDefaults.rank_by`)."""


@dataclass(frozen=True)
class ContestDefaults:
    """The statement's rules of a contest: defaults of `koth run`.

    `matches` is the least number of matches that each bot plays. `aggregate` turns a bot's scores into its standing:
    "median", "mean", "sum", or "wins" (scores are 1 or 0). `seats` is the number of seats of a match in which not all
    bots play. `blocks` is the least number of blocks (a match; with `seats`, one group of bots that plays from every
    seat) for which the standings' intervals and verdicts hold, as measured with the game's own scores (`python -m
    koth.testing.blocks`); 0: not measured, then as many as skewed scores need. `score_range` is the least and the
    greatest score of a match; None: unknown. With `seats_alike`, a match is the same from every seat, so that no
    group plays from several seats. `rank_by` is "rating" where the higher score wins a match, "score" where a match
    only adds to the score: then hills rank by score, without ratings. `variants` are values of settings, such as
    `{"map": ("maze", "open")}`: each group of bots plays each of their combinations equally often.
    """

    matches: int
    aggregate: str
    seats: int | None = None
    blocks: int = 0
    score_range: tuple[float, float] | None = None
    seats_alike: bool = False
    rank_by: str = "rating"
    variants: Mapping[str, Sequence[Any]] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class TimeControl:
    """A bot's time limits in seconds: `start` to become ready, `question` per question, `first` more for question 1.

    Time beyond `question` is taken from the `bank`, which lasts for the whole match; with an empty bank the answer is
    late. `late_in_a_row` late answers, or late answers to questions of `lateness` seconds in all, end the bot for the
    match. With `paid_thinking`, CPU time between questions is charged, too (docs/clocks.md).
    """

    start: float = 10.0
    question: float = 1.0
    first: float = 0.0
    late_in_a_row: int = 3
    lateness: float = 60.0
    bank: float = 0.0
    paid_thinking: bool = False


class Game(Protocol):
    """The interface of a game: all that code outside the game's folder may use."""

    name: str
    version: int
    """The version of the rules' behaviour: a replay of another version can't be verified."""
    title: str
    seats: range
    """The numbers of bots that a match can have."""
    rulesets: Mapping[str, Any]
    """Settings (a frozen dataclass on `Constants`) by ruleset name; the first is the default."""
    protocols: Mapping[str, Callable[..., Any]]
    """Factories of a `koth.protocol.bot_protocol.BotProtocol`, by name, one of them "json"; the first is the default.
    """
    contest_defaults: ContestDefaults
    time_control: TimeControl
    reserved_names: frozenset[str]
    """Names that bots may not have."""
    main_names: Sequence[str]
    """Names of bots' main files, without endings, apart from `bot`, `main` and the folder's: `("MyBot",)`."""
    default_entrants: Sequence[str]
    """Names of the sample bots that play if no bots are named, the same on every machine."""
    event_kinds: Mapping[str, str]
    """The game's kinds of events, each with a meaning in a few words."""
    match_info_meanings: Mapping[str, str]
    """The meanings of keys of the match info, apart from settings."""
    frame_spec: FrameSpec
    """The meaning of the game's frames."""

    def questions(self, settings: Any, seats: int) -> Mapping[str, Question]:
        """Return every question that a match can ask, by name."""

    def initial_state(self, settings: Any, seats: int, seeds: Sequence[int]) -> State:
        """Return the state of new matches, one per seed (integers in [0, 2**63)).

        Raises SettingsError if the settings can't be played with this number of seats.
        """

    def match_info(self, settings: Any, state: State, match: int, seat: int) -> dict[str, Any]:
        """Return the match info in the `hello` of one bot, before any question, as JSON."""

    def opening(self, settings: Any, state: State, buffers: Buffers) -> Turn:
        """Play the questions before turn 1 (most games: none)."""

    def turn(self, settings: Any, state: State, buffers: Buffers) -> Turn:
        """Play one turn of every match that is not over."""

    def over(self, state: State) -> Array:
        """Return which matches are over: bool[matches]."""

    def agents(self, settings: Any, seats: int) -> Agents:
        """Return every unit that can be asked in a match with this number of seats."""

    def alive(self, settings: Any, state: State) -> Array:
        """Return which agents can still be asked: bool[matches, agents]."""

    def scores(self, settings: Any, state: State) -> Array:
        """Return each seat's score so far: float64[matches, seats], within `LARGEST_SCORE`."""

    def extra_scores(self, settings: Any, state: State, match: int) -> dict[str, float]:
        """Return the scores of players that are not bots (prey, for instance), by name."""

    def frame(self, settings: Any, state: State, match: int) -> dict[str, Any]:
        """Return the frame for replays and pictures: JSON values and arrays of integers."""

    def events(
        self, settings: Any, state: State, match: int, before: Mapping[str, Any], now: Mapping[str, Any]
    ) -> list[Event]:
        """Return the events of the turn that has led to this state; `before` and `now` are the frames around it.

        For each unit that the frame's `alive` no longer counts, one event has `out`. Called at the end of a turn,
        while scratch fields still hold the notes of the rules.
        """

    def scratch(self) -> frozenset[str]:
        """Return the state fields that hold only within a turn, follow from others, or serve pictures and events.

        They are not hashed. Observations must not depend on notes for pictures and events.
        """

    def carried(self) -> frozenset[str]:
        """Return those scratch fields that are updated from turn to turn, not computed again in each turn."""


S = TypeVar("S")


def zero_state(kind: type[S], **sizes: int) -> S:
    """Return a state of zeros, its arrays as the class declares them: `Annotated[Array, "int32[M, K]"]`.

    `sizes` has each axis's length by name. Raises ValueError for a field without dtype and axes, and for an axis
    whose size is missing.
    """
    arrays = {}
    for name, (dtype, axes) in _array_declarations(cast(Any, kind)).items():
        if lacking := [axis for axis in axes if not axis.isdigit() and axis not in sizes]:
            raise ValueError(f"{kind.__name__}.{name}: the axis {lacking[0]} has no size (given: {', '.join(sizes)})")
        arrays[name] = np.zeros([int(axis) if axis.isdigit() else sizes[axis] for axis in axes], dtype)
    made: Any = kind
    return cast(S, made(**arrays))


@cache
def _array_declarations(kind: type[Any]) -> dict[str, tuple[str, list[str]]]:
    found = {}
    for name, hint in get_type_hints(kind, include_extras=True).items():
        declared = re.fullmatch(r"(\w+)\[(.*)\]", str(getattr(hint, "__metadata__", ("",))[0]))
        if declared is None:
            raise ValueError(f'{kind.__name__}.{name} must be declared like Annotated[Array, "int32[M, K]"]')
        found[name] = declared[1], re.split(r"\s*,\s*", declared[2])
    return found


def copy_state(state: State) -> State:
    """Return a copy of the state that shares no arrays with it, nor the objects in them."""
    copied = type(state)(*(array.copy() for array in state))
    for array in copied:
        if array.dtype == object:
            for place, one in np.ndenumerate(array):
                array[place] = deepcopy(one)
    return copied


def state_hash(game: Game, state: State, match: int) -> str:
    """Return eight hex digits (CRC-32) of one match of a state, without scratch fields."""
    scratch = game.scratch()
    crc = 0
    for name, array in zip(state._fields, state, strict=True):
        if name not in scratch:
            crc = zlib.crc32(np.ascontiguousarray(array[match]).data, crc)
    return f"{crc:08x}"
