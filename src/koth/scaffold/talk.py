"""What a game's bots are told and asked, as a start in any language needs it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from koth.game import Game
from koth.protocol.schema import examples_of, facts_of, game_schema, rows_of
from koth.scaffold.shapes import ByNumber, Member, Named, Number, Record, Several, Shapes, inside, pascal

PROTOCOL = "json"
LABELS = ("number", "body")
"""Keys under which a body tells its number."""


@dataclass(frozen=True)
class Asked:
    """One question: what it shows, how it is answered, and an answer without a fault."""

    name: str
    doc: str
    question: Record
    answer: Record
    example: Mapping[str, Any]
    table: tuple[tuple[str, str, str, str], ...]
    """Its keys for people, as `rows_of` tells them."""

    @cached_property
    def units(self) -> Member | None:
        """Where the question lists the bodies for each of which it wants an answer."""
        if not any(isinstance(member.shape, ByNumber) for member in self.answer.members):
            return None
        lists = (member for member in self.question.members if isinstance(member.shape, Several))
        return next(member for member in lists if _label(member) is not None)

    @property
    def label(self) -> str:
        """The key of a body's number; empty where the list is one of numbers."""
        return (self.units and _label(self.units)) or ""


def _label(member: Member) -> str | None:
    """The key with the number of each body in this list; None if it is no list of bodies."""
    item = member.shape.item if isinstance(member.shape, Several) else None
    if isinstance(item, Record):
        return next((each.key for each in item.members if each.key in LABELS), None)
    return "" if item == Number() else None


@dataclass(frozen=True)
class Talk:
    """All that passes between the arena and a bot of this game in JSON lines."""

    game: Game
    hello: Record
    match_info: tuple[tuple[str, str, str], ...]
    """The keys of `hello` for people: their values and meanings."""
    asked: tuple[Asked, ...]
    named: tuple[Named, ...]
    """The shapes that have names, each after its parts."""

    @cached_property
    def told(self) -> frozenset[str]:
        """Names of the shapes that a bot reads."""
        return frozenset(_names(self.hello, *(each.question for each in self.asked)))

    @cached_property
    def said(self) -> frozenset[str]:
        """Names of the shapes that a bot writes."""
        return frozenset(_names(*(each.answer for each in self.asked)))

    @property
    def needs_protocol(self) -> bool:
        """Whether a bot has to say that it speaks JSON: the game's usual wire is another."""
        return next(iter(self.game.protocols)) != PROTOCOL


def _names(*records: Record) -> Iterator[str]:
    for record in records:
        yield from (shape.name for shape in inside(record) if isinstance(shape, Named))


def talk_of(game: Game) -> Talk:
    """What is declared for the usual rules and the fewest bots. Raises KothError for what no type can hold."""
    settings, seats = next(iter(game.rulesets.values())), game.seats[0]
    schema = game_schema(game, settings, seats)
    shapes, parts = Shapes(), schema["$defs"]
    hello = shapes.record("Hello", {**parts["hello"]["properties"]["hello"], "description": HELLO})
    asked = tuple(
        Asked(
            name,
            question.doc,
            shapes.record(f"{pascal(name)}Question", parts[name]),
            shapes.record(f"{pascal(name)}Answer", parts[f"{name}.answer"]),
            example,
            tuple(rows_of(schema, name)),
        )
        for name, question, example in examples_of(game, settings, seats)
    )
    return Talk(game, hello, tuple(facts_of(schema)), asked, tuple(shapes.named.values()))


HELLO = "What is the same for the whole match, told once before the first question."
