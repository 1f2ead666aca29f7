"""Matches in lockstep: a batch asks questions and takes answers, turn by turn, until all its matches are over."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from koth.buffers import PORTION, Buffers
from koth.errors import KothError
from koth.game import Answers, Array, Game, Observations, State, Turn, copy_state, no_answers

MOST_UNASKED = 10_000
"""The number of turns in a row without a question at which a match counts as endless."""


class _Newcomers(NamedTuple):
    """New matches that replace finished ones: their indices, and their states before the opening."""

    places: Array
    state: State


class _Pending(NamedTuple):
    """The data for a copy within a turn: the state at the turn's start, new matches, and the answers of the turn."""

    state: State
    newcomers: list[_Newcomers]
    answers: list[Answers]


class Batch:
    """Matches of one game, played in lockstep.

        batch = Batch(game, settings, seats=4, seeds=[1, 2, 3])
        while batch.observations is not None:
            batch.answer(policy(batch.observations))

    A new batch has played nothing: the first access to `observations` plays up to the first question. `turn` counts
    finished turns. With `copies=True` the state at each turn's start is kept, so that `copy` works within a turn.
    `portion` and `boards` are passed to `Buffers`.
    """

    def __init__(
        self,
        game: Game,
        settings: Any,
        seats: int,
        seeds: Sequence[int],
        *,
        copies: bool = False,
        portion: int = PORTION,
        boards: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        questions = game.questions(settings, seats)
        buffers = Buffers(questions, len(seeds), portion=portion, boards=boards)
        self._set(game, settings, seats, game.initial_state(settings, seats, seeds), buffers, copies, new=True)

    def reset_all(self, seeds: Sequence[int]) -> Batch:
        """Return a batch of as many new matches in the same buffers; do not use this batch afterwards.

        Raises ValueError if the number of seeds is not the number of matches.
        """
        if len(seeds) != self.matches:
            raise ValueError(f"{len(seeds)} seeds for the arrays of {self.matches} matches")
        other = Batch.__new__(Batch)
        state = self.game.initial_state(self.settings, self.seats, seeds)
        other._set(self.game, self.settings, self.seats, state, self.buffers, self._copies, new=True)
        return other

    @classmethod
    def from_state(cls, game: Game, settings: Any, seats: int, state: State) -> Batch:
        """Make a batch that continues from a state between two turns; the state is not copied."""
        batch = cls.__new__(cls)
        batch._set(game, settings, seats, state, Buffers(game.questions(settings, seats), len(state[0])))
        batch._ahead = not game.over(state).all()
        return batch

    def _set(
        self,
        game: Game,
        settings: Any,
        seats: int,
        state: State,
        buffers: Buffers,
        copies: bool = False,
        new: bool = False,
    ) -> None:
        self.game = game
        self.settings = settings
        self.seats = seats
        self.state = state
        self.buffers = buffers
        self.turn = 0
        self.max_turns: int | None = None
        """The number of turns after which the batch ends, whatever the rules say."""
        self.on_turn: Callable[[], None] | None = None
        """A function called after every finished turn (and after an opening that asked), between turns."""
        self._ahead = new  # the first access to `observations` begins a turn, or the opening
        self._opening = new  # True during the opening
        self._observations: Observations | None = None
        self._asked = False
        self._unasked = 0  # turns in a row
        self._newcomers: list[_Newcomers] = []
        self._copies = copies
        self._pending: _Pending | None = None

    @property
    def matches(self) -> int:
        return len(self.state[0])

    def scores(self) -> list[float]:
        """Return each seat's score so far in the first match."""
        scores: list[float] = self.game.scores(self.settings, self.state)[0].tolist()
        return scores

    def can_ask(self, seat: int) -> bool:
        """Return whether the rules of the first match may still ask a seat."""
        of_seat = self.game.agents(self.settings, self.seats).seat == seat
        return bool(self.game.alive(self.settings, self.state)[0, of_seat].any())

    @property
    def observations(self) -> Observations | None:
        """The observations of the open question, None when every match is over.

        The first access plays up to the first question.
        """
        if self._ahead:
            self._ahead = False
            self._begin(self._opening)
            self._resume(None)
        return self._observations

    def _begin(self, opening: bool) -> None:
        """Begin the opening, or a turn with the openings of new matches; keep the data for copies."""
        newcomers, self._newcomers = self._newcomers, []
        self._opening = opening
        self._asked = False
        self.buffers.turn = 0 if opening else self.turn + 1
        if self._copies:
            copies = [_Newcomers(places, copy_state(fresh)) for places, fresh in newcomers]
            self._pending = _Pending(copy_state(self.state), copies, [])
        self._generator = self._make_turn(newcomers)

    def _make_turn(self, newcomers: list[_Newcomers]) -> Turn:
        if self._opening:
            return self.game.opening(self.settings, self.state, self.buffers)
        turn = self.game.turn(self.settings, self.state, self.buffers)
        return _chain_openings(newcomers, turn, self._play_opening) if newcomers else turn

    def _play_opening(self, newcomers: _Newcomers) -> Turn:
        """Play the opening of new matches; their questions have the indices of the matches that they replace."""
        places, fresh = newcomers
        buffers = Buffers(self.buffers.questions, len(places))
        opening = self.game.opening(self.settings, fresh, buffers)
        answers: Answers | None = None
        while True:
            try:
                observations = next(opening) if answers is None else opening.send(answers)
            except StopIteration:
                break
            reply = yield Observations(
                observations.question,
                places[observations.match],
                observations.seat,
                observations.unit,
                observations.fields,
            )
            answers = Answers(reply.fields, reply.fault, reply.gone[places], reply.notes, reply.drawn)
        self._write_matches(places, fresh)

    def _write_matches(self, places: Array, fresh: State) -> None:
        for array, new in zip(self.state, fresh, strict=True):
            array[places] = new

    def _resume(self, answers: Answers | None) -> None:
        """Play on to the next question with rows, or to the end. Raises KothError for an endless match."""
        while True:
            try:
                observations = next(self._generator) if answers is None else self._generator.send(answers)
                while not len(observations):
                    observations = self._generator.send(no_answers(observations, self.nobody_gone()))
                self._observations = observations
                self._asked = True
                return
            except StopIteration:
                self._observations = None
                self.turn += not self._opening
                if self.on_turn is not None and (self._asked or not self._opening):
                    self.on_turn()
                if self._is_over():
                    return
                self._count_unasked()
                self._begin(False)
                answers = None

    def _is_over(self) -> bool:
        """Return whether no turn follows: every match is over, or the maximum of turns is reached."""
        over = self.game.over(self.state)
        return bool(over[0] and over.all()) or (self.turn == self.max_turns and not self._opening)

    def _count_unasked(self) -> None:
        self._unasked = 0 if self._asked else self._unasked + 1
        if self._unasked >= MOST_UNASKED:
            where = f"the game {self.game.name}, turn {self.turn}"
            text = f"no bot was asked in {MOST_UNASKED:,} turns in a row, and the match is not over"
            raise KothError(f"{where}: {text}: let the rules end the match") from None

    def nobody_gone(self) -> Array:
        """Return bool[matches, seats], all False."""
        return np.zeros((self.matches, self.seats), dtype=np.bool_)

    def answer(self, answers: Answers) -> None:
        """Answer the open question and play on to the next question.

        Raises RuntimeError when every match is over, ValueError if `gone` is not bool[matches, seats], or if a
        field's dtype or shape (a row for each unit that is asked) differs from the question's declaration. The rules
        get counts of lists within their bounds, and the default in place of what lies beyond the count.
        """
        observations = self.observations
        if observations is None:
            raise RuntimeError("every match is over: there is no open question")
        if answers.gone.shape != (self.matches, self.seats):
            wanted = (self.matches, self.seats)
            raise ValueError(f"`gone` has the shape {answers.gone.shape}, not {wanted}: matches and seats")
        rows, fields = len(observations.unit), answers.fields
        for name, default in observations.question.defaults.items():
            values = fields[name]
            # Shapes are compared only if there is more than one axis, which saves time in single matches.
            is_same = values.dtype == default.dtype and values.ndim == default.ndim and len(values) == rows
            if not is_same or (values.ndim > 1 and values.shape[1:] != default.shape[1:]):
                wanted = rows, *default.shape[1:]
                raise ValueError(f"{name} is {values.dtype}{values.shape}, not {default.dtype}{wanted}")
        if observations.question.lists:
            answers = replace(answers, fields=observations.question.cut_lists(fields))
        if self._pending is not None:
            self._pending.answers.append(answers)
        self._resume(answers)

    def copy(self) -> Batch:
        """Return an independent batch at the same point, with its own buffers but without `on_turn`.

        Raises RuntimeError for a batch that was not made with `copies=True`.
        """
        return _restore(*self._capture(copy_state))

    def __deepcopy__(self, memo: object) -> Batch:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, self._capture(lambda state: state)

    def _capture(self, copy_of: Callable[[State], State]) -> tuple[Any, ...]:
        """Return the arguments of `_restore` for this point, with the batch's states as `copy_of` returns them."""
        if not self._copies:
            raise RuntimeError("this batch can't be copied: make it with copies=True")
        middle = self._pending if self._observations is not None else None
        state = self.state if middle is None else middle.state
        newcomers = self._newcomers if middle is None else middle.newcomers
        between = not self._ahead and middle is None  # in `on_turn`, or over
        counters = {"turn": self.turn, "max_turns": self.max_turns, "_unasked": self._unasked}
        begins = {
            "_opening": self._opening and not between,
            "_ahead": not (between and self._is_over()),
        }
        return (
            (self.game, self.settings, self.seats),
            copy_of(state),
            self.buffers.with_own_arrays(),
            [_Newcomers(places, copy_of(fresh)) for places, fresh in newcomers],
            {**counters, **begins},
            [] if middle is None else list(middle.answers),
        )

    def reset(self, matches: Sequence[int] | Array, seeds: Sequence[int]) -> None:
        """Replace finished matches by new matches, leaving other matches untouched.

        Call this method from `on_turn`, where the state is between turns. If the game has an opening, the new matches
        play the opening before the next turn begins, while the other matches wait.
        """
        order = np.argsort(np.asarray(matches))
        places = np.asarray(matches)[order]
        fresh = self.game.initial_state(self.settings, self.seats, [seeds[k] for k in order.tolist()])
        self._write_matches(places, fresh)
        self._newcomers.append(_Newcomers(places, fresh))


def _restore(
    played: tuple[Game, Any, int],
    state: State,
    buffers: Buffers,
    newcomers: list[_Newcomers],
    counters: Mapping[str, Any],
    answers: Sequence[Answers],
) -> Batch:
    """Return a batch at the point after these answers in a turn."""
    batch = Batch.__new__(Batch)
    batch._set(*played, state, buffers, copies=True)
    vars(batch).update(counters)
    batch._newcomers = newcomers
    for answer in answers:
        batch.answer(answer)
    return batch


def _chain_openings(newcomers: list[_Newcomers], turn: Turn, opening: Callable[[_Newcomers], Turn]) -> Turn:
    for some in newcomers:
        yield from opening(some)
    yield from turn
