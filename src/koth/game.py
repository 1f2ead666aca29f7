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
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from koth.errors import SettingsError as SettingsError  # games raise it, and import it from here
from koth.question import FAULT as FAULT  # all that a game needs of questions is found here too
from koth.question import FAULTS as FAULTS
from koth.question import Agents as Agents
from koth.question import Answers as Answers
from koth.question import Array as Array
from koth.question import Asks as Asks
from koth.question import Field as Field
from koth.question import Question as Question
from koth.question import Who as Who
from koth.question import default_answers as default_answers
from koth.question import no_answers as no_answers
from koth.views import PORTION
from koth.views import Views as Views

State = Any
"""A NamedTuple of arrays of the game's own; every array has the match as its first axis."""

Turn = Generator[Asks, Answers, None]


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
class Convention:
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

    def parse(self, text: str, settings: Any) -> State:
        """A state of one match from the game's text notation. Raises ValueError with the line."""

    def show(self, settings: Any, state: State, match: int) -> str:
        """The text notation of one match."""

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


class _Newcomers(NamedTuple):
    """Matches that start anew in the places of finished ones: where, and their states before the opening."""

    places: Array
    state: State


class _Pending(NamedTuple):
    """What a copy in mid-turn needs: the state at the turn's start, who comes anew, and the answers since."""

    state: State
    newcomers: list[_Newcomers]
    answers: list[Answers]


