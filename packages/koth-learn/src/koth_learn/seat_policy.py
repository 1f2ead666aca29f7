"""A policy at one seat of a match: it observes through an encoding, and fills in answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from koth.question import Array, Observations


class SeatPolicy:
    """The encoding of one match and a policy on its arrays (`koth_learn.Policy`); `match_info` is the seat's own."""

    def __init__(self, match_info: Mapping[str, Any], encoding: Any, policy: Callable[..., Any]) -> None:
        self.encoding, self._policy = encoding, policy
        encoding.begin(0, match_info)
        most = max(question.max_rows for question in encoding.questions.values())
        self._shown = {
            name: np.zeros((most, *field.shape), field.dtype) for name, field in encoding.observations.items()
        }
        self._mask = np.zeros((most, encoding.places[-1]), np.bool_)
        self._actions = np.zeros((most, len(encoding.choices)), np.int64)
        self._places: dict[int, int] = {}

    def fill(self, observations: Observations, fields: Mapping[str, Array]) -> None:
        """Write the answers to a question of this seat; the fields hold the defaults."""
        rows = np.array([self._places.setdefault(unit, len(self._places)) for unit in observations.unit.tolist()])
        if observations.question.name not in self.encoding.steps:
            self.encoding.script(observations, self._actions[rows], fields)
            return
        self.encoding.look(observations, rows, self._shown, self._mask)
        shown = {name: array[rows] for name, array in self._shown.items()}
        self._actions[rows] = np.reshape(self._policy(shown, self._mask[rows]), (len(rows), -1))
        self.encoding.answer(observations, self._actions[rows], fields)
