"""The shape of a value of JSON: types by key, a list for lists of one kind, `{}` for any object."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType
from typing import Any

KINDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", NoneType: "null"}
"""The types of JSON in messages."""


def find_mismatch(value: Any, shape: Any, where: str = "") -> str:
    """Return a description of the first mismatch with the shape; empty if there is none.

    The type `str` as a key of the shape stands for all keys.
    """
    if isinstance(shape, Mapping):
        if not isinstance(value, dict):
            return f"{where or 'it'} is not an object"
        if str in shape:
            shape = dict.fromkeys(value, shape[str])
        prefix = f"{where}." if where else ""
        found = (
            find_mismatch(value[k], s, prefix + k) if k in value else f"it has no {prefix + k if where else repr(k)}"
            for k, s in shape.items()
        )
        return next(filter(None, found), "")
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"{where} is not a list"
        return next(
            filter(None, (find_mismatch(item, shape[0], f"{where}[{i}]") for i, item in enumerate(value))), ""
        )
    kinds = shape if isinstance(shape, tuple) else (shape,)
    fits = isinstance(value, kinds) and (not isinstance(value, bool) or bool in kinds)
    return "" if fits else f"{where} is not {' or '.join(KINDS[kind] for kind in kinds)}"
