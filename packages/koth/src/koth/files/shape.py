"""JSON of strangers, and the shape of a value of JSON or TOML.

A shape has types by key, a list for lists of one kind, and `{}` for any object.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

import orjson

KINDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", NoneType: "null"}
"""The names of JSON's types in messages."""


def read_json(text: bytes | str) -> Any:
    """Return the value of a JSON text. Raises ValueError, also for lists or objects within each other that are too
    deep to be written or shown again.
    """
    value = orjson.loads(text)
    try:
        orjson.dumps(value)
    except TypeError:
        raise ValueError("it has too many lists or objects within each other") from None
    return value


def shape_of(kind: Any) -> Any:
    """Return the shape of a type's values in JSON; keys that are not required are left out.

    `kind` is a type of JSON, a dataclass, a `TypedDict`, or a union, list, sequence or mapping of these. Bytes and
    paths are texts.
    """
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        shapes: list[Any] = []
        for shape in map(shape_of, parts):
            shapes += [one for one in (shape if isinstance(shape, tuple) else (shape,)) if one not in shapes]
        return tuple(shapes) if len(shapes) > 1 else shapes[0]
    if origin in (list, Sequence):
        return [shape_of(parts[0])]
    if origin in (dict, Mapping):
        return {} if parts[1] is Any else {str: shape_of(parts[1])}
    if is_dataclass(kind) or is_typeddict(kind):
        hints = get_type_hints(kind, include_extras=True)
        return {name: shape_of(hint) for name, hint in hints.items() if get_origin(hint) is not NotRequired}
    return {float: (int, float), bytes: str, Path: str}.get(kind, kind)


def find_mismatch(value: Any, shape: Any, where: str = "") -> str:
    """Return a description of the first mismatch with the shape; empty if there is none.

    The type `str` as a key of the shape stands for all keys, a tuple for alternatives.
    """
    if isinstance(shape, Mapping) and isinstance(value, dict):
        if str in shape:
            shape = dict.fromkeys(value, shape[str])
        prefix = f"{where}." if where else ""
        found = (
            find_mismatch(value[k], s, prefix + k) if k in value else f"it has no {prefix + k if where else repr(k)}"
            for k, s in shape.items()
        )
        return next(filter(None, found), "")
    if isinstance(shape, list) and isinstance(value, list):
        found = (find_mismatch(item, shape[0], f"{where}[{i}]") for i, item in enumerate(value))
        return next(filter(None, found), "")
    kinds = shape if isinstance(shape, tuple) else (shape,)
    if any(_fits(value, kind) for kind in kinds):
        return ""
    return f"{where or 'it'} must be {' or '.join(map(_shape_text, kinds))}, not {value!r:.200}"


def _fits(value: Any, kind: Any) -> bool:
    if isinstance(kind, Mapping | list):
        return isinstance(value, list if isinstance(kind, list) else dict) and not find_mismatch(value, kind)
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def _shape_text(kind: Any) -> str:
    if isinstance(kind, list):
        return "a list of texts" if kind == [str] else "a list"
    return "a table of keys and values" if isinstance(kind, Mapping) else KINDS[kind]
