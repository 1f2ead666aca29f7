"""Zombies in JSON lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from koth.bots.wires import Answer
from koth.game import Asks
from koth.games.zombies.state import BODY, MOVES, PLAYER, SHOOT, ZOMBIE

NAMES = {"Zombie": ZOMBIE, "DeadBody": BODY}


class Json:
    """The content of the messages.

    A question: `{"clock": 7, "players": [{"number", "x", "y", "bullets", "seen": [[dx, dy, name, number]]}]}`,
    everybody else in sight row by row from the north-west. The answer: `{"moves": {number: move}}`, where a
    move is a name like `"NORTH"`, or `{"shoot": [name, number]}` or `{"shoot": null}`.
    """

    def ask(self, facts: Mapping[str, Any], asks: Asks) -> dict[str, Any]:
        names = ["Zombie", "DeadBody", *facts["names"]]
        window = asks.view["window"].copy()
        centre = window.shape[1] // 2
        window[:, centre, centre] = 0
        rows, ys, xs = np.nonzero(window)
        codes = window[rows, ys, xs]
        seen: list[list[Any]] = [[] for _ in range(len(asks))]
        low = ((codes & 255) - 1).tolist()
        number = (codes >> 8).tolist()
        places = zip(rows.tolist(), (xs - centre).tolist(), (ys - centre).tolist(), low, number, strict=True)
        for row, dx, dy, name, k in places:
            seen[row].append([dx, dy, names[name], k])
        columns = (asks.view[key].tolist() for key in ("number", "x", "y", "bullets"))
        players = [
            {"number": n, "x": x, "y": y, "bullets": bullets, "seen": around}
            for n, x, y, bullets, around in zip(*columns, seen, strict=True)
        ]
        return {"clock": int(asks.view["clock"][0]), "players": players}

    def hear(self, facts: Mapping[str, Any], asks: Asks, message: dict[str, Any]) -> Answer:
        moves = message.get("moves")
        if not isinstance(moves, dict):
            raise ValueError('an answer must have "moves": an object with a move by player number')
        low = {name: PLAYER + seat for seat, name in enumerate(facts["names"])} | NAMES
        answer = Answer.default(asks)
        numbers = [str(number) for number in asks.view["number"].tolist()]
        for row, number in enumerate(numbers):
            if number not in moves:
                answer.blame(row, "missing", f"no move for player {number}")
                continue
            action = _action(moves[number], low)
            if action is None:
                text = f"player {number}: {moves[number]!r:.100} is no move; use one of {', '.join(MOVES)}"
                answer.blame(row, "illegal", text + ' or {"shoot": [name, number]}')
            else:
                answer.fields["action"][row], answer.fields["target"][row] = action
        strangers = sorted(set(moves) - set(numbers))
        if strangers:
            answer.errors.append((-1, f"moves for players that were not asked: {', '.join(strangers)[:200]}"))
        return answer


def _action(value: Any, low: Mapping[str, int]) -> tuple[int, int] | None:
    """(action, target) of one player's JSON, or None when it is no action."""
    if isinstance(value, str):
        name = value.strip().upper()
        return (MOVES.index(name), 0) if name in MOVES else None
    if not (isinstance(value, dict) and set(value) == {"shoot"}):
        return None
    target = value["shoot"]
    if (
        isinstance(target, list)
        and len(target) == 2
        and isinstance(target[0], str)
        and isinstance(target[1], int)
        and target[0] in low
        and 0 <= target[1] < 1 << 24
    ):
        return SHOOT, (target[1] << 8) + low[target[0]]
    return SHOOT, 0  # nobody, or nobody who can be: a shot all the same, and it costs a bullet
