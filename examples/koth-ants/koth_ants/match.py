"""One match of Ants: the contest's own engine plays, and stays in memory."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from koth.game import Constants, Event, Party
from koth.plain import Match

KIT = Path(__file__).parent / "kit"
if not KIT.is_dir():
    raise ImportError(f"{KIT} is missing: fetch-kit.sh copies it from a clone of the contest's repository")
sys.path.insert(0, str(KIT))  # ants.py says `from game import Game`
import ants as kit  # noqa: E402

sys.path.remove(str(KIT))

WAYS = "nesw"
DRAWN = ("randrange", "choice", "shuffle", "randint", "random")
"""What the engine imports of the module `random`."""
MAPS = {path.stem: path.read_text() for path in sorted((KIT / "maps").glob("*.map"))}
ENGINE, PLAYER, TURN = range(3)
"""What is drawn."""
OF_KIT = {"w": "water", "h": "hill", "a": "ant", "f": "food", "d": "dead"}


def header(text: str, key: str) -> int:
    """Return a number from the head of a map's text."""
    return next(int(line.split()[1]) for line in text.splitlines() if line.startswith(f"{key} "))


def maps_of(seats: int) -> tuple[str, ...]:
    """Return the names of the maps for a number of players."""
    return tuple(name for name, text in MAPS.items() if header(text, "players") == seats)


def draw_by(dice: Random) -> None:
    """Let the engine draw from these dice."""
    for name in DRAWN:
        setattr(kit, name, getattr(dice, name))
    kit.seed = lambda _: None  # the engine seeds its dice by itself


@dataclass(frozen=True)
class Settings(Constants):
    """The engine's options, and the name of the map."""

    map: str = maps_of(2)[0]
    turns: int = 1000
    loadtime: int = 3000
    turntime: int = 1000
    viewradius2: int = 77
    attackradius2: int = 5
    spawnradius2: int = 1
    cutoff_turn: int = 150

    def __post_init__(self) -> None:
        self.within(turns=(1, 5000), viewradius2=(1, 1000), attackradius2=(1, 100), spawnradius2=(1, 100))
        if self.map not in MAPS:
            raise self.refusal("map", self.map, ", ".join(MAPS))

    @property
    def size(self) -> tuple[int, int]:
        """The numbers of rows and columns of the map."""
        return header(MAPS[self.map], "rows"), header(MAPS[self.map], "cols")


