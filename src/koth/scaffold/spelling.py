"""A language in which starts are written: how it spells the shapes of a game's messages."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from koth.scaffold.shapes import (
    ByNumber,
    Choice,
    Enum,
    Letter,
    Maybe,
    Named,
    Number,
    Record,
    Several,
    Shape,
    Text,
    Truth,
    camel,
    in_json,
    snake,
    upper,
)


@dataclass(frozen=True)
class Spelling:
    """How types and values are written in a language; `{}` stands for the parts.

    First the templates of values, then those of types (`whole` to `maybe`), which only languages with types need.
    """

    items: str
    """A list: {items} and the {type} of one."""
    record: str
    """A record by its {name}: {values}."""
    pair: str
    """A value of a record: {key} and {value}."""
    pick: str
    """One of all of an enum by chance, by its {name}, {snake}, {camel} or {upper}."""
    identifier: Callable[[str], str]
    """A key as the name of a field."""
    chosen: str = "{value}"
    """A case of a choice: the {name} of the choice, that of the {case}, its {value}."""
    plain: str = ""
    """A case of a choice that has no name as a type, if it is spelled in another way."""
    nothing: str = "null"
    number: str = "{}"
    """A whole number; and another."""
    fraction: str = "{}"
    truths: tuple[str, str] = ("false", "true")
    string: str = "{}"
    """A text: what JSON would write."""
    row: str = ""
    """A record that is written as a list, if it is spelled in another way: just its {values}."""
    reserved: str = ""
    """Words that are no names there."""
    whole: str = ""
    wide: str = ""
    real: str = ""
    truth: str = ""
    text: str = ""
    letter: str = ""
    several: str = ""
    by_number: str = ""
    maybe: str = ""
    boxed: Mapping[str, str] = field(default_factory=dict)
    """What types are called as parts of others, if something else."""

    def type(self, shape: Shape) -> str:
        """The type of values of this shape."""
        match shape:
            case Number(whole=whole, wide=wide):
                return (self.wide if wide else self.whole) if whole else self.real
            case Several(item):
                return self.several.format(self._part(item))
            case ByNumber(value):
                return self.by_number.format(self._part(value))
            case Maybe(inner):
                return self.maybe.format(self._part(inner))
            case Enum(name=name) | Record(name=name) | Choice(name=name):
                return name
        plain: dict[type, str] = {Truth: self.truth, Text: self.text, Letter: self.letter}
        return plain[type(shape)]

    def _part(self, shape: Shape) -> str:
        name = self.type(shape)
        return self.boxed.get(name, name)

    def field(self, key: str) -> str:
        """What a member of this key is called."""
        return self.free(self.identifier(key))

    def free(self, name: str) -> str:
        """The name, or one like it where it is a word of the language."""
        return name + "_" if name in self.reserved.split() else name

    def value(self, shape: Shape, example: Any) -> str:
        """An expression for a value like this one. Where names are wanted, for one of all by chance."""
        match shape:
            case Number(whole=True):
                return self.number.format(example)
            case Number():
                return self.fraction.format(float(example))
            case Truth():
                return self.truths[bool(example)]
            case Several(item):
                parts = ", ".join(self.value(item, one) for one in example)
                return self.items.format(items=parts, type=self.type(item))
            case Maybe(inner):
                return self.nothing if example is None else self.value(inner, example)
            case Enum(name=name):
                return self.pick.format(name=name, snake=snake(name), camel=camel(name), upper=upper(name))
            case Record():
                return self._record(shape, example)
            case Choice():
                case_ = next(each for each in shape.cases if in_json(each.shape) == kind_of(example))
                value = self.value(case_.shape, example)
                spelled = self.plain if self.plain and not isinstance(case_.shape, Named) else self.chosen
                return spelled.format(name=shape.name, case=case_.key, value=value)
        return self.string.format(json.dumps(example))

    def _record(self, shape: Record, example: Any) -> str:
        parts = example if shape.row else [example[member.key] for member in shape.members]
        values = [self.value(member.shape, one) for member, one in zip(shape.members, parts, strict=True)]
        if shape.row and self.row:
            return self.row.format(values=", ".join(values))
        keys = [self.field(member.key) for member in shape.members]
        pairs = (self.pair.format(key=key, value=value) for key, value in zip(keys, values, strict=True))
        return self.record.format(name=shape.name, values=", ".join(pairs))


def kind_of(example: Any) -> str:
    """What a value is in JSON."""
    kinds = {bool: "boolean", int: "number", float: "number", str: "string", list: "array"}
    return kinds.get(type(example), "object")
