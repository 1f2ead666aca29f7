"""The shapes of what passes between the arena and a bot, for programs in languages with types.

They are made of the game's JSON Schema (`koth.protocol.schema`), in which each value is declared: nothing is told
twice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from koth.errors import KothError
from koth.protocol.shapes import meaning

NARROW = 2**31 - 1
"""The largest whole number that needs no wide type."""


@dataclass(frozen=True)
class Number:
    """A number; a whole one may be too wide for 32 bits."""

    whole: bool = True
    wide: bool = False


@dataclass(frozen=True)
class Truth:
    """True or false."""


@dataclass(frozen=True)
class Text:
    """A text."""


@dataclass(frozen=True)
class Letter:
    """A text of one letter."""


@dataclass(frozen=True)
class Several:
    """A list."""

    item: Shape


@dataclass(frozen=True)
class ByNumber:
    """A value for each of some bodies, by their numbers."""

    value: Shape


@dataclass(frozen=True)
class Maybe:
    """A value that may be missing, or null."""

    inner: Shape


@dataclass(frozen=True)
class Enum:
    """One of some names."""

    name: str
    values: tuple[str, ...]
    doc: str = ""


@dataclass(frozen=True)
class Member:
    """A value of a record by its key."""

    key: str
    shape: Shape
    doc: str = ""


@dataclass(frozen=True)
class Record:
    """Values by their keys; a `row` is written as a list of its values."""

    name: str
    members: tuple[Member, ...]
    row: bool = False
    doc: str = ""


@dataclass(frozen=True)
class Choice:
    """One of several shapes, told apart by what they are in JSON (a number, a text, an object); each has a name."""

    name: str
    cases: tuple[Member, ...]
    doc: str = ""


Named = Enum | Record | Choice
Shape = Number | Truth | Text | Letter | Several | ByNumber | Maybe | Enum | Record | Choice

HIDDEN = frozenset({"ask", "question"})
"""Keys that a start's own loop reads and writes."""


