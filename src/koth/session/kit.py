"""Parts that the Python APIs of all games share. It runs in the bot's process: standard library only, Python 3.9 on.

The runner makes it importable there, and nothing else of the engine.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from enum import Enum
from types import FunctionType, ModuleType
from typing import Any, TypeVar

MOST_DRAWN = 500
"""Drawings of an answer from which on no more are taken."""
MISSING, ILLEGAL = 7, 8
"""Codes of faults: an answer that is not there, and one that is no action of the game."""

M = TypeVar("M", bound="Compass")


class Compass(Enum):
    """Steps as (x, y), x to the east, y to the south: the base of a game's moves, which lists them in its order."""

    x: int
    y: int
    index: int
    """Its place in the game's order: the code of an answer."""

    def __init__(self, x: int, y: int) -> None:
        self.x, self.y = x, y
        self.index = len(type(self).__members__)

    @classmethod
    def random_move(cls: type[M]) -> M:
        """Return one of the moves, all equally likely."""
        return random.choice(list(cls))

    @classmethod
    def in_direction(cls: type[M], x: int, y: int) -> M:
        """Return the move whose step has the signs of x and y."""
        return cls(((x > 0) - (x < 0), (y > 0) - (y < 0)))  # type: ignore[arg-type,call-arg]


def meant(moves: type[Compass], done: Any) -> str:
    """Return what was probably meant by a value that is no move: the end of a sentence; empty if unknown."""
    if done is None:
        return ": is a return missing?"
    name = str(done).strip().upper().rpartition(".")[2] if isinstance(done, str) else ""
    return f": use {moves.__name__}.{name}" if name in moves.__members__ else ""


def entry_class(module: ModuleType, fits: Callable[[Any], bool], wanted: str) -> Any:
    """The one class defined in the bot's file that fits, those that others there are built on left out.

    Raises TypeError with what is wanted, and what was found.
    """
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == module.__name__ and fits(value)
    ]
    found = [c for c in found if not any(c is not other and issubclass(other, c) for other in found)]
    if len(found) != 1:
        names = ", ".join(c.__name__ for c in found) or _unfit(module)
        raise TypeError(f"{wanted}; found: {names}")
    return found[0]


def _unfit(module: ModuleType) -> str:
    """Return in words that no entry class is there, and what is there instead."""
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


class Left:
    """What a bot has left: `bank` seconds beyond its budget, `strikes` late answers in a row before it is ended."""

    def __init__(self, match_info: dict[str, Any]) -> None:
        self._bank, self._strikes = float(match_info.get("bank", 0)), int(match_info.get("strikes", 0))
        self.bank, self.strikes = self._bank, self._strikes

    def update(self, call: Any) -> None:
        """Update from the numbers of a question."""
        self.bank = max(0.0, self._bank - call.bank)
        self.strikes = self._strikes - call.strikes


class Shuffled:
    """The rows of questions in random orders that follow from the bot's seed."""

    def __init__(self, match_info: dict[str, Any]) -> None:
        self._random = random.Random(f"{match_info['seed']}/order")

    def rows(self, call: Any) -> Iterator[int]:
        order = list(range(call.rows))
        self._random.shuffle(order)
        return iter(order)


_notes: list[Any] = []


def note(value: Any) -> None:
    """Keep something for the author beside this answer: whatever JSON can hold. A question's last one counts."""
    _notes[:] = [value]


def take_note(call: Any) -> None:
    """Put what was noted while a question was answered into its answer."""
    if _notes:
        call.note = _notes.pop()


class Debug:
    """What a bot leaves for its author, to be seen in the viewer: it stands beside the replay, never in it.

    Squares are told as the game tells them to the bot. What is too much is left out; nothing here costs the bot an
    answer.
    """

    def __init__(self) -> None:
        self._drawn: list[dict[str, Any]] = []

    def mark(self, a: Any, b: Any, text: Any = None, color: str | None = None) -> None:
        """Draw a square, with a text or a number in it."""
        self._draw("square", [a, b], text, color)

    def line(self, a: Any, b: Any, c: Any, d: Any, text: Any = None, color: str | None = None) -> None:
        """Draw a line from the middle of the square (a, b) to that of (c, d), with a text at its middle."""
        self._draw("line", [a, b, c, d], text, color)

    def text(self, a: Any, b: Any, text: Any, color: str | None = None) -> None:
        """Draw a text or a number on a square."""
        self._draw("at", [a, b], text, color)

    def note(self, value: Any) -> None:
        """Note something for the log of this turn; the same as `note(value)`."""
        note(value)

    def _draw(self, shape: str, places: list[Any], text: Any, color: str | None) -> None:
        if len(self._drawn) > MOST_DRAWN:
            return
        drawing: dict[str, Any] = {shape: [_number(place) for place in places]}
        try:
            drawing |= {key: str(told)[:200] for key, told in (("text", text), ("color", color)) if told is not None}
        except Exception:  # it is no text, whatever its class does when it is asked for one
            return
        self._drawn.append(drawing)

    def take(self) -> list[dict[str, Any]]:
        """Return what was drawn since the last answer, and forget it."""
        drawn, self._drawn = self._drawn, []
        return drawn


def _number(value: Any) -> Any:
    """Return a coordinate, of any library's number type; None for anything else."""
    try:
        number = float(value)  # (of an integer without end, too: JSON has no room for one)
        return int(value) if int(value) == value else number
    except (TypeError, ValueError, OverflowError):
        return None


debug = Debug()
