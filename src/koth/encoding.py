"""Questions and answers in fixed shapes, for learning: observations, choices, and which of them are possible.

Everything here follows from what a question declares. A game whose arrays can't be learnt from as they are (ragged
lists, identity numbers) has a module `learn` with an `Encoding` of its own. No host of contests imports this.
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
"""An answer's value with more choices than that is not one to learn as it is."""


class Head(NamedTuple):
    """The numbers of one answer field among an agent's actions.

    Actions `first` to `last` (excluded) are the field's values, each one of `choices` from `low` on; `default` are
    the choices that stand for no answer.
    """

    question: str
    field: str
    first: int
    last: int
    choices: int
    low: int
    default: int


class Encoding:
    """What agents observe and may do in so many matches of one game, as its questions declare it.

    `match_info` are what bots are told at the start: an encoding is made of them and of what is asked, so a bot can
    be made of it, too. `observations` declares an agent's arrays, `choices` how many values each of its actions can
    take. An agent is asked `steps`; other questions are answered by `script`. Ragged fields are cut or filled up
    with 0 to `longest` values. Raises KothError where an answer's values are not declared, too many, or no whole
    numbers.
    """

    boards: Mapping[str, Collection[str]] = {}
    """Fields of questions that it takes from boards where it can (`Observations.boards`): no more of these than is
    shown."""

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
        """Where each action's choices begin in a mask, and where the last one's end."""

    def _steps(self) -> tuple[str, ...]:
        """The questions that are agents' own."""
        return tuple(self.questions)

    def _observations(self) -> Mapping[str, Field]:
        """Every field of every step; with its question's name where there are several."""
        found = {}
        for step in self.steps:
            for name, spec in self.questions[step].observation.items():
                low, high = spec.bounds
                shape = spec.shape
                if spec.ragged:  # no longer than its counting field can say
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
                if spec.kind == "f" or high - low >= MOST_CHOICES:
                    raise KothError(
                        f"{step}.{name} has too many values to choose from: the game needs a learn.py of its own"
                    )
                first = heads[-1].last if heads else 0
                last = first + prod(spec.shape)
                bounds = int(high - low) + 1, int(low), int(spec.default - low)
                heads.append(Head(step, name, first, last, *bounds))
        return tuple(heads)

    def begin(self, match: int, match_info: Mapping[str, Any]) -> None:
        """A new match begins in this place: what all its bots are told may be kept (nothing that is one's own)."""

    def observe(self, observations: Observations, rows: Array, out: Mapping[str, Array]) -> None:
        """Write what each row of a step is shown: `rows[i]` is its place in the arrays of `out`."""
        step = observations.question.name
        for name, spec in observations.question.observation.items():
            array = out[self._key(step, name)]
            if spec.ragged is None:
                array[rows] = observations.fields[name]
            else:
                fill_up(observations.fields[name], observations.fields[spec.ragged], rows, array)

    def possible(self, observations: Observations, rows: Array, mask: Array) -> None:
        """Write which choices are possible, in `mask[rows]`: legal ones, of other steps the default."""
        mask[rows] = self._mask_of(observations.question.name)
        question = observations.question
        for head in self.heads:
            if head.question == question.name and question.answer[head.field].legal:
                legal = (
                    observations.fields[question.answer[head.field].legal].reshape(len(rows), -1, head.choices).copy()
                )
                legal[~legal.any(-1), head.default] = True
                mask[rows, self.places[head.first] : self.places[head.last]] = legal.reshape(len(rows), -1)

    def look(self, observations: Observations, rows: Array, out: Mapping[str, Array], mask: Array) -> None:
        """Both at once, for an encoding that does well to look but once."""
        self.observe(observations, rows, out)
        self.possible(observations, rows, mask)

    def _mask_of(self, step: str) -> Array:
        line = np.zeros(self.places[-1], np.bool_)
        for head in self.heads:
            for action in range(head.first, head.last):
                start = self.places[action]
                line[start : self.places[action + 1]] = head.question == step
                line[start + head.default] = True
        return line

    def answer(self, observations: Observations, actions: Array, fields: Mapping[str, Array]) -> None:
        """Write the answer to a step; `actions` is int64[rows, actions]."""
        for head in self.heads:
            if head.question == observations.question.name:
                field = fields[head.field]
                field[...] = (actions[:, head.first : head.last] + head.low).reshape(field.shape)

    def read(self, observations: Observations, fields: Mapping[str, Array], actions: Array) -> None:
        """Write the actions that an answer to a step stands for to `actions`, int64[rows, actions].

        The inverse of `answer`. Actions of other steps are their defaults; a row that no actions stand for is -1.
        """
        for head in self.heads:
            part = actions[:, head.first : head.last]
            part[...] = head.default
            if head.question == observations.question.name:
                part[...] = fields[head.field].reshape(part.shape).astype(np.int64) - head.low
                part[((part < 0) | (part >= head.choices)).any(axis=1)] = -1

    def script(self, observations: Observations, actions: Array, fields: Mapping[str, Array]) -> None:
        """Answer a question that is no step, for agents whose last actions were these. Fields hold the defaults."""

    def read_script(self, observations: Observations, fields: Mapping[str, Array], actions: Array) -> None:
        """Correct each row's last actions (int64[rows, actions]) by its answer to a question that is no step."""


@kernel
def fill_up(values: Array, counts: Array, rows: Array, out: Array) -> None:
    """Write ragged values as rows of one length: cut, or filled up with 0."""
    start = 0
    for i in range(rows.size):
        row = out[rows[i]]
        for k in range(row.size):
            row[k] = values[start + k] if k < counts[i] else 0
        start += counts[i]
