"""Answers without a bot: drawn from the questions' declarations, or none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from koth.game import FAULT, FAULTS, Answers, Array, Observations, default_answers
from koth.rng import derive, word

Policy = Callable[[Observations], Answers]
"""A function that answers for all bots."""

SMALL = 12
"""The bound of most random integers: a game usually has few actions."""


class RandomAnswers:
    """A policy without knowledge of the game, which draws each answer from the question's fields.

    Values are legal where `Field.legal` says which are; other integers are mostly small, or values that the unit
    observes in a field of the same dtype. One value in sixteen is anything that the dtype can hold. With `wild=True`
    all values are drawn like this, rows carry faults, and bots die. A match gets the same answers in every batch:
    answers depend on the match's seed, on the number of questions asked so far, on seat and unit.
    """

    def __init__(self, seeds: Sequence[int], seats: int, *, wild: bool = False) -> None:
        self.keys = [derive(seed, "answers") for seed in seeds]
        self.wild = wild
        self.asked = [0] * len(self.keys)
        self.gone = np.zeros((len(self.keys), seats), dtype=np.bool_)

    def __call__(self, observations: Observations) -> Answers:
        for match in np.unique(observations.match):
            self.asked[match] += 1
        fields = default_answers(observations.question, len(observations))
        fault = np.zeros(len(observations), dtype=np.uint8)
        for row in range(len(observations)):
            fault[row] = self._fault(
                int(observations.match[row]), int(observations.seat[row]), int(observations.unit[row])
            )
            if not fault[row]:
                self._fill(observations, row, fields)
        return Answers(fields, fault, self.gone.copy())

    def _word(self, match: int, use: int, seat: int, unit: int, place: int = 0) -> int:
        return int(word(self.keys[match], self.asked[match], use, seat << 48 | unit << 16 | place))

    def _fault(self, match: int, seat: int, unit: int) -> int:
        if not self.wild:
            return 0
        if self._word(match, 0, seat, 0) % 64 == 0:
            self.gone[match, seat] = True
        if self.gone[match, seat]:
            return FAULT["crash"]
        roll = self._word(match, 1, seat, unit)
        return roll % len(FAULTS) if roll >> 30 == 0 else 0

    def _fill(self, observations: Observations, row: int, fields: dict[str, Array]) -> None:
        match, seat, unit = int(observations.match[row]), int(observations.seat[row]), int(observations.unit[row])
        for number, (name, array) in enumerate(fields.items(), 1):
            spec = observations.question.answer[name]
            seen = _distinct_values(observations, row, array.dtype)
            cells = array.reshape(len(observations), -1)[row]
            legal = spec.legal_values(observations.fields)[row].reshape(len(cells), -1) if spec.legal else None
            if spec.ragged is not None:
                cells = cells[: int(fields[spec.ragged][row]) * prod(spec.shape[1:])]
            for place in range(len(cells)):
                kind = self._word(match, 2 * number, seat, unit, place)
                value = self._word(match, 2 * number + 1, seat, unit, place)
                roll = 0 if self.wild else kind % 16
                if legal is not None and roll and legal[place].any():
                    choices = np.flatnonzero(legal[place])
                    cells[place] = choices[value % len(choices)] + int(spec.bounds[0])
                else:
                    cells[place] = _value(array.dtype, seen, roll, kind >> 8, value)


def _distinct_values(observations: Observations, row: int, dtype: np.dtype[Any]) -> Array:
    """Return the distinct values, without 0, that one row observes in fields of this dtype."""
    observation = observations.rows(row, row + 1).fields
    alike = [array.ravel() for array in observation.values() if array.dtype == dtype]
    values = np.unique(np.concatenate(alike)) if alike else np.zeros(0, dtype)
    seen: Array = values[values != 0]
    return seen


def _value(dtype: np.dtype[Any], seen: Array, roll: int, kind: int, value: int) -> Any:
    if dtype.kind == "b":
        return value & 1
    if dtype.kind == "f":
        if roll == 0:
            edges = (np.nan, np.inf, -np.inf, np.finfo(dtype).max, np.finfo(dtype).min, -0.0, -1.5)
            return edges[kind % len(edges)]
        return value % SMALL if roll < 8 else value * SMALL / 2**32
    if roll == 0:
        info = np.iinfo(dtype)
        low, high = int(info.min), int(info.max)
        return (low, high, low + (value * (high - low + 1) >> 32))[kind % 3]
    if len(seen) and roll < 12:
        return seen[value % len(seen)]
    return value % SMALL


class Silence:
    """A policy that never answers: defaults, each row with the fault "missing"; bots may be gone."""

    def __init__(self, seats: int, *, gone: bool = False) -> None:
        self.seats = seats
        self.gone = gone

    def __call__(self, observations: Observations) -> Answers:
        matches = int(observations.match.max()) + 1
        fault = np.full(len(observations), FAULT["crash" if self.gone else "missing"], dtype=np.uint8)
        gone = np.full((matches, self.seats), self.gone)
        return Answers(default_answers(observations.question, len(observations)), fault, gone)
