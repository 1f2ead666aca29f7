"""Pac-Man's text lines, as its statement has them, and the same in JSON lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any

from koth.errors import SettingsError
from koth.game import Observations, Question
from koth.games.pacman.observation import CONTENTS
from koth.games.pacman.state import MOVES, ORDERS, Settings
from koth.protocol.bot_protocol import Fault, Reply
from koth.protocol.declared import Declared
from koth.protocol.lines import LinesProtocol
from koth.protocol.shapes import field_schema

QUERY = re.compile(r"([+-]?\d+),([+-]?\d+)", re.ASCII)


class Json(Declared):
    """The content of the JSON messages.

    A question: `{"row": 3, "col": 7, "self": "X", "free": "NEX", "seen": [[row, col, "o"], ...]}`, letters and order
    as in the text lines, without the piece's own square. The answer: `{"move": "N"}`. The hello has `side` and
    `walls`.
    """

    def ask(self, match_info: Mapping[str, Any], observations: Observations) -> dict[str, Any]:
        squares = [divmod(square, match_info["side"]) for square in observations.fields["square"].tolist()]
        letters = [CONTENTS[what] for what in observations.fields["content"].tolist()]
        (row, col), own = squares[0], letters[0]
        seen = [[r, c, letter] for (r, c), letter in zip(squares[1:], letters[1:], strict=True)]
        free = "".join(compress(MOVES, observations.fields["free"][0]))
        return {"row": row, "col": col, "self": own, "free": free, "seen": seen}

    def schema(self, question: Question) -> tuple[dict[str, Any], dict[str, Any]]:
        row, column = (
            {"type": "integer", "minimum": 0, "description": f"its {key}, counted from the {edge}"}
            for key, edge in (("row", "north"), ("column", "west"))
        )
        letter = field_schema(replace(question.observation["content"], ragged=None))
        parts = [{"title": "row", **row}, {"title": "col", **column}, {"title": "letter", **letter}]
        square = {"title": "Square", "type": "array", "prefixItems": parts, "items": False}
        seen = {"type": "array", "items": square, "description": "squares in sight: row, column, letter"}
        free = {"type": "string", "pattern": f"^[{MOVES}]*$", "description": "moves that no wall is in the way of"}
        return {"row": row, "col": column, "self": letter, "free": free, "seen": seen}, super().schema(question)[1]


class TextProtocol(LinesProtocol):
    """Rules 34 to 36: the text lines of one bot in one match. No handshake: koth asks at once.

    `coordinates` is the order that this bot wants; by default the settings' order.
    """

    codec = Json()

    def __init__(self, settings: Settings, seats: int, *, coordinates: str | None = None) -> None:
        super().__init__(settings, seats)
        self.order = settings.coordinates if coordinates is None else coordinates
        if self.order not in ORDERS:
            raise SettingsError(f"coordinates must be one of {ORDERS}, not {coordinates!r}")
        self._most_queries = settings.side_queries
        self._queries = 0
        """Wall queries to the open question. One too many is found at once but reported with the answer, so that what
        the bot writes meanwhile is not taken as the next answer.
        """

    def opening(self) -> str:
        walls: str = self.info["walls"]
        return walls

    def question(self, seen: Mapping[str, Any]) -> str:
        self._queries = 0
        squares = ((seen["row"], seen["col"], seen["self"]), *seen["seen"])
        if self.order == "row,col":
            return " ".join([f"{row},{col}{letter}" for row, col, letter in squares])
        return " ".join([f"{col},{row}{letter}" for row, col, letter in squares])

    def parse_line(self, line: str) -> Any:
        word = "".join(line.split())
        if query := QUERY.fullmatch(word):
            self._queries += 1
            return Reply(f"{self._digit(*query.groups())}\n".encode())
        if word.isascii() and len(word) == 1 and word.upper() in MOVES:
            return word
        raise ValueError("neither a move (N, E, S, W or X) nor a square (a,b)")

    def answer(self, parts: Sequence[str]) -> Mapping[str, Any] | Fault:
        if self._queries > self._most_queries:
            return Fault(
                "flood", f"asked about {self._queries} squares before a move, {self._most_queries} are allowed"
            )
        return {"move": parts[0]}

    def answer_text(self, answer: Mapping[str, Any]) -> str:
        move: str = answer["move"]
        return move

    def _digit(self, a: str, b: str) -> str:
        """Return the answer to a side query: a square's walls, `?` outside the maze."""
        if max(len(a), len(b)) > 10:
            return "?"  # no maze is as large as that
        row, col = (int(a), int(b)) if self.order == "row,col" else (int(b), int(a))
        side, walls = self.info["side"], self.info["walls"]
        return walls[row * side + col] if 0 <= row < side and 0 <= col < side else "?"

    def closing(self, scores: Sequence[float]) -> str:
        return "Q"
