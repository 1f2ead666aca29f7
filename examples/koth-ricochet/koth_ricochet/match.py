"""One match of Ricochet: settings, state and rules."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from koth.errors import SettingsError
from koth.game import Constants, Event, Party
from koth.plain import Match

WAYS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}
BACK = {"north": "south", "east": "west", "south": "north", "west": "east"}
ACTIONS = (*WAYS, *(f"fire_{way}" for way in WAYS), "mine", "stay")
WALLS, PLACES, STRUCK = range(3)  # what random numbers are drawn for

Square = tuple[int, int]
Strike = tuple[int, int]  # who is struck, and whose bullet or mine it was


@dataclass(frozen=True)
class Settings(Constants):
    """Every constant of the rules."""

    side: int = 17
    turns: int = 200
    walls: int = 16
    lives: int = 4
    mines: int = 5
    speed: int = 3
    bounces: int = 2
    sight: int = 5

    def __post_init__(self) -> None:
        self.within(side=(5, 100), turns=(1, 10_000), walls=(0, 1000), lives=(1, 100), mines=(0, 100))
        self.within(speed=(1, 20), bounces=(0, 20), sight=(1, 20))


@dataclass
class Bot:
    """A bot's body; a dead one has no lives."""

    seat: int
    x: int
    y: int
    lives: int
    mines: int
    points: int = 0


@dataclass
class Bullet:
    """A bullet in flight."""

    seat: int
    x: int
    y: int
    way: str
    bounces: int = 0


@dataclass
class Mine:
    """A mine that lies about."""

    seat: int
    x: int
    y: int


@dataclass
class Struck:
    """A bot that was struck in the last turn, by whom first, and where: for pictures and events."""

    seat: int
    by: int
    x: int
    y: int


def columns(name: str, things: list[Any], *keys: str) -> dict[str, list[Any]]:
    """Return what things have under these keys, as lists: `columns("mine", mines, "x")` is `mine_x`."""
    return {f"{name}_{key}": [getattr(thing, key) for thing in things] for key in keys}


