"""JSON Schemas of all messages of a game (draft 2020-12), made from its questions' declarations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from koth.game import Constants, Game, Observations, Question
from koth.protocol.bot_protocol import JsonProtocol
from koth.protocol.declared import Declared
from koth.protocol.shapes import closed_object, describe_values, meaning, open_object
from koth.question import KOTHS_OWN

DRAFT = "https://json-schema.org/draft/2020-12/schema"

ASK = {"type": "integer", "minimum": 1, "description": "the question's number; its answer repeats it"}
LEFT = {
    **open_object({"bank": {"type": "number"}, "strikes": {"type": "integer"}}),
    "description": "seconds of the bank, and late answers in a row that are still to be had; only once some are used",
}
SEED = {"type": "integer", "minimum": 0, "maximum": 2**63 - 1}
ARENA = {
    "game": {"type": "string", "description": "the game's name"},
    "ruleset": {"type": "string", "description": "the rules that are played"},
    "seat": {"type": "integer", "description": "the bot's place in names"},
    "names": {"type": "array", "items": {"type": "string"}, "description": "the bots of the match, by seat"},
    "seed": {**SEED, "description": "for the bot's own dice, another in each match"},
    "seconds": {"type": "number", "description": "how long an answer may take"},
    "bank": {"type": "number", "description": "seconds beyond that, in the whole match"},
    "strikes": {"type": "integer", "description": "late answers in a row that end the bot"},
}
"""The match info that every game's bots receive, in addition to the game's own."""


HELLO = "The first message; the bot answers `ready`."
READY = "The answer to `hello`: the bot has started."
BYE = "The last message: the match is over."


def game_schema(game: Game, settings: Any, seats: int | None) -> dict[str, Any]:
    """Return the schema of all JSON lines between the arena and a bot of this game.

    Without `seats` the schema is valid for every number of bots, if the parts that depend on that number lie between
    their values for the fewest and for the most. `$defs` has the messages by name: `hello`, `bye`, each question, and
    its answer as `NAME.answer`; messages to a bot match `to-bot`, messages from a bot `from-bot`.
    """
    fewest, most = (game.seats[0], game.seats[-1]) if seats is None else (seats, seats)
    questions, answers = map(
        _merge, _question_schemas(game, settings, fewest), _question_schemas(game, settings, most)
    )
    match_info = _match_info(game, first_match_info(game, settings, fewest), settings)
    to_bot: dict[str, Any] = {
        "hello": {"description": HELLO, **closed_object({"hello": open_object({**ARENA, **match_info})})},
        **questions,
        "bye": {"description": BYE, **closed_object({"bye": {"const": True}})},
    }
    ready = {"description": READY, **open_object({"ready": {"const": True}})}
    from_bot: dict[str, Any] = {"ready": ready, **answers}
    return {
        "$schema": DRAFT,
        "title": game.title,
        "description": f"The JSON lines of {game.name}: a message of `to-bot` or `from-bot`",
        "$defs": {**to_bot, **from_bot, "to-bot": _any_of(to_bot), "from-bot": _any_of(from_bot)},
        "anyOf": [{"$ref": "#/$defs/to-bot"}, {"$ref": "#/$defs/from-bot"}],
    }


def _match_info(game: Game, match_info: Mapping[str, Any], settings: Any) -> dict[str, Any]:
    nodes: dict[str, Any] = _schema_of(match_info)["properties"]
    for key, meaning_of_it in game.match_info_meanings.items():
        nodes[key] = {"description": meaning_of_it, **nodes[key]}
    if isinstance(settings, Constants):
        for key in nodes.keys() & vars(settings).keys():
            if match_info[key] == getattr(settings, key):
                if (doc := settings.meanings().get(key)) is not None:
                    nodes[key] = {"description": " ".join(doc.split()), **nodes[key]}
                if key in settings.ranges and nodes[key].get("type") in ("integer", "number"):
                    nodes[key]["minimum"], nodes[key]["maximum"] = settings.ranges[key]
    return nodes


def _question_schemas(game: Game, settings: Any, seats: int) -> tuple[dict[str, Any], dict[str, Any]]:
    codec = codec_of(game, settings, seats)
    to_bot: dict[str, Any] = {}
    from_bot: dict[str, Any] = {}
    for name, question in game.questions(settings, seats).items():
        shown, answer = codec.schema(question)
        asked = closed_object({"ask": ASK, "question": {"const": name}, **shown})
        asked["properties"]["left"] = LEFT
        to_bot[name] = {"description": question.doc, **asked}
        # a bot may add a `note`, drawings, and any other keys
        said = {"description": f"The answer to `{name}`.", **open_object({"ask": ASK, **answer})}
        from_bot[f"{name}.answer"] = said
    return to_bot, from_bot


MAPS = ("properties", "patternProperties")
"""Parts of a schema whose keys are defined by the game."""
LEAST, MOST = ("minimum", "minItems", "minLength"), ("maximum", "maxItems", "maxLength")


def _merge(one: Any, other: Any, key: str = "properties") -> Any:
    """Return a schema that allows all values that either of two similar schemas allows.

    With `key`, merge only their parts under this key.
    """
    if one == other or key == "description":
        return one
    if isinstance(one, dict):
        parts = {name: _merge(one[name], other[name], name) for name in one if name in other}
        if key in MAPS:
            return {**one, **other, **parts}
        return {name: part for name, part in parts.items() if part is not None}
    if key == "enum":
        return [*one, *(value for value in other if value not in one)]
    if key == "required":
        return [name for name in one if name in other]
    if isinstance(one, list):
        longer = max(one, other, key=len)
        shared = [_merge(*pair, "items") for pair in zip(one, other, strict=False)]
        return shared + longer[len(shared) :]
    if key == "pattern":
        return max(one, other, key=len)
    return min(one, other) if key in LEAST else max(one, other) if key in MOST else None


def codec_of(game: Game, settings: Any, seats: int) -> Any:
    """Return the codec of the game's questions in JSON."""
    protocol = game.protocols["json"](settings, seats)
    return protocol.codec if isinstance(protocol, JsonProtocol) else Declared()


