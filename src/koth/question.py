"""Questions: what bots are shown and asked, and what they answer, as arrays with a row per body.

A `Field` says what the values of one array mean. Everything that can follow from that does: the JSON of the
question and its answer, what is wrong with an answer in words, random and default answers, the schema, what
authors are shown, the spaces of learning.
"""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

FAULTS = (
    "none",
    "late",  # no answer within the budget
    "crash",  # the process ended
    "closed",  # it closed its output and lives on
    "garbage",  # a message that can't be read: not UTF-8, not JSON, cut off, wrong shape
    "flood",  # more bytes or lines than anybody may send
    "error",  # the bot's own code raised an exception for this body
    "missing",  # the message came, this body's answer was not in it
    "illegal",  # this body's answer is no action of the game
    "unasked",  # an answer to no question, or to an old one: discarded
    "memory",  # it asked for more memory than it may have
)
"""Kinds of faults, in the order of their codes in `Answers.fault`."""

FAULT = {kind: code for code, kind in enumerate(FAULTS)}

KOTHS_OWN = frozenset({"ask", "question", "left"}), frozenset({"ask", "ready", "note"})
"""Keys of messages that are koth's own words, in questions and in answers: no field is called so."""


@dataclass(frozen=True)
class Field:
    """One array of a question or an answer: a value, or an array of `shape`, per row.

    `default` is the value that stands for "no answer" (answers only). Values lie in `low` to `high`, both
    included, or are places among `names`; without either they are whatever the dtype holds. People and JSON see
    the names. Where `names` is a text each of its letters is a name, and a row of squares is written as a text.

    A field with `ragged` has no shape: its values for all rows lie one after another, and the integer field named
    by `ragged` counts each row's. A `sparse` field (uint32, less than 65,536 values a row) is mostly 0: bots that
    speak frames are sent only the rest (`koth.protocol.sparse`). One with `on_board` is a part of a board: the
    kernel that writes it leaves it out where it finds no room for it (`koth.buffers`).

    Raises ValueError where this can't be.
    """

    dtype: str
    shape: tuple[int, ...] = ()
    default: float = 0
    ragged: str | None = None
    sparse: bool = False
    on_board: bool = False
    doc: str = ""
    low: float | None = None
    high: float | None = None
    names: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.names and (self.kind not in "iu" or self.low is not None or self.high is not None):
            raise ValueError("names are for fields of integers, and settle what is lowest and highest")
        if len(set(self.names)) != len(self.names):
            raise ValueError(f"the same name twice: {', '.join(self.names)}")
        least, most = self.bounds
        widest = dtype_bounds(self.dtype)
        if not widest[0] <= least <= most <= widest[1]:
            raise ValueError(f"{self.dtype} can't hold {least} to {most}")

    @property
    def kind(self) -> str:
        """NumPy's letter: "b" truth, "i" and "u" integers, "f" other numbers."""
        return np.dtype(self.dtype).kind

    @property
    def size(self) -> int:
        """Bytes of a row's values; of a single one if the field is ragged."""
        return np.dtype(self.dtype).itemsize * math.prod(self.shape)

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest value, both included."""
        if self.names:
            return 0, len(self.names) - 1
        low, high = dtype_bounds(self.dtype)
        return low if self.low is None else self.low, high if self.high is None else self.high

    @property
    def bounded(self) -> bool:
        """Whether it is declared which values mean something."""
        return bool(self.names) or self.kind == "b" or (self.low is not None and self.high is not None)


@cache
def dtype_bounds(dtype: str) -> tuple[float, float]:
    """The lowest and the highest finite value of a dtype."""
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return 0, 1
    if kind.kind == "f":
        return float(np.finfo(kind).min), float(np.finfo(kind).max)
    return int(np.iinfo(kind).min), int(np.iinfo(kind).max)


class RowIndex(NamedTuple):
    """Of whom a question is asked: int32[rows] each, sorted by match, seat and body."""

    match: Any
    seat: Any
    unit: Any


@dataclass(frozen=True)
class Question:
    """What one question shows of each body and which fields answer it.

    `view` is a mapping, or an instance of a NamedTuple whose values are the fields: then what kernels fill
    (`Buffers.room`) is a tuple of the same class, and a field is found by its name. `most` is the largest number of
    rows one match can have. In a `sequential` question rows of one seat are asked after those of another have
    been played; else all rows are asked at the same time. Where a seat can have several bodies, `bodies` is the
    field of the view by which they are known in messages, or "body": their number. With `step` the board as this
    question finds it is worth a picture: replays hold it if it is another than the one before.

    Raises ValueError where this can't be; no field may be called as one of `KOTHS_OWN` is.
    """

    name: str
    observation: Mapping[str, Field] | Any
    answer: Mapping[str, Field]
    max_rows: int
    doc: str = ""
    sequential: bool = False
    units: str = ""
    step: bool = False
    observation_type: Any = None
    """The class of what kernels fill."""

    def __post_init__(self) -> None:
        if hasattr(self.observation, "_asdict"):
            object.__setattr__(self, "observation_type", type(self.observation))
            object.__setattr__(self, "observation", self.observation._asdict())
        elif self.observation_type is None:
            object.__setattr__(self, "observation_type", namedtuple("Observation", list(self.observation)))
        for fields, taken in zip((self.observation, self.answer), KOTHS_OWN, strict=True):
            if not taken.isdisjoint(fields):
                words = ", ".join(sorted(taken.intersection(fields)))
                raise ValueError(f"{self.name}: no field can be called {words}: messages of koth's own have that key")
        for key, counts in self.ragged.items():
            if (
                counts not in self.observation
                or self.observation[counts].kind not in "iu"
                or self.observation[counts].shape
            ):
                raise ValueError(f"{self.name}.{key}: ragged={counts!r} must be a field that is one whole number")
        for name, spec in self.answer.items():
            least, most = spec.bounds
            if not least <= spec.default <= most:
                raise ValueError(f"{self.name}: the default of {name} must be in {least} to {most}")
        if self.units and self.units not in (*self.observation, "body"):
            raise ValueError(f"{self.name}: there is no field {self.units} to know bodies by")

    @cached_property
    def ragged(self) -> dict[str, str]:
        """The ragged fields of the view, each with the field that counts its values."""
        return {key: spec.ragged for key, spec in self.observation.items() if spec.ragged is not None}

    @cached_property
    def counts(self) -> frozenset[str]:
        """The fields of the view that count others' values."""
        return frozenset(self.ragged.values())

    @cached_property
    def defaults(self) -> dict[str, Array]:
        """Of each field of the answer, a row of defaults."""
        return {name: np.full((1, *spec.shape), spec.default, spec.dtype) for name, spec in self.answer.items()}

    def labels(self, observations: Observations) -> list[int]:
        """By which numbers the rows are known in messages."""
        numbers = observations.unit if self.units in ("", "body") else observations.fields[self.units]
        labels: list[int] = numbers.tolist()
        return labels


