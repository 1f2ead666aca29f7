"""The buffers to which observations are written."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from koth.errors import KothError, choices
from koth.question import Array, Observations, Question, RowIndex

PORTION = 1 << 23
"""The largest size in bytes of one portion's observations, if a game asks its matches in portions."""
UNLIMITED = sys.maxsize
"""The size of a portion that contains all matches."""
SMALL = 100
"""The largest number of rows of reused `Observations`: single matches often ask the same few rows."""


class Buffers:
    """The buffers of a batch's observations, reused from turn to turn.

    If a game asks its matches in portions, the observations of one portion take at most `portion` bytes. Fields in
    `boards`, by question, are parts of boards that koth does not copy: they have no rows, and the caller reads them
    from the game's boards (`Observations.boards`).

    Raises ValueError for a field in `boards` that is not declared with `Field.on_board`.
    """

    def __init__(
        self,
        questions: Mapping[str, Question],
        matches: int,
        *,
        portion: int = PORTION,
        boards: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        self.questions = questions
        self.matches = matches
        self.turn = 0
        """The number of the turn that is being played, from 1; 0 in an opening."""
        self.boards = boards or {}
        for name, fields in self.boards.items():
            for key in fields:
                # A kernel that does not expect an empty array would write beyond it.
                if (
                    name not in questions
                    or key not in questions[name].observation
                    or not questions[name].observation[key].on_board
                ):
                    raise ValueError(
                        f"{name}.{key} is not a field with on_board (there are: {_on_boards(questions)})"
                    )
        self._bytes = portion
        self._arrays: dict[str, tuple[RowIndex, Any]] = {}
        self._portions: dict[str, int] = {}
        self._small: dict[tuple[str, int], Observations] = {}
        """Observations of few rows, by question and number of rows: only their values change."""

    def with_own_arrays(self) -> Buffers:
        """Return buffers for the same questions with new arrays."""
        return Buffers(self.questions, self.matches, portion=self._bytes, boards=self.boards)

    def portion(self, name: str) -> int:
        """Return the number of matches to ask at once; the next portion uses the same arrays.

        The observations of a portion fit into the processor's cache; a portion has at least one match.
        """
        if name not in self._portions:
            question = self._question(name)
            row = max(1, sum(f.size for f in question.observation.values()))
            self._portions[name] = min(self.matches, max(1, self._bytes // (row * question.max_rows)))
        return self._portions[name]

    def arrays(self, name: str, matches: int | None = None, **counted: int) -> tuple[RowIndex, Any]:
        """Return arrays for the most rows that the question can have in `matches` matches (default: all).

        The row index and the observation's fields are two arguments for a kernel. If fields are ragged, `counted`
        gives the number of values by the name of the counting field: `index, observation = arrays("move", parts=90)`.
        Raises ValueError if a count is missing, or given for a field that counts nothing.
        """
        arrays = self._arrays.get(name)
        if arrays is None:
            arrays = self._arrays[name] = self._make(name, self.matches if matches is None else matches)
        sizes = self._sizes(name, counted)
        if not sizes:
            return arrays
        index, observation = arrays
        short = {key: size for key, size in sizes.items() if len(getattr(observation, key)) < size}
        if short:
            fields = self.questions[name].observation
            grown = {key: np.zeros(size + size // 2, dtype=fields[key].dtype) for key, size in short.items()}
            observation = observation._replace(**grown)
            arrays = self._arrays[name] = index, observation
        return arrays

    def _question(self, name: str) -> Question:
        if name not in self.questions:
            raise KothError(
                f"`turn` asks {name!r}, which `questions` does not declare{choices(name, self.questions)}"
            )
        return self.questions[name]

    def _make(self, name: str, matches: int) -> tuple[RowIndex, Any]:
        question = self._question(name)
        rows = question.max_rows * matches
        index = RowIndex(*(np.zeros(rows, np.int32) for _ in RowIndex._fields))
        unwritten = self.boards.get(name, ())
        arrays = {
            key: np.zeros((0 if f.ragged or key in unwritten else rows, *f.shape), f.dtype)
            for key, f in question.observation.items()
        }
        return index, question.observation_type(**arrays)

    def _sizes(self, name: str, counted: Mapping[str, int]) -> dict[str, int]:
        """Return the number of values of each ragged field of the question."""
        question = self.questions[name]
        if counted.keys() != question.counts:
            wanted, actual = (", ".join(sorted(some)) or "nothing" for some in (question.counts, counted))
            raise ValueError(f"{name}: give counts for {wanted}, not for {actual}")
        return {key: counted[counts] for key, counts in question.ragged.items()} if counted else {}

    def observations(
        self, name: str, rows: int, boards: Mapping[str, Array] | None = None, /, **counted: int
    ) -> Observations:
        """Return the observations in the first `rows` rows of the arrays (`counted`: values written, as in `arrays`).

        `boards` are the boards whose parts are the fields with `on_board`; kernels get empty arrays for fields that
        the caller reads from `boards`.
        """
        if name not in self._arrays:
            raise KothError(f"call buffers.arrays({name!r}) before buffers.observations({name!r})")
        arrays = index, observation = self._arrays[name]
        known = self._small.get((name, rows))
        if known is not None and known.buffers is arrays and not counted:
            return known
        boards = self._boards(name, boards) if self.boards else {}
        fields = {key: array[:rows] for key, array in zip(observation._fields, observation, strict=True)}
        for key, size in self._sizes(name, counted).items():
            fields[key] = getattr(observation, key)[:size]
        observations = Observations(
            self.questions[name], index.match[:rows], index.seat[:rows], index.unit[:rows], fields, boards
        )
        observations.buffers = arrays
        if rows <= SMALL and not counted and not boards:
            self._small[name, rows] = observations
        return observations

    def _boards(self, name: str, boards: Mapping[str, Array] | None) -> Mapping[str, Array]:
        """Return the boards that the caller reads in place of fields."""
        found: dict[str, Array] = {}
        for key in self.boards.get(name, ()):
            if boards is None or key not in boards:
                raise ValueError(f"{name}.{key} is not a field with on_board")
            found[key] = boards[key]
        return found


def _on_boards(questions: Mapping[str, Question]) -> str:
    found = [
        f"{name}.{key}"
        for name, question in questions.items()
        for key, f in question.observation.items()
        if f.on_board
    ]
    return ", ".join(found) or "none"
