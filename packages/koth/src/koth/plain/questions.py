"""Questions of plain games: the values of `observe` as arrays, and answers as the actions of `step`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from koth.engine.plain_data import shorten
from koth.errors import choices
from koth.game import Answers, Array, Field, Question
from koth.protocol.declared import decode_value
from koth.protocol.encoded_rows import encode_values
from koth.protocol.shapes import describe_values, field_schema, is_lettered

Values = dict[str, Any]
"""Values of an observation by its fields: numbers, lists of numbers or arrays."""
UNKNOWN = 255
"""The code for a byte that is not a letter of the field."""
KINDS: Mapping[str, set[type]] = {"b": {bool}, "i": {int}, "u": {int}, "f": set()}
"""The Python types of values that fields of a kind accept; numbers in float fields are examined one by one."""


class ObservationReader:
    """The converter of a game's values to the numbers of one question's observations.

    Its methods check what `shared_observation` and `observe` return; they raise ValueError with the valid values.
    """

    def __init__(self, question: Question) -> None:
        self.question = question
        self._where = f"question {question.name}"
        self._readers = {key: _make_reader(key, spec) for key, spec in question.observation.items()}
        self._needed = question.observation.keys() - question.counts

    def __reduce__(self) -> tuple[Any, ...]:
        return ObservationReader, (self.question,)

    def read_shared(self, value: Any) -> Values:
        """Return the numbers in the result of `shared_observation`."""
        return self._read("shared_observation", value)

    def read_whole(self, shared: Values, value: Any) -> Values:
        """Return the numbers of an `observe` result and of the shared part, with the counts of ragged fields."""
        own = self._read("observe", value)
        found = {**shared, **own}
        if len(found) < len(shared) + len(own):
            key = min(shared.keys() & own.keys())
            raise ValueError(f"{self._where}: observe and shared_observation both returned {key}")
        if not found.keys() >= self._needed:
            key = next(key for key in self.question.observation if key in self._needed - found.keys())
            raise ValueError(f"{self._where}: observe left out its field {key}")
        for key, counts in self.question.ragged.items():
            if found.setdefault(counts, len(found[key])) != len(found[key]):
                words = f"{key} has {len(found[key])} values, {counts} says {found[counts]}"
                raise ValueError(f"{self._where}, observe: {words}")
        return found

    def _read(self, method: str, value: Any) -> Values:
        if not isinstance(value, Mapping):
            raise ValueError(f"{self._where}: {method} must return a dict of its fields, not {shorten(value)}")
        found = {}
        for key, one in value.items():
            if key not in self._readers:
                words = f"{self._where}: {method} returned {shorten(key)}, which it does not declare"
                raise ValueError(words + choices(str(key), self.question.observation))
            try:
                found[key] = self._readers[key](one)
            except ValueError as error:
                raise ValueError(f"{self._where}, {method}: {error}") from None
        return found


Reader = Callable[[Any], Any]
"""A function from a game's value to numbers; None for a value that must be examined element by element."""


def _make_reader(key: str, spec: Field) -> Reader:
    """Return the reader of a field's values: for all values at once if possible, otherwise one by one."""
    fits = _make_check(spec)
    if is_lettered(spec) and (spec.shape or spec.ragged):
        at_once = _letters_reader(spec)
    else:
        at_once = _lists_reader(spec, fits) if spec.shape or spec.ragged else _value_reader(spec)

    def reader(value: Any) -> Any:
        if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
            return _read_array(key, spec, fits, value)
        found = at_once(value)
        return decode_value(key, spec, _to_lists(value)) if found is None else found

    return reader


def _value_reader(spec: Field) -> Reader:
    kinds, places = KINDS[spec.kind], _places(spec)

    def reader(value: Any) -> Any:
        if places:
            return places.get(value) if type(value) is str else None
        return value if type(value) in kinds and spec.allows(value) else None

    return reader


def _lists_reader(spec: Field, fits: Callable[[Array], bool]) -> Reader:
    def reader(value: Any) -> Any:
        if spec.names or not _types_in(value) <= KINDS[spec.kind]:  # NumPy would read True as 1
            return None
        try:
            found = np.asarray(value)
        except ValueError:  # lists of different lengths
            return None
        return found if fits(found) else None

    return reader


def _types_in(value: Any) -> set[type]:
    """Return the types of the entries of lists in lists."""
    if not isinstance(value, list | tuple):
        return {type(value)}
    types = set(map(type, value))
    return types if types.isdisjoint((list, tuple)) else set().union(*map(_types_in, value))


def _letters_reader(spec: Field) -> Reader:
    table = np.full(256, UNKNOWN, np.uint8)
    for name, place in _places(spec).items():
        if name.isascii() and place < UNKNOWN:
            table[ord(name)] = place

    def reader(value: Any) -> Any:
        rows = [value] if isinstance(value, str) else value
        if not isinstance(rows, list | tuple) or not all(type(row) is str for row in rows):
            return None
        shape = (len(rows), *set(map(len, rows)))[1 if isinstance(value, str) else 0 :]
        if spec.ragged is None and shape != spec.shape:
            return None
        found = table[np.frombuffer("".join(rows).encode("ascii", "replace"), np.uint8)]
        return None if UNKNOWN in found else found.reshape(-1 if spec.ragged else spec.shape)

    return reader


def _places(spec: Field) -> dict[str, int]:
    return {name: place for place, name in enumerate(spec.names)}


def _make_check(spec: Field) -> Callable[[Array], bool]:
    """Return a function that checks whether an array can be a field's value: its shape, dtype and bounds."""
    kinds = {"b": "b", "f": "fiu"}.get(spec.kind, "iu")

    def fits(values: Array) -> bool:
        if values.ndim != 1 if spec.ragged else values.shape != spec.shape:
            return False
        return values.dtype.kind in kinds and bool(spec.allows(values).all())

    return fits


def _read_array(key: str, spec: Field, fits: Callable[[Array], bool], values: Array) -> Any:
    """Return an array, as a list if it is ragged. Raises ValueError if it does not fit the declaration."""
    if fits(values):
        return values.tolist() if spec.ragged else values
    wrong = values[~spec.allows(values)]
    actual = f"{wrong[0]}" if wrong.size else f"an array {values.dtype}{[*values.shape]}"
    raise ValueError(f"{key} must be {describe_values(field_schema(spec))}, not {actual}")


def _to_lists(value: Any) -> Any:
    """Return a value with lists in place of tuples, at every depth, and Python's numbers in place of NumPy's."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    return [_to_lists(one) for one in value] if isinstance(value, list | tuple) else value


# --- answers


def actions_of(question: Question, answers: Answers) -> list[dict[str, Any]]:
    """Return the action of each row: values as in JSON, the default if an answer does not fit the declaration."""
    rows = answers.fields | {key: question.answer_rows(answers.fields, key) for key in question.lists}
    columns = [_column(spec, question.defaults[key], rows[key]) for key, spec in question.answer.items()]
    return [dict(zip(question.answer, row, strict=True)) for row in zip(*columns, strict=True)]


def _column(spec: Field, default: Array, values: Any) -> list[Any]:
    if spec.shape:
        return [encode_values(spec, row if spec.allows(row).all() else default[0, : len(row)]) for row in values]
    wanted = default[0].item()
    found = [
        value if is_allowed else wanted
        for value, is_allowed in zip(values.tolist(), spec.allows(values), strict=True)
    ]
    return [spec.names[int(place)] for place in found] if spec.names else found