def first_match_info(game: Game, settings: Any, seats: int) -> dict[str, Any]:
    """Return the match info that the game gives the first bot of a match."""
    return dict(game.match_info(settings, game.initial_state(settings, seats, [0]), 0, 0))


def examples_of(game: Game, settings: Any, seats: int) -> Iterator[tuple[str, Question, dict[str, Any]]]:
    """Yield each question with an example answer, without number or fault, of one unit that observes zeros."""
    codec, match_info = codec_of(game, settings, seats), first_match_info(game, settings, seats)
    one = np.zeros(1, np.int32)
    for name, question in game.questions(settings, seats).items():
        observation = {
            key: np.zeros(0 if spec.ragged else (1, *spec.shape), spec.dtype)
            for key, spec in question.observation.items()
        }
        yield (
            name,
            question,
            codec.example({**match_info, "names": ["one"]}, Observations(question, one, one, one, observation)),
        )


# --- for people


class MessageKeys(NamedTuple):
    """A message that a bot gets or sends: its meaning, and its keys, each with its values and their meaning."""

    name: str
    by_bot: bool
    meaning: str
    rows: list[tuple[str, str, str]]


def messages_of(schema: Mapping[str, Any]) -> Iterator[MessageKeys]:
    """Yield the messages of a game in the order of a match, each question before its answer."""
    messages = schema["$defs"]
    to_bot, from_bot = (
        [one["$ref"].rpartition("/")[2] for one in messages[f"{way}-bot"]["anyOf"]] for way in ("to", "from")
    )
    answers = {name: "ready" if name == "hello" else f"{name}.answer" for name in to_bot}
    for name in (each for asked in to_bot for each in (asked, answers[asked]) if each in messages):
        message = messages[name]
        yield MessageKeys(name, name in from_bot, message["description"], list(_rows(message["properties"], "")))


def rows_of(schema: Mapping[str, Any], question: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield the keys of a question and of its answer: which of the two, the key, its values, their meaning.

    Keys of objects within lists or objects have the form `players[].x`; keys that all games share are left out.
    """
    for part, name, own in (("shown", question, KOTHS_OWN[0]), ("answer", f"{question}.answer", {"ask"})):
        properties = schema["$defs"][name]["properties"]
        for row in _rows({key: node for key, node in properties.items() if key not in own}, ""):
            yield part, *row


def match_info_rows(schema: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the keys of the match info: the key, its values, their meaning."""
    return _rows(schema["$defs"]["hello"]["properties"]["hello"]["properties"], "")


def _rows(properties: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, str, str]]:
    for key, node in properties.items():
        yield prefix + key, describe_values(node), meaning(node)
        inner, path = node, prefix + key
        while inner.get("type") == "array" and "items" in inner and inner["items"]:
            inner, path = inner["items"], path + "[]"
        if "properties" in inner:
            yield from _rows(inner["properties"], f"{path}.")


# --- pieces


def _any_of(messages: Mapping[str, Any]) -> dict[str, Any]:
    return {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in messages]}


PLAIN = {bool: "boolean", int: "integer", float: "number", str: "string"}


def _schema_of(value: Any) -> dict[str, Any]:
    for kind, name in PLAIN.items():
        if isinstance(value, kind):
            return {"type": name}
    if isinstance(value, Mapping):
        return closed_object({str(key): _schema_of(part) for key, part in value.items()})
    if isinstance(value, (list, tuple)):
        return {"type": "array", "items": _schema_of(value[0])} if value else {"type": "array"}
    return {}
