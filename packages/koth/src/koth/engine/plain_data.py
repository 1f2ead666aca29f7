"""Plain data: values that JSON can represent without loss, checked against their declared types.

Declared types are int, float, bool, str, `X | None`, list[X], tuple[X, Y], tuple[X, ...], dict[str, X], dict[int, X]
and dataclasses whose fields have such types. Sets are not allowed: the order of a set differs between processes.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

DECLARABLE = (
    "int, float, bool, str, X | None, list[X], tuple[X, Y], dict[str, X], dict[int, X] and dataclasses of these"
)

MOST_BITS = 10_000
"""The largest integer in bits: Python itself reads and writes at most 4,300 digits."""

Path = str | tuple[Any, str | int]
"""The path to a value: a name, or the path of the enclosing value and a step. Only errors convert paths to text."""
Seen = dict[int, Path]
"""The path of each list, dict and dataclass, by the object's id: a value at two paths would become two values."""


@dataclass(frozen=True)
class PlainType:
    """A declared type: its description, and functions that convert values to JSON and back.

    `write(value, path, seen)` returns JSON, and raises ValueError that names the path of a value of another type;
    `read` makes the value from JSON, and may reuse the JSON's own objects. `kind` is the type of single values,
    `fields` are the fields of a dataclass, `item_fields` the fields of a list's dataclasses.
    """

    words: str
    write: Callable[[Any, Path, Seen], Any]
    read: Callable[[Any], Any]
    kind: type | None = None
    fields: Mapping[str, PlainType] = field(default_factory=dict)
    item_fields: Mapping[str, PlainType] = field(default_factory=dict)


