"""Questions, observations and answers as arrays with a row per unit.

A `Field` declares what the values of one array mean. The JSON of questions and answers, the errors in answers, random
and default answers, the schema, the text that authors are shown and the spaces of learning all follow from it.
"""

from __future__ import annotations

import inspect
import math
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar, get_type_hints

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class FaultKind(NamedTuple):
    """A kind of fault: its meaning in words for the bot's author, and what koth counts for each fault.

    `of` is "answer", "unit" (one unit's part of an answer) or "match" (the fault ends the bot's match).
    """

    meaning: str
    of: str


FAULT_KINDS: Mapping[str, FaultKind] = {
    "late": FaultKind("it did not answer in time", "answer"),
    "crash": FaultKind("its process ended", "match"),
    "closed": FaultKind("it closed its output, or stopped reading, and went on running", "match"),
    "garbage": FaultKind("it wrote what can't be read as a message", "answer"),
    "flood": FaultKind("it wrote more than a bot may write", "match"),
    "error": FaultKind("its code raised an exception", "unit"),
    "missing": FaultKind("its message lacks an answer that was asked for", "unit"),
    "illegal": FaultKind("its answer is not an action of the game", "unit"),
    "unasked": FaultKind("it sent an answer that no open question asked for; koth dropped it", "answer"),
    "memory": FaultKind("it needed more memory than it may have", "match"),
}
"""All kinds of faults, with the descriptions that `koth why`, `koth check`, pages and documents show.

Replays hold a kind's place in this table: new kinds come last. A fault of an answer's rows is in `Answers.fault`, and
so in the replay; any other is only in the bot's reports, which results and `koth why` show.
"""

FAULTS = ("none", *FAULT_KINDS)
"""Kinds of faults, in the order of their codes in `Answers.fault`."""

FAULT = {kind: code for code, kind in enumerate(FAULTS)}

KOTHS_OWN = (
    frozenset({"ask", "question", "left", "hello", "bye", "bodies"}),
    frozenset({"ask", "ready", "note", "draw", "crash"}),
)
"""Keys that koth reserves in the messages of questions and of answers: no field may have these names."""