class AntsMatch(Match[Settings]):
    """The engine, and what bots see of it after each turn."""

    kept = ("engine",)
    player_seed: int
    told: list[str]  # what the engine tells each player
    living: list[bool]
    score: list[int]
    status: str  # why the match is over
    over: bool

    def reset(self) -> None:
        players = header(MAPS[self.settings.map], "players")
        if players != self.seats:
            maps = ", ".join(maps_of(self.seats))
            raise self.settings.refusal("map", self.settings.map, f"{maps} for {self.seats} players")
        self.player_seed = self.dice.integer(PLAYER, 0, 1 << 31)
        draw_by(self.dice.random(ENGINE))
        options = {**vars(self.settings), "map": MAPS[self.settings.map], "food": "symmetric"}
        self.engine = kit.Ants({**options, "engine_seed": 0, "player_seed": self.player_seed})
        self.engine.start_game()
        self.over, self.status = False, ""
        self.look()

    def step(self, actions: Mapping[int, Mapping[str, Any]]) -> None:
        engine = self.engine
        draw_by(self.dice.random(TURN))
        engine.start_turn()
        for seat in self.gone:
            if engine.is_alive(seat):
                engine.kill_player(seat)
        if not engine.game_over():
            for seat, action in actions.items():
                if engine.is_alive(seat):
                    orders = zip(action["at"], action["way"], strict=True)
                    engine.do_moves(seat, [f"o {row} {column} {way}" for (row, column), way in orders])
        engine.finish_turn()
        self.over = engine.game_over() or self.turn >= self.settings.turns
        if self.over:
            engine.finish_game()
            self.status = engine.cutoff
        self.look()

    def look(self) -> None:
        """Copy what bots are told, and who is better."""
        engine, seats = self.engine, range(self.seats)
        self.score, self.living = list(engine.score), [engine.is_alive(seat) for seat in seats]
        self.told = [engine.get_player_state(seat) for seat in seats]

    def is_over(self) -> bool:
        return self.over

    def is_alive(self, seat: int) -> bool:
        return self.living[seat]

    def match_info(self, seat: int) -> dict[str, Any]:
        rows, columns = self.settings.size
        return {**vars(self.settings), "map": "", "rows": rows, "cols": columns, "player_seed": self.player_seed}

    def observe(self, seat: int) -> dict[str, Any]:
        found: dict[str, Any] = {"turn": self.turn + 1}
        places: dict[str, list[list[int]]] = {letter: [] for letter in OF_KIT}
        for line in self.told[seat].splitlines():
            letter, *numbers = line.split()
            places[letter].append([int(number) for number in numbers])
        for letter, rows in places.items():
            keys = ("row", "col") if letter in "wf" else ("row", "col", "owner")
            found |= {f"{OF_KIT[letter]}_{key}": [row[at] for row in rows] for at, key in enumerate(keys)}
        return found

    def frame(self) -> dict[str, Any]:
        engine, (rows, columns) = self.engine, self.settings.size
        ants = [(ant.owner, column, row) for (row, column), ant in sorted(engine.current_ants.items())]
        hills = [(one.owner, x, y) for (y, x), one in engine.hills.items() if one.killed_by is None]
        food = [(column, row) for row, column in sorted(engine.current_food)]
        board = ["".join("#" if one == kit.WATER else "." for one in row) for row in engine.map]
        frame: dict[str, Any] = {"board": board, "width": columns, "height": rows, "seen": self.sight(ants)}
        frame |= zip(("seat", "x", "y"), _columns(ants, 3), strict=True)
        frame |= zip(("hill_seat", "hill_x", "hill_y"), _columns(hills, 3), strict=True)
        frame |= zip(("food_x", "food_y"), _columns(food, 2), strict=True)
        counts = [sum(ant[0] == seat for ant in ants) for seat in range(self.seats)]
        return {**frame, "score": self.score, "ants": counts, "map": self.settings.map, "status": self.status}

    def sight(self, ants: list[tuple[int, int, int]]) -> Any:
        """Return for each square, as bits, which seats see it."""
        rows, columns = self.settings.size
        seen, most = np.zeros((rows, columns), np.int32), self.settings.viewradius2
        reach = range(-int(most**0.5), int(most**0.5) + 1)
        near = np.array([(y, x) for y in reach for x in reach if y * y + x * x <= most])
        for seat in range(self.seats):
            own = [(y, x) for owner, x, y in ants if owner == seat]
            at = np.array(own, np.int64).reshape(-1, 1, 2) + near
            seen[at[..., 0] % rows, at[..., 1] % columns] |= 1 << seat
        return seen.reshape(-1)

    def events(self, before: Mapping[str, Any], now: Mapping[str, Any]) -> list[Event]:
        found = list(super().events(before, now))
        standing = set(zip(now["hill_x"], now["hill_y"], strict=True))
        owners = {(x, y): seat for x, y, seat in zip(now["x"], now["y"], now["seat"], strict=True)}
        for x, y, seat in zip(before["hill_x"], before["hill_y"], before["hill_seat"], strict=True):
            if (x, y) not in standing:
                by = owners.get((x, y))
                text = "loses a hill" + (" to {by}" if by is not None else "")
                who = None if by is None else Party(int(by))
                at = int(x), int(y)
                found.append(Event("razed", text, Party(int(seat)), by=who, at=at, weight=3, mark="^"))
        return found


def _columns(rows: list[Any], width: int) -> list[list[int]]:
    return [[row[at] for row in rows] for at in range(width)]
