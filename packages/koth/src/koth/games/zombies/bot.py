"""The Python API of zombies: what a bot file imports.

    from koth.games.zombies.bot import Context, Move, Shoot

    class Runner:
        def do_turn(self, context: Context) -> Move | Shoot:
            return Move.NORTH

The one class of the file that has a `do_turn` is the bot. One instance serves all of its players, which are
asked in random order, so they may talk through its attributes. `note(value)` keeps something for its author, `debug`
draws on the board. This module needs the standard library only.
"""

from __future__ import annotations

from bisect import bisect_left
from types import ModuleType
from typing import Any, NamedTuple, Union

from koth.adapter.kit import ILLEGAL, Compass, ShuffledRows, TimeLeft, find_bot_class, move_hint, take_note
from koth.adapter.kit import debug as debug
from koth.adapter.kit import note as note

VISION_RANGE = 8
SHOOT_RANGE = 5
STARTING_BULLETS = 3
PLAYERS_PER_SPECIES = 50
ZOMBIE_NAME = "Zombie"
DEAD_BODY_NAME = "DeadBody"


class PlayerId(NamedTuple):
    """An identity: the bot's name (or `Zombie`, `DeadBody`) and a number unique in the match."""

    name: str
    number: int

    @property
    def is_zombie(self) -> bool:
        return self.name == ZOMBIE_NAME

    @property
    def is_body(self) -> bool:
        return self.name == DEAD_BODY_NAME

    @property
    def is_player(self) -> bool:
        """True for a living player of any bot."""
        return self.name not in (ZOMBIE_NAME, DEAD_BODY_NAME)


class Move(Compass):
    """A step to one of the eight neighbours, or none. x grows to the east, y to the south."""

    NORTHWEST = (-1, -1)
    NORTH = (0, -1)
    NORTHEAST = (1, -1)
    EAST = (1, 0)
    STAY = (0, 0)
    WEST = (-1, 0)
    SOUTHEAST = (1, 1)
    SOUTH = (0, 1)
    SOUTHWEST = (-1, 1)

    @classmethod
    def values(cls) -> list[Move]:
        """Return all moves, in the order of the ruleset, as `list(Move)`."""
        return list(cls)


class Shoot:
    """A shot at an identity within range; it costs a bullet whether it hits or not."""

    __slots__ = ("target",)

    def __init__(self, target: PlayerId | None) -> None:
        self.target = target


Action = Union[Move, Shoot]  # noqa: UP007  (runs on older interpreters too)


