"""Every JSON message of a game as a JSON Schema (draft 2020-12), made from its questions' declarations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from koth.bots.declared import Declared, closed
from koth.bots.wires import JsonWire
from koth.game import Game

DRAFT = "https://json-schema.org/draft/2020-12/schema"

ASK = {"type": "integer", "minimum": 1, "description": "the question's number; its answer repeats it"}
LEFT = {
    "type": "object",
    "properties": {"bank": {"type": "number"}, "strikes": {"type": "integer"}},
    "description": "seconds of the bank, and late answers in a row that are still to be had; only once some are used",
}
ARENA = {"game": "", "ruleset": "", "seat": 0, "names": [""], "seed": 0, "seconds": 0.0, "bank": 0.0, "strikes": 0}
"""What every game's bots are told once, beside the game's own facts."""


def game_schema(game: Game, settings: Any, seats: int) -> dict[str, Any]:
    """The schema of all that passes between the arena and a bot of this game in JSON lines.

    `$defs` has the messages by name: `hello`, `bye`, each question, and its answer as `NAME.answer`; what is
    written to a bot is any of those in `to-bot`, what it writes any of `from-bot`.
    """
    wire = game.wires["json"](settings, seats)
    codec = wire.codec if isinstance(wire, JsonWire) else Declared()
    facts = game.facts(settings, game.start(settings, seats, [0]), 0, 0)
    to_bot: dict[str, Any] = {
        "hello": closed({"hello": {**_like({**ARENA, **facts}), "additionalProperties": True}}),
        "bye": closed({"bye": {"const": True}}),
    }
    from_bot: dict[str, Any] = {"ready": _object({"ready": {"const": True}})}
    for name, question in game.questions(settings, seats).items():
        shown, answer = codec.schema(question)
        asked = closed({"ask": ASK, "question": {"const": name}, **shown})
        asked["properties"]["left"] = LEFT
        to_bot[name] = {"description": question.doc, **asked}
        from_bot[f"{name}.answer"] = _object({"ask": ASK, **answer})
    return {
        "$schema": DRAFT,
        "title": game.title,
        "description": f"The JSON lines of {game.name}: a message of `to-bot` or `from-bot`",
        "$defs": {**to_bot, **from_bot, "to-bot": _any_of(to_bot), "from-bot": _any_of(from_bot)},
        "anyOf": [{"$ref": "#/$defs/to-bot"}, {"$ref": "#/$defs/from-bot"}],
    }


def _any_of(messages: Mapping[str, Any]) -> dict[str, Any]:
    return {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in messages]}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    """An object with at least these keys: bots may add a `note`, and whatever else they like."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def _like(value: Any) -> dict[str, Any]:
    """The schema of values like this one."""
    if isinstance(value, bool):
        return {"type": "boolean"}
    if isinstance(value, int):
        return {"type": "integer"}
    if isinstance(value, float):
        return {"type": "number"}
    if isinstance(value, str):
        return {"type": "string"}
    if isinstance(value, Mapping):
        return closed({str(key): _like(part) for key, part in value.items()})
    if isinstance(value, (list, tuple)):
        return {"type": "array", "items": _like(value[0])} if value else {"type": "array"}
    return {}