def plain_type(hint: Any) -> PlainType:
    """Return the plain type that an annotation declares. Raises TypeError for any other annotation."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint in (int, bool, str):
        return _exact_type(hint)
    if hint is float:
        return _float_type()
    if origin in (Union, UnionType) and len(inner) == 2 and inner[1] is NoneType:
        return _optional_type(plain_type(inner[0]))
    if origin is list:
        return _list_type(plain_type(inner[0]))
    if origin is tuple and inner[1:] == (...,):
        return _any_tuple_type(plain_type(inner[0]))
    if origin is tuple:
        return _tuple_type([plain_type(one) for one in inner])
    if origin is dict and inner[0] in (str, int):
        return _dict_type(inner[0], plain_type(inner[1]))
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return _dataclass_type(hint)
    if set in (hint, origin) or frozenset in (hint, origin):
        raise TypeError("a set is not plain data, its order differs from process to process: declare a list")
    raise TypeError(f"{hint.__name__ if isinstance(hint, type) else hint} is not plain data: declare {DECLARABLE}")


def shorten(value: Any) -> str:
    """Return the beginning of a value's text in one line; the value's type if there is no text."""
    try:
        return " ".join(repr(value)[:200].split())[:60]
    except Exception:  # an author's own __repr__ may raise anything, and integers of 5,000 digits have no text
        return f"a value of type {type(value).__name__}"


def is_finite(value: Any) -> bool:
    """Return whether a value is a Python number that a float can represent."""
    try:
        return isinstance(value, int | float) and math.isfinite(value)
    except OverflowError:
        return False


def _format_path(path: Path) -> str:
    """Return a path as text: "Auction.bids[2].seat"."""
    if isinstance(path, str):
        return path
    around, step = path
    return _format_path(around) + (f"[{step}]" if isinstance(step, int) else step)


def _wrong_type(value: Any, path: Path, words: str) -> ValueError:
    if isinstance(value, set | frozenset):
        return ValueError(
            f"{_format_path(path)} is a set, whose order differs from process to process: use a sorted list"
        )
    return ValueError(f"{_format_path(path)} is {shorten(value)} ({type(value).__name__}), declared {words}")


def _record_path(value: Any, path: Path, seen: Seen) -> None:
    """Record a mutable value. Raises ValueError if the value was found before."""
    before = seen.setdefault(id(value), path)
    if before is not path:
        same = f"{_format_path(before)} and {_format_path(path)} are one and the same {type(value).__name__}"
        raise ValueError(f"{same}: make a copy")


def _identity(value: Any) -> Any:
    return value


def _exact_type(kind: type) -> PlainType:
    words = kind.__name__

    def write(value: Any, path: Path, seen: Seen) -> Any:
        if type(value) is not kind:
            raise _wrong_type(value, path, words)
        if type(value) is int and (bits := value.bit_length()) > MOST_BITS:
            raise ValueError(
                f"{_format_path(path)} is a whole number of {bits:,} bits; at most {MOST_BITS:,} are kept"
            )
        return value

    return PlainType(words, write, _identity, kind)


def _float_type() -> PlainType:
    def write(value: Any, path: Path, seen: Seen) -> Any:
        if type(value) not in (int, float) or not is_finite(value):
            raise _wrong_type(value, path, "a finite float")
        return float(value)

    return PlainType("float", write, _identity, float)


def _optional_type(one: PlainType) -> PlainType:
    return PlainType(
        f"{one.words} | None",
        lambda value, path, seen: None if value is None else one.write(value, path, seen),
        lambda value: None if value is None else one.read(value),
    )


def _are_all(kind: type | None, values: list[Any]) -> bool:
    """Return whether a list holds only storable values of this type, without examining each in Python."""
    if kind is None or not set(map(type, values)) <= {kind}:
        return False
    if kind is int and values:
        return int.bit_length(max(max(values), -min(values))) <= MOST_BITS
    return kind is not float or all(map(math.isfinite, values))


def _list_type(one: PlainType) -> PlainType:
    words = f"list[{one.words}]"

    def write(value: Any, path: Path, seen: Seen) -> Any:
        if type(value) is not list:
            raise _wrong_type(value, path, words)
        _record_path(value, path, seen)
        if _are_all(one.kind, value):
            return value.copy()
        return [one.write(item, (path, k), seen) for k, item in enumerate(value)]

    read = _identity if one.read is _identity else lambda value: [one.read(item) for item in value]
    return PlainType(words, write, read, item_fields=one.fields)


def _any_tuple_type(one: PlainType) -> PlainType:
    words = f"tuple[{one.words}, ...]"

    def write(value: Any, path: Path, seen: Seen) -> Any:
        if type(value) is not tuple:
            raise _wrong_type(value, path, words)
        return [one.write(item, (path, k), seen) for k, item in enumerate(value)]

    return PlainType(words, write, lambda value: tuple([one.read(item) for item in value]))


def _tuple_type(items: list[PlainType]) -> PlainType:
    words = f"tuple[{', '.join(one.words for one in items)}]"

    def write(value: Any, path: Path, seen: Seen) -> Any:
        if type(value) is not tuple or len(value) != len(items):
            raise _wrong_type(value, path, words)
        pairs = zip(items, value, strict=True)
        return [one.write(item, (path, k), seen) for k, (one, item) in enumerate(pairs)]

    def read(value: Any) -> Any:
        return tuple([one.read(item) for one, item in zip(items, value, strict=True)])

    return PlainType(words, write, tuple if all(one.read is _identity for one in items) else read)


def _dict_type(key: type, one: PlainType) -> PlainType:
    words = f"dict[{key.__name__}, {one.words}]"

    def write(value: Any, path: Path, seen: Seen) -> Any:
        if type(value) is not dict or any(type(name) is not key for name in value):
            raise _wrong_type(value, path, words)
        _record_path(value, path, seen)
        return {str(name): one.write(item, (path, f"[{name!r}]"), seen) for name, item in value.items()}

    return PlainType(words, write, lambda value: {key(name): one.read(item) for name, item in value.items()})


def _dataclass_type(kind: Any) -> PlainType:
    fields = types_of(kind)
    steps = [(name, f".{name}", one) for name, one in fields.items()]

    def write(value: Any, path: Path, seen: Seen) -> Any:
        if type(value) is not kind:
            raise _wrong_type(value, path, kind.__name__)
        _record_path(value, path, seen)
        return {name: one.write(getattr(value, name), (path, step), seen) for name, step, one in steps}

    def read(value: Any) -> Any:
        return kind(**{name: one.read(value[name]) for name, one in fields.items()})

    return PlainType(kind.__name__, write, read, fields=fields)


def types_of(kind: type, apart_from: type = object, without: tuple[str, ...] = ()) -> dict[str, PlainType]:
    """Return the plain types of a class's annotations, without those of its base `apart_from` and these names.

    Raises TypeError that names the class and the field whose annotation is not plain data.
    """
    return _types_of(kind, apart_from, without)


@cache
def _types_of(kind: type, apart_from: type, without: tuple[str, ...]) -> dict[str, PlainType]:
    known = {*get_type_hints(apart_from), *without}
    found = {}
    for name, hint in get_type_hints(kind).items():
        if name not in known:
            try:
                found[name] = plain_type(hint)
            except TypeError as error:
                raise TypeError(f"{kind.__name__}.{name}: {error}") from None
    return found
