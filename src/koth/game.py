"""The contract between a game's rules and everything that hosts it.

A game is an object that fits the `Game` protocol; `koth.games` lists them. Its state is a NamedTuple
of NumPy arrays whose leading axis is the match, so one source of the rules serves a contest (batches of
one) and a researcher (batches of thousands). Its turn is a generator that reads like the rulebook: every
`yield` asks the bots one question and receives their answers.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from koth.errors import SettingsError as SettingsError  # games raise it, and import it from here

Array = NDArray[Any]
State = Any
"""A NamedTuple of arrays of the game's own; every array has the match as its first axis."""

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


@dataclass(frozen=True)
class Field:
    """One array of a question or an answer: a value, or an array of `shape`, per row.

    `default` is the value that stands for "no answer" (answers only). A field with `ragged` has no shape:
    its values for all rows lie one after another, and the integer field named by `ragged` counts each row's.
    A `sparse` field (uint32, less than 65,536 values a row) is mostly 0: bots that speak frames are sent only the
    rest (`koth.sparse`).
    """

    dtype: str
    shape: tuple[int, ...] = ()
    default: float = 0
    ragged: str | None = None
    sparse: bool = False
    doc: str = ""

    @property
    def size(self) -> int:
        """Bytes of a row's values; of a single one if the field is ragged."""
        return np.dtype(self.dtype).itemsize * math.prod(self.shape)


@dataclass(frozen=True)
class Question:
    """What one question shows of each body and which fields answer it.

    `most` is the largest number of rows one match can have. With `step` the board as this question finds it is worth
    a picture: replays hold it if it is another than the one before.
    """

    name: str
    view: Mapping[str, Field]
    answer: Mapping[str, Field]
    most: int
    doc: str = ""
    step: bool = False

    @cached_property
    def ragged(self) -> dict[str, str]:
        """The ragged fields of the view, each with the field that counts its values."""
        return {key: spec.ragged for key, spec in self.view.items() if spec.ragged is not None}


@dataclass(eq=False, slots=True)
class Asks:
    """One question, asked of some bodies: a row for each, sorted by match, seat and body.

    The arrays lie in buffers that the next question overwrites; copy what you want to keep.
    """

    question: Question
    match: Array
    seat: Array
    body: Array
    view: Mapping[str, Array]

    def __len__(self) -> int:
        return len(self.body)

    def spans(self, match: int) -> dict[int, tuple[int, int]]:
        """Each seat of one match that is asked, with its first row and the one after its last."""
        first, last = 0, len(self)
        if not last or self.match[0] != match or self.match[-1] != match:
            first, last = np.searchsorted(self.match, [match, match + 1]).tolist()
        seats = self.seat[first:last]
        edges = [first, *((seats[1:] != seats[:-1]).nonzero()[0] + (first + 1)).tolist(), last]
        return {int(self.seat[start]): (start, stop) for start, stop in pairwise(edges) if start < stop}

    def of_match(self, match: int) -> Iterator[tuple[int, Asks]]:
        """Each seat of one match that is asked, with its own rows."""
        spans = self.spans(match)
        return zip(spans, self.parts(list(spans.values())), strict=True)

    def rows(self, start: int, stop: int) -> Asks:
        """The rows from `start` up to `stop`, as views on the same arrays."""
        return next(self.parts([(start, stop)]))

    def parts(self, spans: Sequence[tuple[int, int]]) -> Iterator[Asks]:
        """The rows of each of these spans, as views on the same arrays."""
        if not spans:
            return
        ragged = self.question.ragged
        before = {counts: np.concatenate([[0], np.cumsum(self.view[counts])]) for counts in ragged.values()}
        edges = [edge for span in spans for edge in span]
        ends = {key: before[counts][edges].tolist() for key, counts in ragged.items()}
        for i, (start, stop) in enumerate(spans):
            rows = slice(start, stop)
            view = {key: array[rows] for key, array in self.view.items()}
            for key, at in ends.items():
                view[key] = self.view[key][at[2 * i] : at[2 * i + 1]]
            yield Asks(self.question, self.match[rows], self.seat[rows], self.body[rows], view)


