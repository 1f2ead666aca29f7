"""The Python API of aliens: what a bot file imports.

    from koth.games.aliens.bot import Alien, Move

    class Grazer(Alien):
        def set_ability_points(self, points):
            points[:] = 2, 2, 2, 2, 2       # life, strength, defense, vision, cleverness

        def move(self, fields):
            return Move.STAY                # fields[x][y]; you are at fields[self.sight][self.sight]

        def want_to_fight(self, enemy):
            return enemy[1] < self.strength  # life, strength, defense, vision

The one class of the file that extends `Alien` is the bot: there is an object of it for each of your 100
instances. They may share what they know through the class. `note(value)` and `debug` are for its author. This module
needs the standard library only.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from types import MappingProxyType, ModuleType
from typing import Any

from koth.adapter.kit import ILLEGAL, Compass, ShuffledRows, TimeLeft, find_bot_class, move_hint, take_note
from koth.adapter.kit import debug as debug
from koth.adapter.kit import note as note

METHODS = ("set_ability_points", "move", "want_to_fight")


class Move(Compass):
    """A step to one of the eight neighbours, or none. x grows to the east, y to the south."""

    NORTH = (0, -1)
    NORTHEAST = (1, -1)
    EAST = (1, 0)
    SOUTHEAST = (1, 1)
    SOUTH = (0, 1)
    SOUTHWEST = (-1, 1)
    WEST = (-1, 0)
    NORTHWEST = (-1, -1)
    STAY = (0, 0)


class Alien:
    """One instance. Its attributes are up to date whenever one of its methods is called.

    A species needs all three methods below; calling a missing one is an error of the instance.
    """

    _view: Mapping[str, Any] = MappingProxyType({"levels": (1,) * 5, "hp": (10,), "sight": (1,), "blur": (1,)})
    _row = 0
    _number = 0
    _left = TimeLeft({})

    def set_ability_points(self, points: list[float]) -> None:
        """Put up to 10 points in all into `points`, which holds five zeros; called once."""
        raise NotImplementedError

    def move(self, fields: Sequence[str]) -> Move:
        """Return the move of a round. `fields[x][y]` is a square: "A", "W", "C", "T", "E", "H" or " "."""
        raise NotImplementedError

    def want_to_fight(self, enemy: Sequence[int]) -> bool:
        """Return whether to fight: `enemy` has the levels of life, strength, defense, vision, each blurred."""
        raise NotImplementedError

    @property
    def number(self) -> int:
        """The instance's number within the species, from 0."""
        return self._number

    @property
    def bank(self) -> float:
        """Seconds beyond the time limit that the bot may still take in this match."""
        return self._left.bank

    @property
    def strikes(self) -> int:
        """The number of further late answers in a row that would end the bot."""
        return self._left.strikes

    @property
    def levels(self) -> Sequence[int]:
        """Life, strength, defense, vision, cleverness, rounded."""
        first = 5 * self._row
        return tuple(self._view["levels"][first : first + 5])

    @property
    def life(self) -> int:
        """The level of life; see `hp`."""
        return int(self._view["levels"][5 * self._row])

    @property
    def strength(self) -> int:
        """The level of strength: the most HP that one of its blows can take."""
        return int(self._view["levels"][5 * self._row + 1])

    @property
    def defense(self) -> int:
        """The level of defense: the instance dodges one blow in 50 // defense + 1, but at most every second one."""
        return int(self._view["levels"][5 * self._row + 2])

    @property
    def vision(self) -> int:
        """The level of vision; see `sight`."""
        return int(self._view["levels"][5 * self._row + 3])

    @property
    def cleverness(self) -> int:
        """The level of cleverness; see `blur`."""
        return int(self._view["levels"][5 * self._row + 4])

    @property
    def hp(self) -> int:
        return int(self._view["hp"][self._row])

    @property
    def sight(self) -> int:
        """The number of squares that the instance sees in every direction."""
        return int(self._view["sight"][self._row])

    @property
    def blur(self) -> int:
        """The most by which a level shown to enemies exceeds the true level."""
        return int(self._view["blur"][self._row])


