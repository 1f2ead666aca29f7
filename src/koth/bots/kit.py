"""What the Python APIs of all games share. It runs in the bot's process: standard library only, Python 3.9 on.

The runner makes it importable there, and nothing else of the engine.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from enum import Enum
from types import ModuleType
from typing import Any, TypeVar

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
        """One of them, all alike."""
        return random.choice(list(cls))

    @classmethod
    def in_direction(cls: type[M], x: int, y: int) -> M:
        """The move whose step has the signs of x and y."""
        return cls(((x > 0) - (x < 0), (y > 0) - (y < 0)))  # type: ignore[arg-type,call-arg]


def entry_class(module: ModuleType, fits: Callable[[Any], bool], wanted: str) -> Any:
    """The one class defined in the bot's file that fits, those that others there are built on left out.

    Raises TypeError with what is wanted, and what was found.
    """
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == module.__name__ and fits(value)
    ]
    if len(found) > 1:
        found = [c for c in found if not any(c is not other and issubclass(other, c) for other in found)]
    if len(found) != 1:
        names = ", ".join(c.__name__ for c in found) or "none (a program that speaks JSON says so in its koth.toml)"
        raise TypeError(f"{wanted}; found: {names}")
    return found[0]


class Left:
    """What a bot has left: `bank` seconds beyond its budget, `strikes` late answers in a row before it is ended."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self._bank, self._strikes = float(facts.get("bank", 0)), int(facts.get("strikes", 0))
        self.bank, self.strikes = self._bank, self._strikes

    def update(self, call: Any) -> None:
        """As a question tells it."""
        self.bank = max(0.0, self._bank - call.bank)
        self.strikes = self._strikes - call.strikes


class Shuffled:
    """The rows of questions in random orders that follow from the bot's seed."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self._random = random.Random(f"{facts['seed']}/order")

    def rows(self, call: Any) -> Iterator[int]:
        order = list(range(call.rows))
        self._random.shuffle(order)
        return iter(order)


_notes: list[Any] = []


def note(value: Any) -> None:
    """Keep something in the replay beside this answer: whatever JSON can hold. The last note of a question counts."""
    _notes[:] = [value]


def take_note(call: Any) -> None:
    """Put what was noted while a question was answered into its answer."""
    if _notes:
        call.note = _notes.pop()