@dataclass(frozen=True)
class Field:
    """One array of a question or an answer: a value, or an array of `shape`, per row.

    `default` is the value of an answer that is missing (answers only). Values lie in `low` to `high`, both included,
    or are indices into `names`; without either, every value of the dtype is allowed. People and JSON see the names.
    Where `names` is a text, each letter is a name, and a row of squares is written as a text.

    A field with `ragged` is a list in each row. The integer field named by `ragged`, which stands before it, counts
    the items, also of several lists that are equally long. Observed lists have no shape: the items of all rows lie
    one after another. In an answer the shape begins with the greatest length, which is the count's `high`, too; from
    the count on the array holds the default. Bots send lists without their count.

    A `sparse` field (uint32, less than 65,536 values a row) is mostly 0: the protocol `frames` sends only the other
    values (`koth.protocol.sparse`). A field with `on_board` is a part of a board: the kernel that writes it must
    leave it out where its buffer is empty (`koth.buffers`).

    `legal` (answers only) says which values are legal now: the name of an observed bool field, or a function from the
    observed arrays to bools, whose docstring tells people the rule. The bools are [rows, *shape, choices], with an
    item for each value from the lowest on; last axes on which nothing depends may be left out. Where no value is
    legal, any is accepted and has no effect.

    Raises ValueError for a declaration that contradicts itself or does not fit the dtype.
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
    legal: str | Callable[[Mapping[str, Array]], Array] = ""

    def __post_init__(self) -> None:
        if self.names and (self.kind not in "iu" or self.low is not None or self.high is not None):
            raise ValueError("names are for integer fields without low and high")
        if len(set(self.names)) != len(self.names):
            raise ValueError(f"names must differ: {', '.join(self.names)}")
        least, most = self.bounds
        widest = dtype_bounds(self.dtype)
        if not widest[0] <= least <= most <= widest[1]:
            raise ValueError(f"{self.dtype} can't hold {least} to {most}")
        if isinstance(self.default, str):
            number = f", here {list(self.names).index(self.default)}" if self.default in self.names else ""
            raise ValueError(f"the default must be the number of a name, not {self.default!r}{number}")

    @cached_property
    def numpy_dtype(self) -> np.dtype[Any]:
        """NumPy's dtype."""
        return np.dtype(self.dtype)

    @cached_property
    def kind(self) -> str:
        """NumPy's letter for the kind of dtype: "b" bool, "i" and "u" integers, "f" floats."""
        return self.numpy_dtype.kind

    @cached_property
    def codes(self) -> Mapping[str, int]:
        """The number of each name."""
        return {name: code for code, name in enumerate(self.names)}

    @cached_property
    def letter_table(self) -> bytes:
        """The translation table from numbers to letters; empty unless all names are letters of ASCII."""
        if not isinstance(self.names, str) or not self.names.isascii() or "\0" in self.names:
            return b""
        return self.names.encode().ljust(256, b"\0")

    @cached_property
    def size(self) -> int:
        """Bytes of a row's values; of a single value if the field is ragged."""
        return np.dtype(self.dtype).itemsize * math.prod(self.shape)

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest value, both included."""
        if self.names:
            return 0, len(self.names) - 1
        low, high = dtype_bounds(self.dtype)
        return low if self.low is None else self.low, high if self.high is None else self.high

    def allows(self, values: Any) -> Any:
        """Return whether a number, or each number of an array, lies within the bounds; NaN does not."""
        least, most = self.bounds
        return (values >= least) & (values <= most)

    @property
    def bounded(self) -> bool:
        """True if the declaration bounds the values."""
        return bool(self.names) or self.kind == "b" or (self.low is not None and self.high is not None)

    @property
    def choices(self) -> int:
        """The number of values that each entry can have; not for floats."""
        return int(self.bounds[1] - self.bounds[0]) + 1

    @cached_property
    def item(self) -> Field:
        """The declaration of one item of a list."""
        return replace(self, shape=self.shape[1:], ragged=None)

    @property
    def rule(self) -> str:
        """The rule behind `legal` in words; empty if there is none."""
        if isinstance(self.legal, str):
            return f"legal where {self.legal} says so" if self.legal else ""
        return f"legal: {inspect.getdoc(self.legal)}"

    def legal_truths(self, observed: Mapping[str, Array]) -> Array:
        """Return which values are legal, from the observed arrays: bool[rows, *shape, choices], or without last axes.

        Raises ValueError for flags of another shape.
        """
        truths = observed[self.legal] if isinstance(self.legal, str) else self.legal(observed)
        shape = (*self.shape, self.choices)
        if truths.dtype != np.bool_ or truths.shape[1:] != shape[: truths.ndim - 1]:
            raise ValueError(f"legal must be bools of shape {shape}, not {truths.dtype}{list(truths.shape[1:])}")
        return truths

    def legal_values(self, observed: Mapping[str, Array]) -> Array:
        """Return bool[rows, *shape, choices]: which values are legal. Raises ValueError as `legal_truths`."""
        truths, shape = self.legal_truths(observed), (*self.shape, self.choices)
        spread = truths.reshape(*truths.shape, *(1,) * (len(shape) + 1 - truths.ndim))
        return np.broadcast_to(spread, (len(truths), *shape)).copy()


@cache
def dtype_bounds(dtype: str) -> tuple[float, float]:
    """Return the lowest and the highest finite value of a dtype."""
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return 0, 1
    if kind.kind == "f":
        return float(np.finfo(kind).min), float(np.finfo(kind).max)
    return int(np.iinfo(kind).min), int(np.iinfo(kind).max)


class RowIndex(NamedTuple):
    """Match, seat and unit of each row: int32[rows] each, sorted in this order."""

    match: Any
    seat: Any
    unit: Any


@dataclass(frozen=True)
class Question:
    """The declaration of one question: the fields that each unit observes, and the fields of the answer.

    `observation` is a mapping of fields, or a NamedTuple instance of them; then the arrays that kernels fill
    (`Buffers.arrays`) are a tuple of the same class. `max_rows` is the largest number of rows of one match. Where a
    seat can have several units, `units` names the field of the observation that identifies them in messages, or is
    "body" for their number. With `step`, replays hold the frame before this question, if that frame differs from the
    last one.

    Raises ValueError for fields that contradict each other and for names in `KOTHS_OWN`.
    """

    name: str
    observation: Mapping[str, Field] | Any
    answer: Mapping[str, Field]
    max_rows: int
    doc: str = ""
    units: str = ""
    step: bool = False
    observation_type: Any = None
    """The NamedTuple class of the arrays that kernels fill."""

    def __post_init__(self) -> None:
        if hasattr(self.observation, "_asdict"):
            object.__setattr__(self, "observation_type", type(self.observation))
            object.__setattr__(self, "observation", self.observation._asdict())
        elif self.observation_type is None:
            object.__setattr__(self, "observation_type", namedtuple("Observation", list(self.observation)))
        for fields, taken in zip((self.observation, self.answer), KOTHS_OWN, strict=True):
            if self.units == "body" and fields is self.observation:
                taken |= {"body"}
            if not taken.isdisjoint(fields):
                words = ", ".join(sorted(taken.intersection(fields)))
                raise ValueError(f"{self.name}: no field can be called {words}: koth's own messages use that key")
        for fields in (self.observation, self.answer):
            self._check_ragged(fields)
        for name, spec in self.answer.items():
            least, most = spec.bounds
            if not least <= spec.default <= most:
                raise ValueError(f"{self.name}: the default of {name} must be in {least} to {most}")
            if spec.legal:
                self._check_legal(name, spec)
        if self.units and self.units not in (*self.observation, "body"):
            raise ValueError(
                f"{self.name}: units={self.units!r} must be a field of the observation that identifies units, "
                'or "body" for their numbers'
            )

    def _check_ragged(self, fields: Mapping[str, Field]) -> None:
        """Raise ValueError for a list without a count, or with a shape or count that contradicts it."""
        before: dict[str, Field] = {}
        for key, spec in fields.items():
            where = f"{self.name}.{key}: "
            if spec.ragged is not None:
                counts = before.get(spec.ragged)
                if counts is None or counts.kind not in "iu" or counts.shape:
                    words = "must name a field before it that is one whole number"
                    raise ValueError(f"{where}ragged={spec.ragged!r} {words}")
                if fields is not self.answer:
                    if spec.shape:
                        raise ValueError(f"{where}a list that is observed has no shape")
                elif not spec.shape:
                    raise ValueError(f"{where}its shape must begin with the length of the longest list")
                elif counts.bounds != (0, spec.shape[0]) or counts.default:
                    words = f"{spec.ragged} must have low=0, default=0 and high={spec.shape[0]}"
                    raise ValueError(f"{where}{words}, the length of the longest list")
            before[key] = spec

    def _check_legal(self, name: str, spec: Field) -> None:
        """Raise ValueError if `legal` names no observed field, or does not return flags of the right shape."""
        if isinstance(spec.legal, str) and (
            spec.legal not in self.observation or self.observation[spec.legal].ragged
        ):
            raise ValueError(f"{self.name}.{name}: legal={spec.legal!r} must name an observed bool field")
        if not spec.bounded or spec.kind == "f" or spec.ragged is not None:
            raise ValueError(f"{self.name}.{name}: legal needs whole numbers with bounds, and no list")
        nobody = {key: np.zeros((0, *field.shape), field.dtype) for key, field in self.observation.items()}
        try:
            spec.legal_values(nobody)
        except ValueError as error:
            raise ValueError(f"{self.name}.{name}: {error}") from None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the declaration: an array class that was made here can't be found again by its name."""
        kind, fields = self.observation_type, self.observation
        observation = dict(fields) if kind.__module__ == __name__ else kind(**fields)
        rest = self.answer, self.max_rows, self.doc, self.units, self.step
        return Question, (self.name, observation, *rest)

    @cached_property
    def ragged(self) -> dict[str, str]:
        """The ragged fields of the observation, each with the field that counts its values."""
        return {key: spec.ragged for key, spec in self.observation.items() if spec.ragged is not None}

    @cached_property
    def counts(self) -> frozenset[str]:
        """The observed fields that count the values of other, ragged fields."""
        return frozenset(self.ragged.values())

    @cached_property
    def lists(self) -> dict[str, str]:
        """The ragged fields of the answer, each with the field that counts its items."""
        return {key: spec.ragged for key, spec in self.answer.items() if spec.ragged is not None}

    @cached_property
    def sent_fields(self) -> dict[str, Field]:
        """The fields of the answer that bots send: all but the counts of lists."""
        return {key: spec for key, spec in self.answer.items() if key not in self.lists.values()}

    def answer_rows(self, fields: Mapping[str, Array], name: str) -> Array | list[Array]:
        """Return the values of one field of answers, row by row; of a list the items up to its count."""
        values = fields[name]
        if name not in self.lists:
            return values
        return [row[:count] for row, count in zip(values, fields[self.lists[name]].tolist(), strict=True)]

    def cut_lists(self, fields: Mapping[str, Array]) -> dict[str, Array]:
        """Return the fields of answers, with counts within their bounds and lists cut at their counts."""
        found = dict(fields)
        for name, counts in self.lists.items():
            spec = self.answer[name]
            found[counts] = fields[counts].clip(0, spec.shape[0])
            found[name] = cut_list(spec, fields[name], found[counts])
        return found

    @cached_property
    def defaults(self) -> dict[str, Array]:
        """A row of defaults for each field of the answer."""
        return {name: np.full((1, *spec.shape), spec.default, spec.dtype) for name, spec in self.answer.items()}

    def labels(self, observations: Observations) -> list[int]:
        """Return the numbers that identify the rows in messages."""
        numbers = observations.unit if self.units in ("", "body") else observations.fields[self.units]
        labels: list[int] = numbers.tolist()
        return labels