class Ricochet(Match[Settings]):
    """One match. What is kept from turn to turn are these fields."""

    board: list[str]  # row by row from the north: # is wall
    bots: list[Bot]  # by seat
    bullets: list[Bullet]
    mines: list[Mine]
    struck: list[Struck]

    def reset(self) -> None:
        """Rules 1 and 2."""
        self.board = self.drawn_board()
        self.bots, self.bullets, self.mines, self.struck = [], [], [], []
        free = self.dice.shuffled(PLACES, self.free_squares())
        if len(free) < self.seats:
            raise SettingsError(f"{self.seats} bots need more free squares than {len(free)}: choose a larger side")
        some = enumerate(free[: self.seats])
        self.bots = [Bot(seat, x, y, self.settings.lives, self.settings.mines) for seat, (x, y) in some]

    def drawn_board(self) -> list[str]:
        """Rule 1. Walls at the edge, and inside as many as fit, none of which touches another one."""
        side = self.settings.side
        rows = [["#" if {x, y} & {0, side - 1} else "." for x in range(side)] for y in range(side)]
        left = self.settings.walls
        for x, y in self.dice.shuffled(WALLS, [(x, y) for y in range(2, side - 2) for x in range(2, side - 2)]):
            if left and not any("#" in row[x - 1 : x + 2] for row in rows[y - 1 : y + 2]):
                rows[y][x] = "#"
                left -= 1
        return ["".join(row) for row in rows]

    def free_squares(self) -> list[Square]:
        """Rule 8. Squares without wall, living bot and mine, row by row."""
        taken = {(thing.x, thing.y) for thing in [*self.living(), *self.mines]}
        squares = [(x, y) for y, row in enumerate(self.board) for x, sign in enumerate(row) if sign == "."]
        return [square for square in squares if square not in taken]

    def living(self) -> list[Bot]:
        """Return the living bots."""
        return [bot for bot in self.bots if bot.lives]

    def step(self, actions: Mapping[int, Mapping[str, Any]]) -> None:
        """Rules 4 to 8, in this order."""
        said = {seat: action["action"] for seat, action in actions.items()}
        self.lay_mines([seat for seat, word in said.items() if word == "mine"])
        self.fire({seat: word.removeprefix("fire_") for seat, word in said.items() if word.startswith("fire_")})
        strikes = self.walk({seat: word for seat, word in said.items() if word in WAYS})
        self.strike(strikes + self.fly())

    def lay_mines(self, seats: list[int]) -> None:
        """Rule 4."""
        for seat in seats:
            bot = self.bots[seat]
            if bot.mines and not any((mine.x, mine.y) == (bot.x, bot.y) for mine in self.mines):
                bot.mines -= 1
                self.mines.append(Mine(seat, bot.x, bot.y))

    def fire(self, ways: dict[int, str]) -> None:
        """Rule 5."""
        for seat, way in ways.items():
            if all(bullet.seat != seat for bullet in self.bullets):
                self.bullets.append(Bullet(seat, self.bots[seat].x, self.bots[seat].y, way))

    def walk(self, ways: dict[int, str]) -> list[Strike]:
        """Rule 6. Return the strikes of mines."""
        strikes = []
        for seat, way in ways.items():
            bot, (dx, dy) = self.bots[seat], WAYS[way]
            if self.board[bot.y + dy][bot.x + dx] != "#":
                bot.x, bot.y = bot.x + dx, bot.y + dy
                strikes += [(seat, mine.seat) for mine in self.mines if (mine.x, mine.y) == (bot.x, bot.y)]
        stepped = {(self.bots[seat].x, self.bots[seat].y) for seat, _ in strikes}
        self.mines = [mine for mine in self.mines if (mine.x, mine.y) not in stepped]
        return strikes

    def fly(self) -> list[Strike]:
        """Rule 7. Return the strikes of bullets."""
        strikes: list[Strike] = []
        for _ in range(self.settings.speed):
            for bullet in self.bullets:
                dx, dy = WAYS[bullet.way]
                if self.board[bullet.y + dy][bullet.x + dx] == "#":
                    bullet.way, bullet.bounces = BACK[bullet.way], bullet.bounces + 1
                else:
                    bullet.x, bullet.y = bullet.x + dx, bullet.y + dy
            self.bullets = [bullet for bullet in self.bullets if bullet.bounces <= self.settings.bounces]
            hits = {bullet.seat: self.hit_by(bullet) for bullet in self.bullets}
            strikes += [(struck, seat) for seat, several in hits.items() for struck in several]
            self.bullets = [bullet for bullet in self.bullets if not hits[bullet.seat]]
        return strikes

    def hit_by(self, bullet: Bullet) -> list[int]:
        """Return the seats of those that this bullet strikes where it is."""
        here = [bot.seat for bot in self.living() if (bot.x, bot.y) == (bullet.x, bullet.y)]
        return [seat for seat in here if seat != bullet.seat or bullet.bounces]

    def strike(self, strikes: list[Strike]) -> None:
        """Rule 8."""
        for struck, striker in strikes:
            self.bots[striker].points += struck != striker
        first = dict(reversed(strikes))
        self.struck = [Struck(seat, first[seat], self.bots[seat].x, self.bots[seat].y) for seat in sorted(first)]
        for seat in sorted(first):
            bot = self.bots[seat]
            bot.lives -= 1
            free = self.free_squares()
            if bot.lives and free:
                bot.x, bot.y = free[self.dice.integer(STRUCK, seat, len(free))]

    def is_over(self) -> bool:
        """Rule 9."""
        return len(self.living()) <= 1 or self.turn >= self.settings.turns

    def is_alive(self, seat: int) -> bool:
        """Rule 8."""
        return self.bots[seat].lives > 0

    def scores(self) -> list[int]:
        """Rule 10."""
        return [bot.points + bot.lives for bot in self.bots]

    def observe(self, seat: int) -> dict[str, Any]:
        """Rules 11 and 12. Fields that count others follow from their lengths."""
        me = self.bots[seat]
        rivals = [bot for bot in self.living() if bot is not me and self.is_near(me, bot)]
        bullets = [bullet for bullet in self.bullets if self.is_near(me, bullet)]
        own = {"turn": self.turn, "x": me.x, "y": me.y, "mines": me.mines, "window": self.window(me)}
        own |= columns("mine", [mine for mine in self.mines if mine.seat == seat], "x", "y")
        others = columns("rival", rivals, "seat", "x", "y") | columns("bullet", bullets, "seat", "x", "y", "way")
        return {**own, **others, "lives": [bot.lives for bot in self.bots]}

    def is_near(self, bot: Bot, thing: Bot | Bullet) -> bool:
        """Rule 11. Return whether this bot sees what is there."""
        return max(abs(bot.x - thing.x), abs(bot.y - thing.y)) <= self.settings.sight

    def window(self, bot: Bot) -> list[str]:
        """Rule 11. Return the board around this bot."""
        sight = self.settings.sight
        rows = ["#" * sight + row + "#" * sight for row in self.board]
        outside = "#" * len(rows[0])
        rows = [outside] * sight + rows + [outside] * sight
        return [row[bot.x : bot.x + 2 * sight + 1] for row in rows[bot.y : bot.y + 2 * sight + 1]]

    def events(self, before: Mapping[str, Any], now: Mapping[str, Any]) -> list[Event]:
        """Rule 8. Everybody who was struck, and where."""
        found = []
        for one in self.struck:
            by = Party(one.by) if one.by != one.seat else None
            lives, whose = self.bots[one.seat].lives, "{by}" if by else "what was its own"
            kind, weight, mark = ("struck", 1, "*") if lives else ("killed", 3, "†")
            at = (one.x, one.y)
            found.append(Event(kind, f"is {kind} by {whose}", Party(one.seat), by, at, weight, mark, out=not lives))
        return found

    def frame(self) -> dict[str, Any]:
        """What the picture shows; the dead are off the board."""
        return {
            "board": self.board,
            **{key: [getattr(bot, key) for bot in self.bots] for key in ("lives", "points")},
            **{key: [getattr(bot, key) if bot.lives else -1 for bot in self.bots] for key in ("x", "y")},
            "reach": [self.settings.sight] * len(self.bots),
            **{name: [vars(one) for one in getattr(self, name)] for name in ("bullets", "mines", "struck")},
            **columns("bullet", self.bullets, "x", "y"),  # for the letters of the terminal
            **columns("mine", self.mines, "x", "y"),
        }