@dataclass
class Shapes:
    """Shapes made of schemas, and those with a name in an order in which each stands after its parts."""

    named: dict[str, Named] = field(default_factory=dict)

    def record(self, name: str, node: Mapping[str, Any]) -> Record:
        """The record of a message's content. Values that may be anything are left out of it."""
        found = self._object(node, name, name)
        assert found is not None
        return found

    def _of(self, node: Mapping[str, Any], name: str, within: str) -> Shape | None:
        """The shape of a value, called `name` if it is one that has names; None of one that may be anything."""
        name = node.get("title", name)
        if "enum" in node and "prefixItems" not in node:
            return self._enum(node, name, within)
        if "anyOf" in node:
            return self._choice(node, name, within)
        if "patternProperties" in node:
            inner = self._of(next(iter(node["patternProperties"].values())), singular(name), within)
            return inner and ByNumber(inner)
        if "properties" in node:
            return self._object(node, name, within)
        kind = node.get("type")
        if kind == "array":
            return self._array(node, name, within)
        plain: dict[str, Shape] = {"boolean": Truth(), "string": Text(), "number": Number(whole=False)}
        return Number(True, node.get("maximum", 0) > NARROW) if kind == "integer" else plain.get(str(kind))

    def _enum(self, node: Mapping[str, Any], name: str, within: str) -> Shape | None:
        values = node["enum"]
        if not all(isinstance(value, str) for value in values):
            return None
        if all(map(str.isidentifier, values)) and len({value.casefold() for value in values}) == len(values):
            return self._called(Enum(pascal(name), tuple(values), node.get("description", "")), within)
        return Letter() if all(len(value) == 1 for value in values) else Text()

    def _choice(self, node: Mapping[str, Any], name: str, within: str) -> Shape | None:
        cases = [one for one in node["anyOf"] if one.get("type") != "null"]
        if len(cases) < len(node["anyOf"]):
            inner = self._of(cases[0] if len(cases) == 1 else {"anyOf": cases}, name, within)
            return inner and Maybe(inner)
        names = [one.get("title", f"{name} {place}") for place, one in enumerate(cases, 1)]
        shapes = [self._of(one, called, within) for one, called in zip(cases, names, strict=True)]
        members = tuple(Member(called, shape) for called, shape in zip(names, shapes, strict=True) if shape)
        if len({in_json(member.shape) for member in members}) < len(cases):
            raise KothError(f"{within}: koth can't tell apart what {name} may be, by what it is in JSON")
        return self._called(Choice(pascal(name), members, node.get("description", "")), within)

    def _array(self, node: Mapping[str, Any], name: str, within: str) -> Shape | None:
        if "prefixItems" in node:
            keys = (part.get("title", f"value {place}") for place, part in enumerate(node["prefixItems"], 1))
            parts = dict(zip(keys, node["prefixItems"], strict=True))
            return self._object({"properties": parts, **node, "required": list(parts)}, name, within, row=True)
        inner = self._of(node["items"], singular(name), within) if node.get("items") else None
        return inner and Several(inner)

    def _object(self, node: Mapping[str, Any], name: str, within: str, row: bool = False) -> Record | None:
        members = []
        for key, value in node["properties"].items():
            shape = self._of(value, key, within)
            if shape is not None and key not in HIDDEN:
                shape = shape if key in node.get("required", ()) else Maybe(shape)
                members.append(Member(key, shape, meaning(value)))
        found = self._called(
            Record(pascal(name), tuple(members), row, "" if row else node.get("description", "")), within
        )
        assert isinstance(found, Record)
        return found

    def _called(self, shape: Named, within: str) -> Named:
        """The shape under its name, or where another has that, with the message's before it."""
        if self.named.setdefault(shape.name, shape) != shape:
            shape = type(shape)(**{**vars(shape), "name": pascal(within.removesuffix("Question") + " " + shape.name)})
            if self.named.setdefault(shape.name, shape) != shape:
                raise KothError(f"{within}: two different values would be called {shape.name}")
        return shape


def in_json(shape: Shape) -> str:
    """What a shape is in JSON."""
    if isinstance(shape, Record):
        return "array" if shape.row else "object"
    kinds = {Number: "number", Truth: "boolean", Several: "array", ByNumber: "object"}
    return kinds.get(type(shape), "string")


def inside(shape: Shape) -> Iterator[Shape]:
    """A shape and all that it consists of."""
    yield shape
    parts: Sequence[Shape] = ()
    if isinstance(shape, Record):
        parts = [member.shape for member in shape.members]
    elif isinstance(shape, Choice):
        parts = [case.shape for case in shape.cases]
    elif isinstance(shape, Several):
        parts = [shape.item]
    elif isinstance(shape, ByNumber):
        parts = [shape.value]
    elif isinstance(shape, Maybe):
        parts = [shape.inner]
    for part in parts:
        yield from inside(part)


# --- names


def words(name: str) -> list[str]:
    """The words of a name, in lower case: `playerId`, `circles collapsed` and `SHOOT_RANGE` have two each."""
    parts = re.split(r"[^A-Za-z0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name))
    return [part.lower() for part in parts if part]


def snake(name: str) -> str:
    """`circles_collapsed`."""
    return "_".join(words(name))


def pascal(name: str) -> str:
    """`CirclesCollapsed`."""
    return "".join(word.capitalize() for word in words(name))


def camel(name: str) -> str:
    """`circlesCollapsed`."""
    first, *others = words(name)
    return first + "".join(word.capitalize() for word in others)


def plain(name: str) -> str:
    """The name itself where a program can have it, else in `camel` case."""
    return name if name.isidentifier() else camel(name)


def upper(name: str) -> str:
    """`CIRCLES_COLLAPSED`."""
    return snake(name).upper()


def singular(name: str) -> str:
    """What one of several is called."""
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else name