def cut_list(spec: Field, values: Array, counts: Array) -> Array:
    """Return a list's array (dtype[rows, *shape]) with the default from each row's count on."""
    is_item = np.arange(spec.shape[0]) < counts[:, None]
    is_item = is_item.reshape(*is_item.shape, *(1,) * (len(spec.shape) - 1))
    return np.where(is_item, values, spec.default).astype(spec.numpy_dtype)


T = TypeVar("T")


def observation_fields(kind: type[T], **sizes: int) -> T:
    """Return the fields of an observation as its class declares them: `hp: Annotated[Array, Field("u1"), "K"]`.

    The text after the field has the axes of a row, by name or as numbers; `sizes` has the length of each name. Raises
    ValueError for an axis without a size, and for a field without such a declaration.
    """
    fields = {}
    for name, hint in get_type_hints(kind, include_extras=True).items():
        spec, *axes = getattr(hint, "__metadata__", (None,))
        if not isinstance(spec, Field):
            raise ValueError(f'{kind.__name__}.{name} must be declared like Annotated[Array, Field("u1"), "K, 2"]')
        shape = axes[0].replace(",", " ").split() if axes else []
        if lacking := [axis for axis in shape if not axis.isdigit() and axis not in sizes]:
            raise ValueError(f"{kind.__name__}.{name}: the axis {lacking[0]} has no size (given: {', '.join(sizes)})")
        fields[name] = replace(spec, shape=tuple(int(axis) if axis.isdigit() else sizes[axis] for axis in shape))
    return kind(**fields)


