"""Pac-Man's text lines, as its statement has them, and the same in JSON lines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import compress
from typing import Any

from koth.errors import SettingsError
from koth.game import Array, Observations, Question
from koth.games.pacman.observation import CONTENTS
from koth.games.pacman.state import MOVES, ORDERS, STAY, Settings
from koth.protocol.bot_protocol import Answer, BotProtocol, Fault, Message, Reply
from koth.protocol.declared import Declared
from koth.protocol.shapes import field_schema

QUERY = re.compile(rb"([+-]?\d+),([+-]?\d+)")


@lru_cache(maxsize=8)
def names_of_squares(side: int, order: str) -> tuple[str, ...]:
    """Return the names of a maze's squares, row by row."""
    pairs = ((row, col) if order == "row,col" else (col, row) for row in range(side) for col in range(side))
    return tuple(f"{a},{b}" for a, b in pairs)


class TextProtocol(BotProtocol):
    """Rules 34 to 36: the text lines of one bot in one match. No handshake: koth asks at once.

    `coordinates` is the order that this bot wants; by default the settings' order.
    """

    handshake = False

    def __init__(self, settings: Settings, seats: int, *, coordinates: str | None = None) -> None:
        self.order = settings.coordinates if coordinates is None else coordinates
        if self.order not in ORDERS:
            raise SettingsError(f"coordinates must be one of {ORDERS}, not {coordinates!r}")
        self._most_queries = settings.side_queries
        self._side = settings.side_for(seats)
        self._names = names_of_squares(self._side, self.order)
        self._walls = ""
        self._observations: Observations | None = None
        self._queries = 0
        """Wall queries to the open question. One too many is found at once but reported with the answer, so that what
        the bot writes meanwhile is not taken as the next answer.
        """

    def hello(self, match_info: Mapping[str, Any]) -> bytes:
        self._walls = match_info["walls"]
        return self._walls.encode() + b"\n"

    def ask(self, observations: Observations) -> bytes:
        self._observations = observations
        self._queries = 0
        names = self._names
        squares = zip(observations.fields["square"].tolist(), observations.fields["content"].tolist(), strict=True)
        return (" ".join([names[square] + CONTENTS[what] for square, what in squares]) + "\n").encode()

    def decode(self, message: bytes) -> Message:
        if self._observations is None:
            return Fault("unasked", "an answer to no question", ends=False)
        line = b"".join(message.split())
        query = QUERY.fullmatch(line)
        if query is not None:
            self._queries += 1
            return Reply(self._digit(*query.groups()))
        if self._queries > self._most_queries:
            return Fault(
                "flood", f"asked about {self._queries} squares before a move, {self._most_queries} are allowed"
            )
        move = MOVES.find(line.decode("ascii", "replace").upper()) if len(line) == 1 else -1
        if move < 0:
            said = message[:100].decode("utf-8", "backslashreplace")
            return Fault("garbage", f"{said!r} is neither a move (N, E, S, W or X) nor a square (a,b)")
        answer = Answer.default(self._observations)
        answer.fields["move"][:] = move
        self._observations = None
        return answer

    def example(self, number: int, observations: Observations) -> str:
        return MOVES[STAY]

    def encode_answer(self, number: int, observations: Observations, fields: Mapping[str, Array]) -> str:
        return MOVES[int(fields["move"][0])]

    def _digit(self, a: bytes, b: bytes) -> bytes:
        """Return the answer to a side query: a square's walls, `?` outside the maze."""
        if max(len(a), len(b)) > 10:
            return b"?\n"  # no maze is as large as that
        row, col = (int(a), int(b)) if self.order == "row,col" else (int(b), int(a))
        inside = 0 <= row < self._side and 0 <= col < self._side
        return (self._walls[row * self._side + col] if inside else "?").encode() + b"\n"

    def bye(self) -> bytes:
        return b"Q\n"


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
