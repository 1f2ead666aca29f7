"""Zombies in JSON lines."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from koth.game import Array, Observations, Question
from koth.games.zombies.state import BODY, MOVES, PLAYER, SHOOT, ZOMBIE
from koth.protocol.bot_protocol import Answer
from koth.protocol.declared import decode_by_number
from koth.protocol.shapes import by_number_schema, closed_object, field_schema

NAMES = {"Zombie": ZOMBIE, "DeadBody": BODY}


class Json:
    """The content of the messages.

    A question: `{"clock": 7, "players": [{"number", "x", "y", "bullets", "seen": [[dx, dy, name, number]]}]}`,
    everybody else in sight row by row from the north-west. The answer: `{"moves": {number: move}}`, where a
    move is a name like `"NORTH"`, or `{"shoot": [name, number]}` or `{"shoot": null}`.
    """

    def ask(self, match_info: Mapping[str, Any], observations: Observations) -> dict[str, Any]:
        names = ["Zombie", "DeadBody", *match_info["names"]]
        window = observations.fields["window"].copy()
        centre = window.shape[1] // 2
        window[:, centre, centre] = 0
        rows, ys, xs = np.nonzero(window)
        codes = window[rows, ys, xs]
        seen: list[list[Any]] = [[] for _ in range(len(observations))]
        low = ((codes & 255) - 1).tolist()
        number = (codes >> 8).tolist()
        places = zip(rows.tolist(), (xs - centre).tolist(), (ys - centre).tolist(), low, number, strict=True)
        for row, dx, dy, name, k in places:
            seen[row].append([dx, dy, names[name], k])
        own = {name: observations.fields[name].tolist() for name in _own(observations.question)} | {"seen": seen}
        players = [dict(zip(own, values, strict=True)) for values in zip(*own.values(), strict=True)]
        return {"clock": int(observations.fields["clock"][0]), "players": players}

    def decode(self, match_info: Mapping[str, Any], observations: Observations, message: dict[str, Any]) -> Answer:
        moves = message.get("moves")
        if not isinstance(moves, dict):
            raise ValueError('an answer must have "moves": an object with a move by player number')
        low = {name: PLAYER + seat for seat, name in enumerate(match_info["names"])} | NAMES
        answer = Answer.default(observations)
        decode_by_number(answer, observations, moves, "player", partial(_action, low))
        return answer

    def example(self, match_info: Mapping[str, Any], observations: Observations) -> dict[str, Any]:
        return {"moves": dict.fromkeys(map(str, observations.question.labels(observations)), "STAY")}

    def encode(
        self, match_info: Mapping[str, Any], observations: Observations, fields: Mapping[str, Array]
    ) -> dict[str, Any]:
        names = {ZOMBIE: "Zombie", BODY: "DeadBody"} | {
            PLAYER + seat: n for seat, n in enumerate(match_info["names"])
        }
        labels = map(str, observations.question.labels(observations))
        rows = zip(labels, fields["action"].tolist(), fields["target"].tolist(), strict=True)
        return {"moves": {label: _encode_action(names, action, target) for label, action, target in rows}}

    def schema(self, question: Question) -> tuple[dict[str, Any], dict[str, Any]]:
        own = {name: field_schema(question.observation[name]) for name in _own(question)}
        who = [{"type": "string", "title": "name"}, {"type": "integer", "title": "number"}]
        somebody = [{"type": "integer", "title": "dx"}, {"type": "integer", "title": "dy"}, *who]
        seen: dict[str, Any] = {"title": "Somebody", "type": "array", "prefixItems": somebody, "items": False}
        seen["description"] = "who is in sight: squares to the east, squares to the south, name, number"
        players = {"type": "array", "items": closed_object({**own, "seen": {"type": "array", "items": seen}})}
        target = [{"title": "Target", "type": "array", "prefixItems": who}, {"type": "null"}]
        move = [
            {"title": "Step", "enum": list(MOVES)},
            {"title": "Shoot", **closed_object({"shoot": {"anyOf": target}})},
        ]
        asked = {"clock": field_schema(question.observation["clock"]), "players": players}
        return asked, {"moves": by_number_schema({"description": "a step, or whom it shoots", "anyOf": move})}


def _own(question: Question) -> list[str]:
    """Return the fields that the message contains unchanged, for each player."""
    first = ("number", "x", "y")
    return [*first, *(name for name in question.observation if name not in (*first, "window", "clock"))]


def _encode_action(names: Mapping[int, str], action: int, target: int) -> Any:
    """Return one player's action as JSON."""
    if action != SHOOT:
        return MOVES[action]
    name = names.get(target & 255)
    return {"shoot": None if name is None else [name, target >> 8]}


def _action(low: Mapping[str, int], value: Any) -> dict[str, int]:
    """Parse one player's action from JSON. Raises ValueError if it is not an action."""
    if isinstance(value, str) and value.strip().upper() in MOVES:
        return {"action": MOVES.index(value.strip().upper())}
    if not (isinstance(value, dict) and set(value) == {"shoot"}):
        wanted = f'{", ".join(MOVES)} or {{"shoot": [name, number]}}'
        raise ValueError(f"{value!r:.100} is not a move; use one of {wanted}")
    target = value["shoot"]
    if (
        isinstance(target, list)
        and len(target) == 2
        and isinstance(target[0], str)
        and type(target[1]) is int
        and target[0] in low
        and 0 <= target[1] < 1 << 24
    ):
        return {"action": SHOOT, "target": (target[1] << 8) + low[target[0]]}
    return {"action": SHOOT}  # at nobody, or nobody who can be: a shot all the same, and it costs a bullet