@dataclass(eq=False, slots=True)
class Observations:
    """One question, asked of some bodies: a row for each, sorted by match, seat and body.

    The arrays lie in buffers that the next question overwrites; copy what you want to keep, and change nothing: the
    same one may be asked again. Fields that whoever asks wanted on `boards` (`koth.buffers`) have no rows in `view`:
    here are the boards on which they lie, an axis for the matches first. They stand as the rows were asked until the
    question is answered. `room` are the buffers, where the first row is the first of theirs.
    """

    question: Question
    match: Array
    seat: Array
    unit: Array
    fields: Mapping[str, Array]
    boards: Mapping[str, Array] = field(default_factory=dict)
    buffers: tuple[RowIndex, Any] | None = field(default=None, init=False)  # what is shown instead lies elsewhere

    def __len__(self) -> int:
        return len(self.unit)

    def row_ranges(self, match: int) -> dict[int, tuple[int, int]]:
        """Each seat of one match that is asked, with its first row and the one after its last."""
        first, last = 0, len(self)
        if not last or self.match[0] != match or self.match[-1] != match:
            first, last = np.searchsorted(self.match, [match, match + 1]).tolist()
        seats = self.seat[first:last]
        edges = [first, *((seats[1:] != seats[:-1]).nonzero()[0] + (first + 1)).tolist(), last]
        return {int(self.seat[start]): (start, stop) for start, stop in pairwise(edges) if start < stop}

    def of_match(self, match: int) -> Iterator[tuple[int, Observations]]:
        """Each seat of one match that is asked, with its own rows."""
        row_ranges = self.row_ranges(match)
        return zip(row_ranges, self.parts(list(row_ranges.values())), strict=True)

    def rows(self, start: int, stop: int) -> Observations:
        """The rows from `start` up to `stop`, as views on the same arrays."""
        return next(self.parts([(start, stop)]))

    def parts(self, row_ranges: Sequence[tuple[int, int]]) -> Iterator[Observations]:
        """The rows of each of these spans, as views on the same arrays."""
        if not row_ranges:
            return
        ragged = self.question.ragged
        before = {counts: np.concatenate([[0], np.cumsum(self.fields[counts])]) for counts in ragged.values()}
        edges = [edge for row_range in row_ranges for edge in row_range]
        ends = {key: before[counts][edges].tolist() for key, counts in ragged.items()}
        for i, (start, stop) in enumerate(row_ranges):
            rows = slice(start, stop)
            fields = {key: array[rows] for key, array in self.fields.items()}
            for key, at in ends.items():
                fields[key] = self.fields[key][at[2 * i] : at[2 * i + 1]]
            yield Observations(self.question, self.match[rows], self.seat[rows], self.unit[rows], fields)


