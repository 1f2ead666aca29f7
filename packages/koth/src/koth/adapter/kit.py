"""Parts that the Python APIs of all games share, in the bot's process: standard library only, Python 3.9 on.

The adapter makes this module importable for a game's API, and nothing else of the engine.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from enum import Enum
from types import FunctionType, ModuleType
from typing import Any, TypeVar

MOST_DRAWINGS = 500
"""The largest number of drawings that koth keeps of an answer."""
LARGEST_NOTE = 1 << 14
"""The largest size of a note in bytes of JSON, so that no bot fills the disk."""
MISSING, ILLEGAL = 7, 8
"""Codes of faults in `koth.question.FAULTS`: a missing answer, and an answer that is not an action of the game."""

M = TypeVar("M", bound="Compass")


class Compass(Enum):
    """Steps as (x, y), x to the east, y to the south: the base class of an enum of a game's ordered moves."""

    x: int
    y: int
    index: int
    """The move's index in the game's order, which is its code in an answer."""

    def __init__(self, x: int, y: int) -> None:
        self.x, self.y = x, y
        self.index = len(type(self).__members__)

    @classmethod
    def random_move(cls: type[M]) -> M:
        """Return a move at random, all equally likely."""
        return random.choice(list(cls))

    @classmethod
    def in_direction(cls: type[M], x: int, y: int) -> M:
        """Return the move whose step has the signs of x and y."""
        return cls(((x > 0) - (x < 0), (y > 0) - (y < 0)))  # type: ignore[arg-type,call-arg]


def move_hint(moves: type[Compass], done: Any) -> str:
    """Return a hint about a returned value that is not a move, to end a sentence; empty if there is no hint."""
    if done is None:
        return ": is a return missing?"
    name = str(done).strip().upper().rpartition(".")[2] if isinstance(done, str) else ""
    return f": use {moves.__name__}.{name}" if name in moves.__members__ else ""


def find_bot_class(module: ModuleType, fits: Callable[[Any], bool], wanted: str) -> Any:
    """Return the only class in the bot's file that fits, ignoring base classes of other fitting classes.

    Raises TypeError that names the wanted class and the classes that were found.
    """
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == module.__name__ and fits(value)
    ]
    found = [c for c in found if not any(c is not other and issubclass(other, c) for other in found)]
    if len(found) != 1:
        names = ", ".join(c.__name__ for c in found) or _describe_module(module)
        raise TypeError(f"{wanted}; found: {names}")
    return found[0]


def _describe_module(module: ModuleType) -> str:
    """Return the text for a file without a bot class; it lists the file's classes and functions."""
    own = {name: value for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__}
    seen = []
    for name, value in own.items():
        if isinstance(value, type):
            methods = [method for method, what in vars(value).items() if callable(what) and method[0] != "_"]
            seen.append(f"the class {name} with {', '.join(methods[:5]) or 'no method'}")
        elif isinstance(value, FunctionType):
            seen.append(f"the function {name}")
    there = f", but {', '.join(seen[:5])}" if seen else ""
    return f"none{there} (a program that speaks JSON says so in its koth.toml)"


class TimeLeft:
    """The time that a bot has left: `bank` seconds beyond its budget, and `strikes` late answers in a row until the
    bot is ended.
    """

    def __init__(self, match_info: dict[str, Any]) -> None:
        self._bank, self._strikes = float(match_info.get("bank", 0)), int(match_info.get("strikes", 0))
        self.bank, self.strikes = self._bank, self._strikes

    def update(self, call: Any) -> None:
        """Update the time left from a question's counters of used time."""
        self.bank = max(0.0, self._bank - call.bank)
        self.strikes = self._strikes - call.strikes


class ShuffledRows:
    """The rows of questions in random orders that follow from the bot's seed."""

    def __init__(self, match_info: dict[str, Any]) -> None:
        self._random = random.Random(f"{match_info['seed']}/order")

    def rows(self, call: Any) -> Iterator[int]:
        order = list(range(call.rows))
        self._random.shuffle(order)
        return iter(order)


def format_repr(value: Any) -> str:
    """Return the beginning of a value's `repr`, or the error that `repr` raises."""
    try:
        return repr(value)[:1000]
    except Exception as error:
        return f"(can't be shown: {error!r})"


_notes: list[Any] = []


def note(value: Any) -> None:
    """Store a note for the author with the answer: any value that JSON can hold. A question's last note counts."""
    _notes[:] = [value]


def take_note(call: Any) -> None:
    """Move the note that the bot made during a question into the answer."""
    if _notes:
        call.note = _notes.pop()


class Debug:
    """Drawings and notes that a bot leaves for its author, who sees them in the viewer; they are never in the replay.

    Give squares as the game gives squares to the bot. Excess drawings are dropped; a mistake in a drawing never costs
    the bot its answer.
    """

    def __init__(self) -> None:
        self._drawn: list[dict[str, Any]] = []

    def mark(self, a: Any, b: Any, text: Any = None, color: str | None = None) -> None:
        """Draw a square, with a text or a number inside."""
        self._draw("square", [a, b], text, color)

    def line(self, a: Any, b: Any, c: Any, d: Any, text: Any = None, color: str | None = None) -> None:
        """Draw a line from the middle of the square (a, b) to the middle of (c, d), with a text halfway."""
        self._draw("line", [a, b, c, d], text, color)

    def text(self, a: Any, b: Any, text: Any, color: str | None = None) -> None:
        """Draw a text or a number on a square."""
        self._draw("at", [a, b], text, color)

    def note(self, value: Any) -> None:
        """Store a note for the log of this turn; the same as `note(value)`."""
        note(value)

    def _draw(self, shape: str, places: list[Any], text: Any, color: str | None) -> None:
        if len(self._drawn) > MOST_DRAWINGS:
            return
        drawing: dict[str, Any] = {shape: [_to_number(place) for place in places]}
        try:
            drawing |= {
                key: str(value)[:200] for key, value in (("text", text), ("color", color)) if value is not None
            }
        except Exception:  # the __str__ of a bot's class may raise anything
            return
        self._drawn.append(drawing)

    def take(self) -> list[dict[str, Any]]:
        """Return the drawings made since the last answer, and clear them."""
        drawn, self._drawn = self._drawn, []
        return drawn


def _to_number(value: Any) -> Any:
    """Return a coordinate as int or float, whichever library's number it is; None for other values."""
    try:
        number = float(value)  # (raises OverflowError for integers that are too large for JSON)
        return int(value) if int(value) == value else number
    except (TypeError, ValueError, OverflowError):
        return None


debug = Debug()
