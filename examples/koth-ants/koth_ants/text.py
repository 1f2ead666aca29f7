"""The contest's lines: `turn`, places, `go`; orders back until `go`; at last the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from koth.protocol.lines import LinesProtocol

SENT = (
    "turns",
    "loadtime",
    "turntime",
    "rows",
    "cols",
    "viewradius2",
    "attackradius2",
    "spawnradius2",
    "player_seed",
)
LETTERS = {"water": "w", "hill": "h", "ant": "a", "food": "f", "dead": "d"}
"""The things in the contest's order."""


class AntsText(LinesProtocol):
    """The contest's protocol; a bot sees itself as player 0."""

    ready = last = "go"
    bye_when_out = True

    def opening(self) -> str:
        head = (f"{key} {self.info[key]}" for key in SENT)
        return "\n".join(["turn 0", *head, "ready"])

    def question(self, seen: Mapping[str, Any]) -> str:
        lines = [f"turn {seen['turn']}"]
        for thing, letter in LETTERS.items():
            columns = [seen[name] for key in ("row", "col", "owner") if (name := f"{thing}_{key}") in seen]
            lines += [" ".join(map(str, (letter, *place))) for place in zip(*columns, strict=True)]
        return "\n".join([*lines, "go"])

    def parse_line(self, line: str) -> Any:
        if not line or line.startswith("#"):
            return None
        word, row, column, way = line.lower().split()
        place = [int(row), int(column)]
        if word != "o" or way not in ("n", "e", "s", "w"):
            raise ValueError("is no order: o ROW COLUMN n, e, s or w")
        if not (0 <= place[0] < self.info["rows"] and 0 <= place[1] < self.info["cols"]):
            raise ValueError("is not on the map")
        return place, way

    def answer(self, parts: list[Any]) -> Mapping[str, Any]:
        orders = {tuple(place): way for place, way in reversed(parts)}  # the first order to an ant counts
        return {"at": [list(place) for place in orders], "way": "".join(orders.values())}

    def answer_text(self, answer: Mapping[str, Any]) -> str:
        orders = zip(answer["at"], answer["way"], strict=True)
        return "\n".join(f"o {row} {column} {way}" for (row, column), way in orders)

    def closing(self, scores: Sequence[float]) -> str:
        return f"end\nplayers {self.seats}\nscore {' '.join(map(str, scores))}\ngo"