def species(module: ModuleType) -> type[Alien]:
    """Return the one class defined in the bot's file that extends `Alien` and has all three methods."""
    wanted = "an aliens bot is one class that extends Alien"
    found: type[Alien] = find_bot_class(module, lambda value: issubclass(value, Alien), wanted)
    for method in METHODS:
        if getattr(found, method) is getattr(Alien, method):
            raise TypeError(f"{found.__name__} has no method {method}")
    return found


def legal_points(points: Sequence[float], most: int) -> list[float]:
    """Return the points in single precision. Raises ValueError for illegal points."""
    wrong = f"{points!r:.200} are not legal points: five numbers of 0 or more, together at most {most}"
    try:
        values = [single(float(value)) for value in points]
    except (TypeError, ValueError, OverflowError):
        raise ValueError(wrong) from None
    total = 0.0
    for value in values:
        if not 0 <= value <= most:
            raise ValueError(wrong)
        total = single(total + value)
    if len(values) != 5 or total > most:
        raise ValueError(wrong)
    return values


def single(value: float) -> float:
    """Return the single-precision float nearest to a number. Raises OverflowError if there is none."""
    nearest: float = struct.unpack("<f", struct.pack("<f", value))[0]
    return nearest


class Host:
    """Host of the bot: koth's adapter passes each question to it."""

    def __init__(self, match_info: dict[str, Any], module: ModuleType) -> None:
        self.most = int(match_info["points"])
        self.entry = species(module)
        self.aliens: dict[int, Alien] = {}
        self._order = ShuffledRows(match_info)
        self.left = Alien._left = TimeLeft(match_info)

    def answer(self, call: Any) -> None:
        """Ask every instance of the question, in random order."""
        self.left.update(call)
        call.who = lambda row: f"instance {call.observation['instance'][row]}"
        if call.question == "points":
            for row in range(call.rows):
                self._set_up(call, row)
        else:
            self._ask(call)
        take_note(call)

    def _ask(self, call: Any) -> None:
        order = self._order.rows(call)
        rows = [self.aliens[unit] for unit in call.observation["body"]]
        for row, alien in enumerate(rows):
            alien._view, alien._row = call.observation, row
        if call.question == "meet":
            enemies = call.observation["enemy"].tolist()
            for row in order:
                self._meet(call, row, rows[row], tuple(enemies[4 * row : 4 * row + 4]))
            return
        starts = [0]
        for cells in call.observation["cells"]:
            starts.append(starts[-1] + cells)
        text = str(call.observation["window"], "ascii")
        for row in order:
            size = 2 * call.observation["sight"][row] + 1
            fields = [text[at : at + size] for at in range(starts[row], starts[row + 1], size)]
            self._move(call, row, rows[row], fields)

    def _set_up(self, call: Any, row: int) -> None:
        alien = self.entry.__new__(self.entry)
        alien._number = call.observation["instance"][row]
        self.aliens[call.observation["body"][row]] = alien
        points: list[float] = [0.0] * 5
        try:
            alien.__init__()  # type: ignore[misc]
            alien.set_ability_points(points)
        except Exception:
            call.record_fault(row)
            return
        try:
            points = legal_points(points, self.most)
        except ValueError as error:
            call.record_fault(row, ILLEGAL, f"set_ability_points: {error}")
            return
        for k in range(5):
            call.out["points"][5 * row + k] = points[k]

    def _move(self, call: Any, row: int, alien: Alien, fields: list[str]) -> None:
        try:
            move = alien.move(fields)
        except Exception:
            call.record_fault(row)
            return
        if isinstance(move, Move):
            call.out["move"][row] = move.index
        else:
            call.record_fault(row, ILLEGAL, f"move returned {move!r:.200}, not a Move{move_hint(Move, move)}")

    def _meet(self, call: Any, row: int, alien: Alien, enemy: tuple[int, ...]) -> None:
        try:
            wish = alien.want_to_fight(enemy)
        except Exception:
            call.record_fault(row)
            return
        plain = wish if isinstance(wish, bool) else getattr(wish, "item", lambda: None)()  # NumPy has its own
        if isinstance(plain, bool):
            call.out["fight"][row] = plain
        else:
            call.record_fault(
                row, ILLEGAL, f"want_to_fight returned {wish!r:.200}, neither True nor False{move_hint(Move, wish)}"
            )
