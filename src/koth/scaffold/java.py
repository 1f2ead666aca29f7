"""How Java reads and tells apart the shapes of messages."""

from __future__ import annotations

from koth.scaffold.shapes import Choice, Letter, Maybe, Member, Named, Number, Several, Shape, Text, Truth, pascal
from koth.scaffold.talk import Talk

KINDS = {
    "number": "Number",
    "object": "Map",
    "array": "List",
    "string": "String",
    "boolean": "Boolean",
}
"""The class of a value in JSON."""


def read(shape: Shape, json: str, depth: int = 1) -> str:
    """An expression that makes a value of this shape of what stands in the JSON."""
    match shape:
        case Number(whole=True, wide=True):
            return f"(Long) {json}"
        case Number(whole=whole):
            return f"Json.{'whole' if whole else 'real'}({json})"
        case Truth():
            return f"(Boolean) {json}"
        case Text():
            return f"(String) {json}"
        case Letter():
            return f"Json.letter({json})"
        case Several(inner) | Maybe(inner):
            function = "list" if isinstance(shape, Several) else "maybe"
            one = "one" * depth
            return f"Json.{function}({json}, {one} -> {read(inner, one, depth + 1)})"
    assert isinstance(shape, Named)
    return f"{shape.name}.read({json})"


def implements(shape: Named, talk: Talk) -> str:
    """What a class of this shape implements: `Written` if bots write it, and the choices of which it is a case."""
    within = (each for each in talk.named if isinstance(each, Choice))
    choices = [each.name for each in within if any(case.shape == shape for case in each.cases)]
    names = ["Written"] * (shape.name in talk.said) + choices
    return f" implements {', '.join(names)}" if names else ""


def case_name(case: Member) -> str:
    """The class of a case of a choice."""
    return case.shape.name if isinstance(case.shape, Named) else pascal(case.key)
