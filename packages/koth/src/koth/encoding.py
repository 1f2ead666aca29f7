"""Encodings of questions and answers in fixed shapes, for learning: observations, actions, and masks.

An encoding follows from the declarations of questions. A game whose arrays are not suitable for learning (ragged
lists, identity numbers) has a module `learn` with an `Encoding` of its own. Contests do not import this.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import prod
from typing import Any, NamedTuple

import numpy as np

from koth.errors import KothError
from koth.game import Array, Field, Observations, Question
from koth.kernel import kernel

MOST_CHOICES = 4096
"""The largest number of values that one action can have."""


class Head(NamedTuple):
    """The position of one answer field among an agent's actions.

    Actions `first` to `last` (excluded) are the field's values, each one of `choices` values from `low` on; `default`
    is the choice that stands for no answer.
    """

    question: str
    field: str
    first: int
    last: int
    choices: int
    low: int
    default: int


class Encoding:
    """Observations and actions of agents in a number of matches of one game, as the game's questions declare them.

    `match_info` is what bots receive at the start: an encoding depends only on `match_info` and the questions, so a
    bot can use one, too. `observations` declares an agent's arrays, `choices` the number of values of each of its
    actions. An agent answers `steps`; `script` answers other questions. Ragged fields are cut or padded with 0 to
    `longest` values. Raises KothError for an answer that is a list, and if an answer's values are
    too many or not integers.
    """

    boards: Mapping[str, Collection[str]] = {}
    """Fields of questions that an encoding reads from boards where possible (`Observations.boards`), in the shown
    parts only.
    """

    def __init__(
        self, match_info: Mapping[str, Any], questions: Mapping[str, Question], matches: int, *, longest: int = 64
    ) -> None:
        self.longest = longest
        self.questions = questions
        self.steps = self._steps()
        self.observations: Mapping[str, Field] = self._observations()
        self.heads = self._heads()
        self.choices = tuple(head.choices for head in self.heads for _ in range(head.first, head.last))
        self.places = tuple(np.cumsum((0, *self.choices)).tolist())
        """The bounds of each action's choices in a mask."""

    def _steps(self) -> tuple[str, ...]:
        return tuple(self.questions)

    def _observations(self) -> Mapping[str, Field]:
        """Return the fields of all steps by name; with several steps, the question's name is a prefix."""
        found = {}
        for step in self.steps:
            for name, spec in self.questions[step].observation.items():
                low, high = spec.bounds
                shape = spec.shape
                if spec.ragged:  # no longer than the bound of its counting field
                    shape = (int(min(self.longest, self.questions[step].observation[spec.ragged].bounds[1])),)
                found[self._key(step, name)] = Field(
                    spec.dtype, shape, low=min(0, low), high=max(0, high), doc=spec.doc
                )
        return found

    def _key(self, step: str, name: str) -> str:
        return name if len(self.steps) == 1 else f"{step}.{name}"

    def _heads(self) -> tuple[Head, ...]:
        heads: list[Head] = []
        for step in self.steps:
            for name, spec in self.questions[step].answer.items():
                low, high = spec.bounds
                if spec.ragged is not None:
                    words = "is a list, and an agent has a fixed number of actions: write a learn.py for the game"
                    raise KothError(f"{step}.{name} {words}")
                if spec.kind == "f" or high - low >= MOST_CHOICES:
                    raise KothError(f"{step}.{name} has too many values for an action: write a learn.py for the game")
                first = heads[-1].last if heads else 0
                last = first + prod(spec.shape)
                bounds = int(high - low) + 1, int(low), int(spec.default - low)
                heads.append(Head(step, name, first, last, *bounds))
        return tuple(heads)

    def begin(self, match: int, match_info: Mapping[str, Any]) -> None:
        """Begin a new match at this index; store only match info that all bots share."""

    def observe(self, observations: Observations, rows: Array, out: Mapping[str, Array]) -> None:
        """Write the observation of each row of a step: `rows[i]` is its index in the arrays of `out`."""
        step = observations.question.name
        for name, spec in observations.question.observation.items():
            array = out[self._key(step, name)]
            if spec.ragged is None:
                array[rows] = observations.fields[name]
            else:
                fill_up(observations.fields[name], observations.fields[spec.ragged], rows, array)

    def possible(self, observations: Observations, rows: Array, mask: Array) -> None:
        """Write each row's legal choices to `mask[rows]`; actions of other steps get only their default."""
        question = observations.question
        for head in self.heads:
            asked, actions, place = head.question == question.name, head.last - head.first, self.places[head.first]
            if asked and (spec := question.answer[head.field]).legal:
                legal = spec.legal_truths(observations.fields)
                truths = legal.reshape(len(legal), prod(legal.shape[1:]))
                write_legal(truths, rows, actions, head.choices, head.default, place, mask)
            else:
                line = np.full(head.choices, asked)
                line[head.default] = True
                mask[rows, place : place + actions * head.choices] = np.tile(line, actions)

    def look(self, observations: Observations, rows: Array, out: Mapping[str, Array], mask: Array) -> None:
        """Write observations and masks together, for encodings that compute both in one pass."""
        self.observe(observations, rows, out)
        self.possible(observations, rows, mask)

    def answer(self, observations: Observations, actions: Array, fields: Mapping[str, Array]) -> None:
        """Write the answer to a step; `actions` is int64[rows, actions]."""
        for head in self.heads:
            if head.question == observations.question.name:
                field = fields[head.field]
                field[...] = (actions[:, head.first : head.last] + head.low).reshape(field.shape)

    def read(self, observations: Observations, fields: Mapping[str, Array], actions: Array) -> None:
        """Write to `actions` (int64[rows, actions]) the actions that correspond to an answer.

        This is the inverse of `answer`. Actions of other steps get their defaults, a row without corresponding
        actions -1.
        """
        for head in self.heads:
            part = actions[:, head.first : head.last]
            part[...] = head.default
            if head.question == observations.question.name:
                part[...] = fields[head.field].reshape(part.shape).astype(np.int64) - head.low
                part[((part < 0) | (part >= head.choices)).any(axis=1)] = -1

    def script(self, observations: Observations, actions: Array, fields: Mapping[str, Array]) -> None:
        """Answer a question that is not a step, given agents' last actions. Fields hold the defaults."""

    def read_script(self, observations: Observations, fields: Mapping[str, Array], actions: Array) -> None:
        """Correct each row's last actions (int64[rows, actions]) by its answer to a question that is not a step."""


@kernel
def write_legal(legal: Array, rows: Array, actions: int, choices: int, default: int, place: int, mask: Array) -> None:
    """Write legal choices of some actions to the mask; for an action that has none, the default.

    The flags of `legal[row]` are in groups of equal size, one group per action.
    """
    each = actions * choices // legal.shape[1]
    for i in range(rows.size):
        truths, out, truth, left = legal[i], mask[rows[i]], 0, each
        for first in range(place, place + actions * choices, choices):
            anything = False
            for k in range(first, first + choices):
                out[k] = truths[truth]
                anything |= truths[truth]
                left -= 1
                if left == 0:
                    truth, left = truth + 1, each
            if not anything:
                out[first + default] = True


@kernel
def fill_up(values: Array, counts: Array, rows: Array, out: Array) -> None:
    """Write ragged values as rows of one length: cut, or padded with 0."""
    start = 0
    for i in range(rows.size):
        row = out[rows[i]]
        for k in range(row.size):
            row[k] = values[start + k] if k < counts[i] else 0
        start += counts[i]
