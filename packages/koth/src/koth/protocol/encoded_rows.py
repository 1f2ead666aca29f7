"""The observations of a question, encoded once for all bots: as JSON values by field, and as arrays of frames."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from koth.game import Array, Field, Observations

LARGE_FIELD = 100
"""The least size in bytes of a row's whole numbers that orjson encodes from the array, without a list."""


class EncodedRows:
    """The rows of a question in the two forms that bots get, each made at its first use."""

    def __init__(self, observations: Observations) -> None:
        self.observations = observations

    def rows(self, first: int, last: int) -> Observations:
        """Return the rows from `first` up to `last`, which know that they are part of this question."""
        part = self.observations.rows(first, last)
        part.encoded, part.first_row = self, first
        return part

    @cached_property
    def columns(self) -> dict[str, list[Any]]:
        """The JSON values of each field, row by row; large rows of whole numbers are arrays."""
        observations = self.observations
        return {name: column_values(f, observations, name) for name, f in observations.question.observation.items()}

    @cached_property
    def _arrays(self) -> list[tuple[memoryview, int, Array | None]]:
        """The arrays of a frame: bytes, the size of one row or value, and the bounds of each row's ragged values.

        Raises TypeError if the arrays of the observations do not match their fields.
        """
        observations, fields = self.observations, self.observations.fields
        parts, ends = [_encode_array(observations.unit)], dict[str, Array]()
        for name, field in observations.question.observation.items():
            values = fields[name]
            if values.dtype != field.numpy_dtype or not (field.ragged or values.shape[1:] == field.shape):
                shape = values.shape[1:]
                raise TypeError(
                    f"question {observations.question.name}: {name} is {values.dtype} {shape}, not {field}"
                )
            if field.sparse:
                from koth.protocol.sparse import SparseField  # takes Numba, which JSON does not

                sparse = SparseField.of(np.ascontiguousarray(values))
                edges = _edges(sparse.counts)
                parts += [_encode_array(sparse.counts), _encode_array(sparse.places, edges)]
                parts.append(_encode_array(sparse.numbers, edges))
            elif field.ragged:
                if field.ragged not in ends:
                    ends[field.ragged] = _edges(fields[field.ragged])
                parts.append(_encode_array(values, ends[field.ragged]))
            else:
                parts.append(_encode_array(values))
        return parts

    def cut(self, first: int, last: int) -> list[memoryview]:
        """Return the bytes of the rows from `first` up to `last`, array by array. Raises TypeError."""
        return [
            data[first * width : last * width]
            if ends is None
            else data[ends.item(first) * width : ends.item(last) * width]
            for data, width, ends in self._arrays
        ]


def _encode_array(values: Array, ends: Array | None = None) -> tuple[memoryview, int, Array | None]:
    values = np.ascontiguousarray(values)
    width = values.itemsize * math.prod(values.shape[1:])
    return values.data.cast("B") if values.size else memoryview(b""), width, ends


def _edges(counts: Array) -> Array:
    """Return the bounds of each row's values from their counts (int64[rows + 1])."""
    edges = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=edges[1:])
    return edges


def column_values(spec: Field, observations: Observations, name: str) -> list[Any]:
    """Return the values of one field of the observations as JSON, row by row."""
    array = observations.fields[name]
    if spec.ragged is not None:
        edges = _edges(observations.fields[spec.ragged]).tolist()
        return [encode_values(spec, array[start:end]) for start, end in pairwise(edges)]
    if not spec.names and spec.kind != "f" and spec.size >= LARGE_FIELD:
        return list(np.ascontiguousarray(array, spec.numpy_dtype))
    return [encode_values(spec, row) for row in array] if array.ndim > 2 else list(encode_values(spec, array))


def encode_values(spec: Field, values: Array) -> Any:
    """Encode values of a field as JSON: numbers, names, or texts of letters along the last axis."""
    if values.dtype != spec.numpy_dtype:
        values = values.astype(spec.numpy_dtype)
    if not spec.names:
        return values.tolist()
    if spec.letter_table and spec.numpy_dtype.itemsize == 1 and 0 < values.ndim < 3 and values.size:
        text = values.tobytes().translate(spec.letter_table).decode()
        if "\0" not in text:  # every number has a letter
            width = values.shape[-1]
            return text if values.ndim == 1 else [text[at : at + width] for at in range(0, len(text), width)]
    return _encode_names(spec, values.tolist())


def _encode_names(spec: Field, values: Any) -> Any:
    """Encode numbers as names; a number without a name stays a number."""
    if not isinstance(values, list):
        return spec.names[values] if 0 <= values < len(spec.names) else values
    encoded = [_encode_names(spec, value) for value in values]
    is_text = isinstance(spec.names, str) and all(isinstance(value, int) for value in values)
    return "".join(encoded) if is_text and all(isinstance(one, str) for one in encoded) else encoded