@dataclass
class Answers:
    """The answers to one `Asks`, row by row.

    `fields` has an array per answer field; `fault` a code of `FAULTS` per row (a row with a fault holds the
    defaults, unless a rule says what of it counts). `gone[match, seat]` says that the bot is dead: the rules
    decide what becomes of its pieces. `notes` are free JSON by (match, seat), kept for the bot's author and never
    read by rules.
    """

    fields: dict[str, Array]
    fault: Array
    gone: Array
    notes: dict[tuple[int, int], Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Array:
        return self.fields[name]


def default_answers(question: Question, rows: int) -> dict[str, Array]:
    """The answer fields of `rows` bodies that did not answer."""
    fields = {name: np.empty((rows, *spec.shape), spec.dtype) for name, spec in question.answer.items()}
    for name, spec in question.answer.items():
        fields[name].fill(spec.default)
    return fields


def no_answers(asks: Asks, gone: Array) -> Answers:
    """Defaults for every row, no fault: what a question that nobody answers is answered with."""
    return Answers(default_answers(asks.question, len(asks)), np.zeros(len(asks), dtype=np.uint8), gone)


PORTION = 1 << 23
"""Bytes that a portion of a question shows at most, where a game asks its matches in portions."""


class Views:
    """The buffers that questions are written in, owned by whoever asks; reused from turn to turn."""

    def __init__(self, questions: Mapping[str, Question], matches: int) -> None:
        self.questions = questions
        self.matches = matches
        self._buffers: dict[str, dict[str, Array]] = {}
        self._portions: dict[str, int] = {}

    def portion(self, name: str) -> int:
        """How many matches are best asked at once, if the others are asked after them with the same arrays.

        As many as keep what is shown within the processor's cache, but one at least.
        """
        if name not in self._portions:
            question = self.questions[name]
            row = sum(f.size for f in question.view.values())
            self._portions[name] = min(self.matches, max(1, PORTION // (row * question.most)))
        return self._portions[name]

    def room(self, name: str, matches: int | None = None, **ragged: int) -> dict[str, Array]:
        """Arrays for the most rows the question can have in so many matches (else in all that there are).

        They are `match`, `seat`, `body` and the view's fields in their order. For a ragged field, name the number
        of values it must hold: `room("move", fields=cells)`.
        """
        view = self.questions[name].view
        buffers = self._buffers.get(name)
        if buffers is None:
            rows = self.questions[name].most * (self.matches if matches is None else matches)
            buffers = self._buffers[name] = {
                **{key: np.zeros(rows, dtype=np.int32) for key in ("match", "seat", "body")},
                **{key: np.zeros((rows, *f.shape), dtype=f.dtype) for key, f in view.items() if f.ragged is None},
            }
        for key, size in ragged.items():
            if key not in buffers or len(buffers[key]) < size:
                buffers[key] = np.zeros(size + size // 2, dtype=view[key].dtype)
        return buffers

    def asks(self, name: str, rows: int, **ragged: int) -> Asks:
        """The question as written in the first `rows` rows of its room (`ragged`: values written)."""
        buffers = self._buffers[name]
        question = self.questions[name]
        view = {key: buffers[key][:rows] for key in question.view}
        for key in question.ragged:
            view[key] = buffers[key][: ragged[key]]
        return Asks(question, buffers["match"][:rows], buffers["seat"][:rows], buffers["body"][:rows], view)


Turn = Generator[Asks, Answers, None]


class Wire(Protocol):
    """How one bot is spoken to in one match: bytes in and out, no I/O (see `koth.bots.wires`)."""


@dataclass(frozen=True)
class Convention:
    """How the statement runs a contest: used where `koth run` is not told otherwise.

    `aggregate` turns a bot's scores into its standing: "median", "mean", "sum", or "wins" (scores are 1 or 0).
    `table` is the number of seats of a match when not all bots play in one. From `blocks` independent
    games on (at tables: one table, played from every seat) 95 % intervals hold, as `benchmarks/coverage.py` found
    with the game's own scores; 0: as many as any scores need.
    """

    games: int
    aggregate: str
    table: int | None = None
    blocks: int = 0


@dataclass(frozen=True)
class Budgets:
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
    wires: Mapping[str, Callable[..., Any]]
    """Ways to talk to a bot, by name: see `koth.bots.wires`."""
    convention: Convention
    budgets: Budgets
    reserved_names: frozenset[str]
    """Names that no bot may have."""
    field: Sequence[str]
    """The default field: names of sample bots, the same on every machine."""

    def questions(self, settings: Any, seats: int) -> Mapping[str, Question]:
        """Every question a match can ask, by name."""

    def start(self, settings: Any, seats: int, seeds: Sequence[int]) -> State:
        """A batch of new matches, one per seed (integers in [0, 2**63)).

        Raises SettingsError when the settings can't be played with so many seats.
        """

    def facts(self, settings: Any, state: State, match: int, seat: int) -> dict[str, Any]:
        """What one bot is told once, before any question, as JSON."""

    def opening(self, settings: Any, state: State, views: Views) -> Turn:
        """Questions before turn 1 (most games: none)."""

    def turn(self, settings: Any, state: State, views: Views) -> Turn:
        """One turn of every match that is not over."""

    def over(self, state: State) -> Array:
        """bool[matches]"""

    def scores(self, settings: Any, state: State) -> Array:
        """float64[matches, seats]: each seat's score so far."""

    def extra_scores(self, settings: Any, state: State, match: int) -> dict[str, float]:
        """Scores of who is not a bot (prey, for instance), by name."""

    def frame(self, settings: Any, state: State, match: int) -> dict[str, Any]:
        """Everything there is to see, for replays and pictures: JSON values and arrays of integers."""

    def parse(self, text: str, settings: Any) -> State:
        """A state of one match from the game's text notation. Raises ValueError with the line."""

    def show(self, settings: Any, state: State, match: int) -> str:
        """The text notation of one match."""

    def scratch(self) -> frozenset[str]:
        """State fields that only hold values within a turn or follow from the others."""


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


class _Pending(NamedTuple):
    """What a copy in mid-turn needs: the state at the turn's start and the answers since."""

    state: State
    answers: list[Answers]


class Batch:
    """Matches of one game, played in lockstep: ask, answer, until all are over.

        batch = Batch(game, settings, seats=4, seeds=[1, 2, 3])
        while batch.asks is not None:
            batch.answer(policy(batch.asks))

    A new batch is at its start: rules are played from the first look at `asks` on. `turn` counts finished turns.
    With `copies=True` the state at each turn's start is kept, so that `copy` works in mid-turn.
    """

    _first: Callable[[Any, State, Views], Turn] | None
    """What is played first, until it has begun."""

    def __init__(self, game: Game, settings: Any, seats: int, seeds: Sequence[int], *, copies: bool = False) -> None:
        self._set(game, settings, seats, game.start(settings, seats, seeds), copies)
        self._first, self._opening = game.opening, True

    @classmethod
    def of_state(cls, game: Game, settings: Any, seats: int, state: State, *, copies: bool = False) -> Batch:
        """Go on from a state between two turns (it is used as it is, not copied)."""
        batch = cls.__new__(cls)
        batch._set(game, settings, seats, state, copies)
        if not game.over(state).all():
            batch._first = game.turn
        return batch

    def _set(self, game: Game, settings: Any, seats: int, state: State, copies: bool) -> None:
        self.game = game
        self.settings = settings
        self.seats = seats
        self.state = state
        self.views = Views(game.questions(settings, seats), len(state[0]))
        self.turn = 0
        self.on_turn: Callable[[], None] | None = None
        """Called after every finished turn (and after an opening that asked), while the state is between turns."""
        self._asks: Asks | None = None
        self._first = None
        self._copies = copies
        self._pending: _Pending | None = None
        self._opening = False
        self._asked = False

    @property
    def matches(self) -> int:
        return len(self.state[0])

    @property
    def asks(self) -> Asks | None:
        """The question now open, None when every match is over; the first look plays up to the first question."""
        if self._first is not None:
            first, self._first = self._first, None
            self._hold(first(self.settings, self.state, self.views), self._opening)
            self._resume(None)
        return self._asks

    def _hold(self, generator: Turn, opening: bool) -> None:
        """Keep a turn that is about to begin, and what a copy of it needs."""
        self._generator = generator
        self._opening = opening
        self._asked = False
        if self._copies:
            self._pending = _Pending(copy_state(self.state), [])

    def _resume(self, answers: Answers | None) -> None:
        """Go on to the next question that somebody has to answer, or to the end."""
        while True:
            try:
                asks = next(self._generator) if answers is None else self._generator.send(answers)
                while not len(asks):
                    asks = self._generator.send(no_answers(asks, self.nobody_gone()))
                self._asks = asks
                self._asked = True
                return
            except StopIteration:
                self._asks = None
                self.turn += not self._opening
                if self.on_turn is not None and (self._asked or not self._opening):
                    self.on_turn()
                over = self.game.over(self.state)
                if over[0] and over.all():
                    return
                self._hold(self.game.turn(self.settings, self.state, self.views), False)
                answers = None

    def nobody_gone(self) -> Array:
        """bool[matches, seats], all False."""
        return np.zeros((self.matches, self.seats), dtype=np.bool_)

    def answer(self, answers: Answers) -> None:
        """Answer the open question and go on to the next one. Raises RuntimeError when every match is over."""
        if self.asks is None:
            raise RuntimeError("every match is over: nothing is asked")
        if self._pending is not None:
            self._pending.answers.append(answers)
        self._resume(answers)

    def copy(self) -> Batch:
        """An independent batch at the same point; needs `copies=True`.

        Raises RuntimeError when the batch does not keep what a copy in mid-turn needs.
        """
        if not self._copies:
            raise RuntimeError("this batch can't be copied: make it with copies=True")
        middle = self._pending if self._asks is not None else None
        other = Batch.__new__(Batch)
        state = self.state if middle is None else middle.state
        other._set(self.game, self.settings, self.seats, copy_state(state), True)
        other.turn, other._opening, other._first = self.turn, self._opening, self._first
        if middle is not None:
            other._first = self.game.opening if self._opening else self.game.turn
            for answers in middle.answers:
                other.answer(answers)
        return other

    def reset(self, matches: Sequence[int], seeds: Sequence[int]) -> None:
        """Start new matches in the places of finished ones, leaving the others untouched.

        Call it from `on_turn`, where the state is between turns. (A game whose opening asks questions
        can't be reset in place: its new matches would miss them.)
        """
        fresh = self.game.start(self.settings, self.seats, seeds)
        for array, new in zip(self.state, fresh, strict=True):
            array[np.asarray(matches)] = new
