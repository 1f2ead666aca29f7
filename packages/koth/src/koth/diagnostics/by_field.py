"""Observations and answers, field by field, for games whose `author.py` has no texts of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from koth.game import Array, Observations
from koth.protocol.encoded_rows import column_values, encode_values
from koth.protocol.shapes import is_lettered


def observation_text(observations: Observations, row: int) -> list[str]:
    """Return a row's observation, field by field."""
    lines = [f"unit {observations.question.labels(observations)[row]}"] if observations.question.units else []
    one = observations.rows(row, row + 1)
    for name, spec in observations.question.observation.items():
        values = column_values(spec, one, name)[0]
        if is_lettered(spec) and len(spec.shape) > 1:
            lines += [f"{name}:", *(f"  {' '.join(line)}" for line in values)]
        elif isinstance(values, list) and values and isinstance(values[0], list):
            lines += [f"{name}:", *(f"  {' '.join(map(str, line))}" for line in values)]
        else:
            lines.append(f"{name}: {' '.join(map(str, values)) if isinstance(values, list) else values}")
    return lines


def flat_fields(observations: Observations, row: int) -> str:
    """Return a row's fields that are not boards, in one line: fields of at most one dimension and a fixed length.

    A field that says which named values are legal becomes their names.
    """
    specs = observations.question.observation
    one = observations.rows(row, row + 1)
    lengths = {spec.ragged for spec in specs.values()}
    flat = [
        name
        for name, spec in specs.items()
        if len(spec.shape) < 2 and not spec.ragged and not spec.sparse and name not in lengths
    ]
    values = {name: column_values(specs[name], one, name)[0] for name in flat}
    for field in observations.question.answer.values():
        if isinstance(field.legal, str) and field.names and not field.shape and field.legal in values:
            legal = zip(field.names, values[field.legal], strict=True)
            values[field.legal] = " ".join(name for name, is_legal in legal if is_legal)
    return _format_line(values)


def unit_names(observations: Observations) -> list[str]:
    """Return the name of each row's unit, or "" if a bot has only one unit."""
    return [
        f"unit {label}" if observations.question.units else "" for label in observations.question.labels(observations)
    ]


def observation_lines(observations: Observations, match_info: Mapping[str, Any]) -> list[str]:
    """Return each row's observation as a line."""
    columns = {
        name: column_values(spec, observations, name) for name, spec in observations.question.observation.items()
    }
    return [_format_line(dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]


def answer_lines(observations: Observations, fields: Mapping[str, Array], match_info: Mapping[str, Any]) -> list[str]:
    """Return each row's answer as a line."""
    columns = {name: observations.question.answer_rows(fields, name) for name in observations.question.sent_fields}
    specs = observations.question.answer
    return [
        _format_line({name: encode_values(specs[name], rows[row]) for name, rows in columns.items()})
        for row in range(len(observations))
    ]


def _format_line(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())
