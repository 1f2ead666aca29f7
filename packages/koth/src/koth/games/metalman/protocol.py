"""Metal Man in JSON lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from koth.game import Array, Observations, Question
from koth.games.metalman.percepts import (
    DIRECTIONS,
    NONE,
    PARTS,
    STATEMENT_PIECES,
    action_note,
    percepts,
    plain_fields,
    read_action,
)
from koth.games.metalman.state import PIECES
from koth.protocol.bot_protocol import Answer
from koth.protocol.shapes import closed_object, field_schema


class Json:
    """The content of the messages.

    A question holds the percepts under the statement's keys (`"board"`, `"spotter location"` ...), the answer the
    action: `{"Spotter": {"moves": [[-1, 0]], "direction": [0, 1]}, "Assasin": {...}}`. Further keys are kept
    beside the replay.
    """

    def ask(self, match_info: Mapping[str, Any], observations: Observations) -> dict[str, Any]:
        return percepts(
            {name: array.ravel().tolist() for name, array in observations.fields.items()}, match_info["columns"]
        )

    def decode(self, match_info: Mapping[str, Any], observations: Observations, message: dict[str, Any]) -> Answer:
        steps = (match_info["spotter_steps"], match_info["assassin_steps"])
        said = {key: value for key, value in message.items() if key != "ask"}
        action = read_action(said, steps, observations.fields["alive"][0].tolist())
        answer = Answer.default(observations)
        for piece, name in enumerate(PIECES):
            codes = action.moves[piece]
            answer.fields[f"{name}_moves"][0, : len(codes)] = codes
            answer.fields[f"{name}_direction"][0] = action.direction[piece]
        for text in action.missing:
            answer.blame(0, "missing", text)
        for text in action.illegal:
            answer.blame(0, "illegal", text)
        answer.note = action_note(action)
        return answer

    def example(self, match_info: Mapping[str, Any], observations: Observations) -> dict[str, Any]:
        facing = [list(DIRECTIONS[code]) for code in observations.fields["facing"][0].tolist()]
        steps = match_info["spotter_steps"], match_info["assassin_steps"]
        return {
            name: {"moves": [towards] * most, "direction": towards}
            for name, most, towards in zip(PARTS, steps, facing, strict=True)
        }

    def encode(
        self, match_info: Mapping[str, Any], observations: Observations, fields: Mapping[str, Array]
    ) -> dict[str, Any]:
        said = self.example(match_info, observations)
        for name, field in zip(PARTS, PIECES, strict=True):
            moves, direction = fields[f"{field}_moves"][0].tolist(), int(fields[f"{field}_direction"][0])
            said[name]["moves"] = [list(DIRECTIONS[code]) for code in moves if code != NONE]
            if direction != NONE:
                said[name]["direction"] = list(DIRECTIONS[direction])
        return said

    def schema(self, question: Question) -> tuple[dict[str, Any], dict[str, Any]]:
        observation = question.observation
        coordinates = [{"type": "integer", "title": "row"}, {"type": "integer", "title": "column"}]
        place: dict[str, Any] = {
            "title": "Place",
            "description": "row and column; of a dead piece where it died",
            "type": "array",
            "prefixItems": coordinates,
            "minItems": 2,
            "items": False,
        }
        pairs = [list(direction) for direction in DIRECTIONS]
        direction = {"title": "Direction", "description": "where it faces: [1, 0] is down", "enum": pairs}
        step = {"title": "Step", "enum": [*pairs, [0, 0]]}
        player = {"type": "integer", "minimum": 0, "description": "the number of its player"}
        piece = {"title": "Piece", "enum": list(STATEMENT_PIECES)}
        terrain = observation["board"]
        ground: dict[str, Any] = {"title": "Ground", "type": "integer", "minimum": -1, "maximum": 2}
        enemy = {
            "title": "Enemy",
            **closed_object({"playerId": player, "direction": direction, "type": piece, "square": ground}),
        }
        line = {"type": "array", "items": {"title": "Square", "anyOf": [ground, enemy]}}
        shown: dict[str, Any] = {
            "board": {"type": "array", "items": line, "description": f"rows of squares: {terrain.doc}"}
        }
        shown |= {key: field_schema(observation[name]) for name, key in plain_fields(observation).items()}
        for name in STATEMENT_PIECES:
            alive = {"type": "boolean", "description": "false: it moves no more"}
            shown |= {f"{name} location": place, f"{name} alive": alive, f"{name} direction": direction}
        said = {}
        for part, moves in zip(PARTS, ("spotter_moves", "assassin_moves"), strict=True):
            doc = f"its steps in order, {question.answer[moves].shape[0]} of which count; [0, 0] stays"
            orders = {"moves": {"type": "array", "items": step, "description": doc}, "direction": direction}
            said[part] = {"title": "Orders", **closed_object(orders)}
        return shown, said
