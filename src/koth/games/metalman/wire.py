"""Metal Man in JSON lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from koth.bots.wires import Answer, JsonWire
from koth.game import Asks
from koth.games.metalman.percepts import percepts, plain, read_action
from koth.games.metalman.state import Settings


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
        answer.note = plain(action.extra) or None
        return answer


def open_json(settings: Settings, seats: int) -> JsonWire:
    """The wire of JSON lines."""
    return JsonWire(Json())