@dataclass(eq=False, slots=True)
class Observations:
    """The observations of one question: a row for each unit that is asked, sorted by match, seat and unit.

    The arrays lie in buffers that the next question overwrites: copy what has to be kept, and change nothing, because
    the same arrays may be asked again. Fields that the caller takes from `boards` (`koth.buffers`) have no rows in
    `fields`; `boards` holds the whole boards instead, the match as first axis, unchanged until the question is
    answered. `buffers` are the buffers whose first rows the arrays are; None for other arrays.
    """

    question: Question
    match: Array
    seat: Array
    unit: Array
    fields: Mapping[str, Array]
    boards: Mapping[str, Array] = field(default_factory=dict)
    buffers: tuple[RowIndex, Any] | None = field(default=None, init=False)  # None: the arrays lie elsewhere
    encoded: Any = field(default=None, init=False)
    """The `koth.protocol.encoded_rows.EncodedRows` whose rows these are, from `first_row` on; None if unknown."""
    first_row: int = field(default=0, init=False)

    def __len__(self) -> int:
        return len(self.unit)

    def row_ranges(self, match: int) -> dict[int, tuple[int, int]]:
        """Return the first row, and the one after the last, of each asked seat of a match."""
        first, last = 0, len(self)
        if not last or self.match[0] != match or self.match[-1] != match:
            first, last = np.searchsorted(self.match, [match, match + 1]).tolist()
        if first == last:
            return {}
        seats = self.seat[first:last]
        changes = (seats[1:] != seats[:-1]).nonzero()[0]
        edges = [first, *(changes + (first + 1)).tolist(), last]
        return dict(zip([*seats[changes].tolist(), int(seats[-1])], pairwise(edges), strict=True))

    def of_match(self, match: int) -> Iterator[tuple[int, Observations]]:
        """Yield each asked seat of a match, with its observations."""
        row_ranges = self.row_ranges(match)
        return zip(row_ranges, self.parts(list(row_ranges.values())), strict=True)

    def rows(self, start: int, stop: int) -> Observations:
        """Return the rows from `start` up to `stop`, as views on the same arrays."""
        if self.question.ragged:
            return next(self.parts([(start, stop)]))
        rows = slice(start, stop)
        fields = {key: array[rows] for key, array in self.fields.items()}
        return Observations(self.question, self.match[rows], self.seat[rows], self.unit[rows], fields)

    def parts(self, row_ranges: Sequence[tuple[int, int]]) -> Iterator[Observations]:
        """Yield the rows of each range, as views on the same arrays."""
        if not row_ranges:
            return
        ragged = self.question.ragged
        sums = {counts: np.cumsum(self.fields[counts], dtype=np.int64) for counts in ragged.values()}
        before = {counts: np.concatenate([[0], ends]) for counts, ends in sums.items()}
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

    `fields` has an array per answer field, `fault` a code of `FAULTS` per row (a row with a fault holds the defaults,
    unless a rule says which parts of it count). `gone[match, seat]` marks dead bots; it marks none where a question
    has no rows, so rules that need `gone` later keep it in the state. `notes` and `drawn` are JSON by (match, seat),
    kept for the bot's author and never read by rules.
    """

    fields: dict[str, Array]
    fault: Array
    gone: Array
    notes: dict[tuple[int, int], Any] = field(default_factory=dict)
    drawn: dict[tuple[int, int], Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Array:
        return self.fields[name]


def default_answers(question: Question, rows: int) -> dict[str, Array]:
    """Return the answer fields of `rows` units that did not answer."""
    return {name: one.repeat(rows, 0) for name, one in question.defaults.items()}


def no_answers(observations: Observations, gone: Array) -> Answers:
    """Return every row's default without faults: the answers if no bot answers."""
    return Answers(
        default_answers(observations.question, len(observations)), np.zeros(len(observations), dtype=np.uint8), gone
    )


