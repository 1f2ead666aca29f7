"""The buffers in which questions are written."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from koth.question import Array, Field, Observations, Question, RowIndex

PORTION = 1 << 23
"""Bytes that a portion of a question shows at most, where a game asks its matches in portions."""
SMALL = 100
"""Rows up to which a question is put together once only: a match alone asks few at a time, and as many again."""


class Buffers:
    """The buffers that questions are written in, owned by whoever asks; reused from turn to turn.

    A portion shows at most `portion` bytes; with `whole`, nobody is asked in portions. `buffers` are a caller's
    own arrays, by question and field (`match`, `seat` and `body` too, if wanted): they are written in place of
    arrays of our own. Fields on `boards`, by question, are parts of boards that need not be written out: they have
    no rows, and who asks takes them from the game's boards (`Observations.boards`). Raises ValueError for a buffer
    that is too short, or not as its field says, and for a field on `boards` that is not declared so
    (`Field.on_board`).
    """

    def __init__(
        self,
        questions: Mapping[str, Question],
        matches: int,
        *,
        whole: bool = False,
        portion: int = PORTION,
        buffers: Mapping[str, Mapping[str, Array]] | None = None,
        boards: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        self.questions = questions
        self.matches = matches
        self.whole = whole
        self.boards = boards or {}
        for name, fields in self.boards.items():
            for key in fields:
                # A kernel that has no room for a field, and does not look, writes over somebody else's memory.
                if (
                    name not in questions
                    or key not in questions[name].observation
                    or not questions[name].observation[key].on_board
                ):
                    raise ValueError(f"{name}.{key} is on no board; on boards are {_on_boards(questions)}")
        self._bytes = portion
        self._given = buffers or {}
        self._arrays: dict[str, tuple[RowIndex, Any]] = {}
        self._portions: dict[str, int] = {}
        self._small: dict[tuple[str, int], Observations] = {}
        """Questions of few rows, by name and rows: nothing of them changes but their values."""

    def with_own_arrays(self) -> Buffers:
        """The same with arrays of its own."""
        return Buffers(self.questions, self.matches, whole=self.whole, portion=self._bytes, boards=self.boards)

    def portion(self, name: str) -> int:
        """How many matches are best asked at once, if the others are asked after them with the same arrays.

        As many as keep what is shown within the processor's cache, but one at least; all, where questions are
        wanted whole.
        """
        if name not in self._portions:
            question = self.questions[name]
            row = max(1, sum(f.size for f in question.observation.values()))
            several = max(1, self._bytes // (row * question.max_rows))
            self._portions[name] = self.matches if self.whole else min(self.matches, several)
        return self._portions[name]

    def arrays(self, name: str, matches: int | None = None, **counted: int) -> tuple[RowIndex, Any]:
        """Arrays for the most rows the question can have in so many matches (else in all that there are).

        Of whom it is asked, and what they are shown, field by field: two arguments for a kernel. Where fields are
        ragged, say how many values those must hold that a field counts: `who, shown = room("move", parts=90)`.
        Raises ValueError where that is not said, or said of what counts nothing.
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
            given = self._given.get(name, {})
            for key, size in short.items():
                if key in given:
                    raise ValueError(f"{name}.{key}: room for {len(given[key])} values, {size} are to be shown")
            fields = self.questions[name].observation
            grown = {key: np.zeros(size + size // 2, dtype=fields[key].dtype) for key, size in short.items()}
            observation = observation._replace(**grown)
            arrays = self._arrays[name] = index, observation
        return arrays

    def _make(self, name: str, matches: int) -> tuple[RowIndex, Any]:
        question, given = self.questions[name], self._given.get(name, {})
        rows = question.max_rows * matches
        one = Field("<i4")
        unknown = sorted(set(given) - set(question.observation) - set(RowIndex._fields))
        if unknown:
            raise ValueError(f"{name}: there is no field {', '.join(unknown)}")
        index = RowIndex(*(_buffer(f"{name}.{key}", one, rows, given.get(key)) for key in RowIndex._fields))
        unwritten = self.boards.get(name, ())
        if twice := sorted(set(given) & set(unwritten)):
            raise ValueError(f"{name}: {', '.join(twice)} lies on a board, so there is nothing to write in a buffer")
        arrays = {
            key: _buffer(f"{name}.{key}", f, 0 if f.ragged or key in unwritten else rows, given.get(key))
            for key, f in question.observation.items()
        }
        return index, question.observation_type(**arrays)

    def _sizes(self, name: str, counted: Mapping[str, int]) -> dict[str, int]:
        """How many values each ragged field of the question has."""
        question = self.questions[name]
        if counted.keys() != question.counts:
            wanted, given = (", ".join(sorted(some)) or "nothing" for some in (question.counts, counted))
            raise ValueError(f"{name}: values are counted by {wanted}, and room was asked for by {given}")
        return {key: counted[counts] for key, counts in question.ragged.items()} if counted else {}

    def observations(
        self, name: str, rows: int, boards: Mapping[str, Array] | None = None, /, **counted: int
    ) -> Observations:
        """The question as written in the first `rows` rows of its room (`counted`: values written, as in `room`).

        `boards` are those on which fields lie that need not be written: a kernel finds them without room.
        """
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

    def _boards(self, name: str, given: Mapping[str, Array] | None) -> Mapping[str, Array]:
        """Of these boards the ones that are taken in place of fields."""
        found: dict[str, Array] = {}
        for key in self.boards.get(name, ()):
            if given is None or key not in given:
                raise ValueError(f"{name}.{key} is on no board")
            found[key] = given[key]
        return found


def _on_boards(questions: Mapping[str, Question]) -> str:
    """The fields that can lie on boards, in words."""
    found = [
        f"{name}.{key}"
        for name, question in questions.items()
        for key, f in question.observation.items()
        if f.on_board
    ]
    return ", ".join(found) or "none"


def _buffer(name: str, spec: Field, rows: int, given: Array | None) -> Array:
    """Room for so many rows of a field: the caller's if there is one."""
    if given is None:
        return np.zeros((rows, *spec.shape), dtype=spec.dtype)
    if given.dtype != np.dtype(spec.dtype) or given.shape[1:] != spec.shape or len(given) < rows:
        raise ValueError(f"{name}: the buffer is {given.dtype}{given.shape}, not {spec.dtype}{(rows, *spec.shape)}")
    return given
