"""Metal Man in JSON lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from koth.game import Array, Asks, Question
from koth.games.metalman.percepts import DIRECTIONS, NONE, PARTS, PIECES, percepts, read_action, said_besides
from koth.games.metalman.state import Settings
from koth.protocol.shapes import closed, field_schema
from koth.protocol.wires import Answer, JsonWire


class Json:
    """The content of the messages.

    A question holds the percepts under the statement's keys (`"board"`, `"spotter location"` ...), the answer the
    action: `{"Spotter": {"moves": [[-1, 0]], "direction": [0, 1]}, "Assasin": {...}}`. Further keys are kept in the
    replay.
    """

    def ask(self, facts: Mapping[str, Any], asks: Asks) -> dict[str, Any]:
        return percepts({name: array.ravel().tolist() for name, array in asks.view.items()}, facts["columns"])

    def hear(self, facts: Mapping[str, Any], asks: Asks, message: dict[str, Any]) -> Answer:
        steps = (facts["spotter_steps"], facts["assassin_steps"])
        said = {key: value for key, value in message.items() if key != "ask"}
        action = read_action(said, steps, asks.view["alive"][0].tolist())
        answer = Answer.default(asks)
        for piece, name in enumerate(("spotter", "assassin")):
            codes = action.moves[piece]
            answer.fields[f"{name}_moves"][0, : len(codes)] = codes
            answer.fields[f"{name}_direction"][0] = action.direction[piece]
        for text in action.missing:
            answer.blame(0, "missing", text)
        for text in action.illegal:
            answer.blame(0, "illegal", text)
        answer.note = said_besides(action)
        return answer

    def example(self, facts: Mapping[str, Any], asks: Asks) -> dict[str, Any]:
        facing = [list(DIRECTIONS[code]) for code in asks.view["facing"][0].tolist()]
        return {name: {"moves": [], "direction": towards} for name, towards in zip(PARTS, facing, strict=True)}

    def say(self, facts: Mapping[str, Any], asks: Asks, fields: Mapping[str, Array]) -> dict[str, Any]:
        said = self.example(facts, asks)
        for name, field in zip(PARTS, ("spotter", "assassin"), strict=True):
            moves, direction = fields[f"{field}_moves"][0].tolist(), int(fields[f"{field}_direction"][0])
            said[name]["moves"] = [list(DIRECTIONS[code]) for code in moves if code != NONE]
            if direction != NONE:
                said[name]["direction"] = list(DIRECTIONS[direction])
        return said

    def schema(self, question: Question) -> tuple[dict[str, Any], dict[str, Any]]:
        view = question.view
        parts = [{"type": "integer", "title": "row"}, {"type": "integer", "title": "column"}]
        pair = {"type": "array", "prefixItems": parts, "minItems": 2, "items": False}
        place, step = {"title": "Place", **pair}, {"title": "Step", **pair}
        direction = {**step, "enum": [list(direction) for direction in DIRECTIONS]}
        who, piece = {"type": "integer", "minimum": 0}, {"title": "Piece", "enum": list(PIECES)}
        ground: dict[str, Any] = {"title": "Ground", "type": "integer", "minimum": -1, "maximum": 2}
        enemy = {
            "title": "Enemy",
            **closed({"playerId": who, "direction": direction, "type": piece, "square": ground}),
        }
        line = {"type": "array", "items": {"title": "Square", "anyOf": [ground, enemy]}}
        shown = {
            "board": {"type": "array", "items": line, "description": view["board"].doc},
            "timer": field_schema(view["timer"]),
            "circles collapsed": field_schema(view["circles"]),
        }
        for name in PIECES:
            shown |= {f"{name} location": place, f"{name} alive": {"type": "boolean"}, f"{name} direction": direction}
        part = {"title": "Orders", **closed({"moves": {"type": "array", "items": step}, "direction": direction})}
        return shown, dict.fromkeys(PARTS, part)


def open_json(settings: Settings, seats: int) -> JsonWire:
    """The wire of JSON lines."""
    return JsonWire(Json())