class Batch:
    """Matches of one game, played in lockstep: ask, answer, until all are over.

        batch = Batch(game, settings, seats=4, seeds=[1, 2, 3])
        while batch.asks is not None:
            batch.answer(policy(batch.asks))

    A new batch is at its start: rules are played from the first look at `asks` on. `turn` counts finished turns.
    With `copies=True` the state at each turn's start is kept, so that `copy` works in mid-turn. With `whole=True`
    all matches are asked at the same time, where a game would rather ask in portions (of `portion` bytes).
    `buffers` are the caller's own arrays to write questions in, `boards` what need not be written (see `Views`).
    """

    def __init__(
        self,
        game: Game,
        settings: Any,
        seats: int,
        seeds: Sequence[int],
        *,
        copies: bool = False,
        whole: bool = False,
        portion: int = PORTION,
        buffers: Mapping[str, Mapping[str, Array]] | None = None,
        boards: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        told = game.questions(settings, seats), len(seeds)
        views = Views(*told, whole=whole, portion=portion, buffers=buffers, boards=boards)
        self._set(game, settings, seats, game.start(settings, seats, seeds), views, copies, new=True)

    def anew(self, seeds: Sequence[int]) -> Batch:
        """As many new matches, which are asked with the same arrays: this batch is not to be used any more.

        Raises ValueError for more or fewer seeds than there are matches.
        """
        if len(seeds) != self.matches:
            raise ValueError(f"{len(seeds)} seeds for the arrays of {self.matches} matches")
        other = Batch.__new__(Batch)
        state = self.game.start(self.settings, self.seats, seeds)
        other._set(self.game, self.settings, self.seats, state, self.views, self._copies, new=True)
        return other

    @classmethod
    def of_state(cls, game: Game, settings: Any, seats: int, state: State, *, copies: bool = False) -> Batch:
        """Go on from a state between two turns (it is used as it is, not copied)."""
        batch = cls.__new__(cls)
        batch._set(game, settings, seats, state, Views(game.questions(settings, seats), len(state[0])), copies)
        batch._ahead = not game.over(state).all()
        return batch

    def _set(
        self, game: Game, settings: Any, seats: int, state: State, views: Views, copies: bool, new: bool = False
    ) -> None:
        self.game = game
        self.settings = settings
        self.seats = seats
        self.state = state
        self.views = views
        self.turn = 0
        self.most: int | None = None
        """After so many turns nothing more is asked, whatever the rules say."""
        self.on_turn: Callable[[], None] | None = None
        """Called after every finished turn (and after an opening that asked), while the state is between turns."""
        self._ahead = new  # a turn, or the opening, is to be begun at the first look
        self._opening = new  # it is the opening
        self._asks: Asks | None = None
        self._asked = False
        self._newcomers: list[_Newcomers] = []
        self._copies = copies
        self._pending: _Pending | None = None

    @property
    def matches(self) -> int:
        return len(self.state[0])

    @property
    def asks(self) -> Asks | None:
        """The question now open, None when every match is over; the first look plays up to the first question."""
        if self._ahead:
            self._ahead = False
            self._begin(self._opening)
            self._resume(None)
        return self._asks

    def _begin(self, opening: bool) -> None:
        """Begin the opening, or a turn with the openings of those that come anew; keep what a copy needs."""
        newcomers, self._newcomers = self._newcomers, []
        self._opening = opening
        self._asked = False
        if self._copies:
            self._pending = _Pending(copy_state(self.state), _copy_newcomers(newcomers), [])
        self._generator = self._round(newcomers)

    def _round(self, newcomers: list[_Newcomers]) -> Turn:
        if self._opening:
            return self.game.opening(self.settings, self.state, self.views)
        turn = self.game.turn(self.settings, self.state, self.views)
        return chain(newcomers, turn, self._open) if newcomers else turn

    def _open(self, newcomers: _Newcomers) -> Turn:
        """The opening of matches that take the places of finished ones, asked as of these."""
        places, fresh = newcomers
        views = Views(self.views.questions, len(places))
        opening = self.game.opening(self.settings, fresh, views)
        answers: Answers | None = None
        while True:
            try:
                asks = next(opening) if answers is None else opening.send(answers)
            except StopIteration:
                break
            said = yield Asks(asks.question, places[asks.match], asks.seat, asks.body, asks.view)
            answers = Answers(said.fields, said.fault, said.gone[places], said.notes, said.drawn)
        self._put(places, fresh)

    def _put(self, places: Array, fresh: State) -> None:
        for array, new in zip(self.state, fresh, strict=True):
            array[places] = new

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
                if (over[0] and over.all()) or (self.turn == self.most and not self._opening):
                    return
                self._begin(False)
                answers = None

    def nobody_gone(self) -> Array:
        """bool[matches, seats], all False."""
        return np.zeros((self.matches, self.seats), dtype=np.bool_)

    def answer(self, answers: Answers) -> None:
        """Answer the open question and go on to the next one.

        Raises RuntimeError when every match is over, ValueError for a `gone` that is not bool[matches, seats] and for
        fields that are not as the question declares them, a row for each that is asked.
        """
        asks = self.asks
        if asks is None:
            raise RuntimeError("every match is over: nothing is asked")
        if answers.gone.shape != (self.matches, self.seats):
            wanted = (self.matches, self.seats)
            raise ValueError(f"gone: its shape is {answers.gone.shape}, not {wanted}: matches and seats")
        rows, fields = len(asks.body), answers.fields
        for name, default in asks.question.defaults.items():
            values = fields[name]
            # Shapes are compared only where there is more than rows: it would be felt where a match plays alone.
            is_same = values.dtype == default.dtype and values.ndim == default.ndim and len(values) == rows
            if not is_same or (values.ndim > 1 and values.shape[1:] != default.shape[1:]):
                wanted = rows, *default.shape[1:]
                raise ValueError(f"{name} is {values.dtype}{values.shape}, not {default.dtype}{wanted}")
        if self._pending is not None:
            self._pending.answers.append(answers)
        self._resume(answers)

    def copy(self) -> Batch:
        """An independent batch at the same point, with buffers of its own; needs `copies=True`.

        Raises RuntimeError when the batch does not keep what a copy in mid-turn needs.
        """
        if not self._copies:
            raise RuntimeError("this batch can't be copied: make it with copies=True")
        middle = self._pending if self._asks is not None else None
        other = Batch.__new__(Batch)
        state = self.state if middle is None else middle.state
        other._set(self.game, self.settings, self.seats, copy_state(state), self.views.anew(), True)
        other.turn, other.most, other._opening, other._ahead = self.turn, self.most, self._opening, self._ahead
        if middle is not None:
            other._ahead, other._newcomers = True, _copy_newcomers(middle.newcomers)
            for answers in middle.answers:
                other.answer(answers)
        return other

    def reset(self, matches: Sequence[int] | Array, seeds: Sequence[int]) -> None:
        """Start new matches in the places of finished ones, leaving the others untouched.

        Call it from `on_turn`, where the state is between turns. Where the game has an opening, the new matches
        are asked theirs before the next turn begins, the others waiting.
        """
        order = np.argsort(np.asarray(matches))
        places = np.asarray(matches)[order]
        fresh = self.game.start(self.settings, self.seats, [seeds[k] for k in order.tolist()])
        self._put(places, fresh)
        self._newcomers.append(_Newcomers(places, fresh))


def _copy_newcomers(newcomers: list[_Newcomers]) -> list[_Newcomers]:
    return [_Newcomers(places, copy_state(fresh)) for places, fresh in newcomers]


def chain(newcomers: list[_Newcomers], turn: Turn, opening: Callable[[_Newcomers], Turn]) -> Turn:
    """The openings of those who come anew, then the turn of all."""
    for some in newcomers:
        yield from opening(some)
    yield from turn