def are_legal(observations: Observations, fields: Mapping[str, Array]) -> Array:
    """Return bool[rows]: whether all values of a row's answer are legal; without `Field.legal` they are.

    With `Field.legal`, values outside a field's bounds are illegal.
    """
    legal = np.ones(len(observations), np.bool_)
    for name, spec in observations.question.answer.items():
        if spec.legal:
            mask, places = spec.legal_values(observations.fields), fields[name].astype(np.int64) - int(spec.bounds[0])
            inside = (places >= 0) & (places < spec.choices)
            free = np.take_along_axis(mask, np.where(inside, places, 0)[..., None], -1)[..., 0] | ~mask.any(-1)
            legal &= (inside & free).reshape(len(observations), -1).all(1)
    return legal


@dataclass(frozen=True, eq=False)
class Agents:
    """The units that a match can ever ask, in a fixed order: by seat, then unit.

    `seat` and `unit` are int32[agents], as in a question's rows.
    """

    seat: Array
    unit: Array

    def __len__(self) -> int:
        return len(self.unit)

    @classmethod
    def of_seats(cls, seats: int, units: int = 1, *, numbered: bool = False) -> Agents:
        """Make `units` agents for each seat, `numbered` through the match or else from 0 in each seat."""
        seat = np.repeat(np.arange(seats, dtype=np.int32), units)
        unit = np.arange(seats * units, dtype=np.int32)
        return cls(seat, unit if numbered else (unit % units).astype(np.int32))

    @cached_property
    def table(self) -> Array:
        """int32[seats, units]: the index of each agent, -1 for none."""
        table = np.full((int(self.seat.max()) + 1, int(self.unit.max()) + 1), -1, np.int32)
        table[self.seat, self.unit] = np.arange(len(self), dtype=np.int32)
        return table