@dataclass
class Answers:
    """The answers to one `Observations`, row by row.

    `fields` has an array per answer field; `fault` a code of `FAULTS` per row (a row with a fault holds the
    defaults, unless a rule says what of it counts). `gone[match, seat]` says that the bot is dead: the rules
    decide what becomes of its pieces. `notes` and `drawn` are JSON by (match, seat), kept for the bot's author and
    never read by rules.
    """

    fields: dict[str, Array]
    fault: Array
    gone: Array
    notes: dict[tuple[int, int], Any] = field(default_factory=dict)
    drawn: dict[tuple[int, int], Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Array:
        return self.fields[name]


def default_answers(question: Question, rows: int) -> dict[str, Array]:
    """The answer fields of `rows` bodies that did not answer."""
    return {name: one.repeat(rows, 0) for name, one in question.defaults.items()}


def no_answers(observations: Observations, gone: Array) -> Answers:
    """Defaults for every row, no fault: what a question that nobody answers is answered with."""
    return Answers(
        default_answers(observations.question, len(observations)), np.zeros(len(observations), dtype=np.uint8), gone
    )


def random_answers(observations: Observations, random: np.random.Generator) -> dict[str, Array]:
    """Answer fields for these rows, every value drawn uniformly from those that mean something.

    A number without declared bounds is drawn from 0 to 11, as far as it may.
    """
    fields = default_answers(observations.question, len(observations))
    for name, spec in observations.question.answer.items():
        least, most = spec.bounds if spec.bounded else (max(0, spec.bounds[0]), min(11, spec.bounds[1]))
        shape, array = fields[name].shape, fields[name]
        if spec.kind == "f":
            array[...] = random.uniform(least, most, shape)
        else:
            array[...] = random.integers(int(least), int(most), shape, endpoint=True)
    return fields


@dataclass(frozen=True, eq=False)
class Agents:
    """All bodies that a match can ever ask, in a fixed order: by seat, then body.

    `seat` and `body` are int32[agents], as in a question's rows.
    """

    seat: Array
    unit: Array

    def __len__(self) -> int:
        return len(self.unit)

    @classmethod
    def of_seats(cls, seats: int, units: int = 1, *, numbered: bool = False) -> Agents:
        """So many bodies for each seat; `numbered` through the match, or else from 0 in each seat."""
        seat = np.repeat(np.arange(seats, dtype=np.int32), units)
        unit = np.arange(seats * units, dtype=np.int32)
        return cls(seat, unit if numbered else (unit % units).astype(np.int32))

    @cached_property
    def table(self) -> Array:
        """int32[seats, bodies]: which agent is asked, -1 for none."""
        table = np.full((int(self.seat.max()) + 1, int(self.unit.max()) + 1), -1, np.int32)
        table[self.seat, self.unit] = np.arange(len(self), dtype=np.int32)
        return table