class Context:
    """The state of one player and its view in this turn.

    `bullets`, `game_clock` (turns played), `x`, `y` and `board_size` are plain integers; `id` is its own identity.
    `bank` is the number of seconds beyond its time limit that the bot may still take in this match, `strikes` the
    number of further late answers in a row that would end it.
    """

    __slots__ = (
        "_field",
        "_first",
        "_host",
        "_last",
        "_seen",
        "board_size",
        "bullets",
        "game_clock",
        "id",
        "x",
        "y",
    )

    _host: Host
    _seen: Any
    _first: int
    _last: int
    _field: list[list[PlayerId | None]] | None
    bullets: int
    game_clock: int
    x: int
    y: int
    board_size: int
    id: PlayerId

    @property
    def bank(self) -> float:
        return self._host.left.bank

    @property
    def strikes(self) -> int:
        return self._host.left.strikes

    def look_around(self, dx: int, dy: int) -> PlayerId | None:
        """Return the identity at offset (dx, dy); None for an empty square, or one out of sight."""
        v = self._host.vision
        if not (-v <= dx <= v and -v <= dy <= v):
            return None
        place = (dy + v) * (2 * v + 1) + dx + v
        at = bisect_left(self._seen.place, place, self._first, self._last)
        there = at < self._last and self._seen.place[at] == place
        return self._host.who(self._seen.value[at]) if there else None

    @property
    def play_field(self) -> list[list[PlayerId | None]]:
        """Return all identities in sight, indexed [x][y] from west to east, then north to south."""
        if self._field is None:
            size = 2 * self._host.vision + 1
            flat: list[PlayerId | None] = [None] * (size * size)
            for place, who in self._everybody():
                flat[place] = who
            self._field = [flat[x::size] for x in range(size)]
        return self._field

    def seen(self) -> list[tuple[int, int, PlayerId]]:
        """Return all others in sight as (dx, dy, identity), row by row from the north-west."""
        v = self._host.vision
        size = 2 * v + 1
        own = v * size + v
        return [(at % size - v, at // size - v, who) for at, who in self._everybody() if at != own]

    def _everybody(self) -> list[tuple[int, PlayerId]]:
        """Return all identities in sight, row by row, with positions in the window."""
        places = self._seen.place[self._first : self._last]
        return list(zip(places, map(self._host.who, self._seen.value[self._first : self._last])))  # noqa: B905

    def shootable_players(self) -> list[PlayerId]:
        """Return all within shooting range, itself and bodies included: x from west to east, then y."""
        r = self._host.shoot_range
        around = range(-r, r + 1)
        found = (self.look_around(dx, dy) for dx in around for dy in around)
        return [who for who in found if who is not None]


class Host:
    """Host of the bot: koth's adapter passes each question to it."""

    def __init__(self, match_info: dict[str, Any], module: ModuleType) -> None:
        self.vision = int(match_info["vision"])
        self.shoot_range = int(match_info["shoot_range"])
        self.side = int(match_info["side"])
        self.names = [ZOMBIE_NAME, DEAD_BODY_NAME, *match_info["names"]]
        self._low = {name: low for low, name in enumerate(self.names, 1)}
        self._known: dict[int, PlayerId] = {}
        self.left, self._order = TimeLeft(match_info), ShuffledRows(match_info)
        Move._member_names_[:] = match_info["moves"]  # the order in which they are listed
        wanted = "a zombies bot is one class with a method do_turn(context)"
        self.bot = find_bot_class(module, lambda c: hasattr(c, "do_turn"), wanted)()

    def who(self, code: int) -> PlayerId:
        """Return the identity with this code, the same object each time."""
        known = self._known.get(code)
        if known is None:
            if len(self._known) > 20_000:
                self._known.clear()
            known = self._known[code] = PlayerId(self.names[(code & 255) - 1], code >> 8)
        return known

    def code(self, target: Any) -> int:
        """Return the code of an identity; 0 for anything else."""
        try:
            name, number = target
            return (number << 8) + self._low[name] if 0 <= number < 1 << 24 else 0
        except (TypeError, ValueError, KeyError):
            return 0

    def _context(self, observation: dict[str, Any], row: int) -> Context:
        context = Context()
        context._host = self
        context._seen = observation["window"]
        context._first, context._last = observation["window"].start[row : row + 2]
        context._field = None
        context.bullets = observation["bullets"][row]
        context.game_clock = observation["clock"][row]
        context.x = observation["x"][row]
        context.y = observation["y"][row]
        context.board_size = self.side
        me = context.look_around(0, 0)
        assert me is not None
        context.id = me
        return context

    def _player(self, observation: dict[str, Any], row: int) -> str:
        """Return the name of a player in reports of late answers: its number and square."""
        return (
            f"player {self._context(observation, row).id.number} at {observation['x'][row]},{observation['y'][row]}"
        )

    def answer(self, call: Any) -> None:
        """Ask the bot for each of its players, in random order."""
        self.left.update(call)
        action, target = call.out["action"], call.out["target"]
        call.who = lambda row: self._player(call.observation, row)
        for row in self._order.rows(call):
            try:
                done = self.bot.do_turn(self._context(call.observation, row))
                if isinstance(done, Move):
                    action[row] = done.index
                elif isinstance(done, Shoot):
                    action[row] = 9
                    target[row] = self.code(done.target)
                else:
                    call.record_fault(
                        row, ILLEGAL, f"do_turn returned {done!r:.200}, not a Move or a Shoot{move_hint(Move, done)}"
                    )
            except Exception:
                call.record_fault(row)
        take_note(call)
