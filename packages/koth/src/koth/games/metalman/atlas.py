"""A map that a bot draws while it plays: squares seen, places that a piece can reach, ways to a place.

from koth.games.metalman.atlas import Atlas, act

Using it is optional; the samples do. Places are (row, column), steps are [-1, 0], [0, 1], [1, 0] or [0, -1]. Needs
the standard library only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

WALL, FLOOR, HIGHGROUND, UNKNOWN = 0, 1, 2, -1
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
REACH = {"spotter": 2, "assasin": 4}
"""The number of steps that each piece can make per turn in this match."""
BETWEEN_COLLAPSES = [5]
"""The number of rounds between two collapses in this match."""

Place = tuple[int, int]
Step = list[int]
Steps = list[Step]


class Enemy(NamedTuple):
    """A piece of another player that is in sight now."""

    player: int
    type: str
    place: Place
    direction: Step


def use_match_info(match_info: Mapping[str, Any]) -> None:
    """Set `REACH` and `BETWEEN_COLLAPSES` to the match's numbers, before the bot is made."""
    REACH.update(spotter=match_info["spotter_steps"], assasin=match_info["assassin_steps"])
    BETWEEN_COLLAPSES[0] = match_info["timer"]


def act(spotter: Steps, spotter_direction: Step, assassin: Steps, assassin_direction: Step) -> dict[str, Any]:
    """Return an action as the bot's `step` must return it."""
    return {
        "Spotter": {"moves": spotter, "direction": spotter_direction},
        "Assasin": {"moves": assassin, "direction": assassin_direction},
    }


def facing(start: Place, goal: Place, otherwise: Step) -> Step:
    """Return the main direction from `start` to `goal`; `otherwise` if they are equal."""
    rows, columns = goal[0] - start[0], goal[1] - start[1]
    if rows == columns == 0:
        return list(otherwise)
    if abs(rows) >= abs(columns):
        return [1 if rows > 0 else -1, 0]
    return [0, 1 if columns > 0 else -1]


def turned(direction: Step) -> Step:
    """Return the direction a quarter turn to the right."""
    return [direction[1], -direction[0]]


class Atlas:
    """A memory of the map; call `look` with every state."""

    squares: list[list[int]]
    enemies: list[Enemy]

    def __init__(self) -> None:
        self.squares = []
        self.enemies = []
        self.timer = BETWEEN_COLLAPSES[0]
        self.circles = 0

    def look(self, state: Mapping[str, Any]) -> None:
        """Add what is visible now, and forget what has collapsed."""
        board = state["board"]
        self.timer, self.circles = state["timer"], state["circles collapsed"]
        self.squares = self.squares or [[UNKNOWN] * len(row) for row in board]
        self.enemies = []
        for row, line in enumerate(board):
            for column, square in enumerate(line):
                if isinstance(square, dict):
                    where = row, column
                    self.enemies.append(Enemy(square["playerId"], square["type"], where, square["direction"]))
                    square = square["square"]
                if self.ring((row, column)) < self.circles:
                    square = WALL
                if square != UNKNOWN:
                    self.squares[row][column] = square

    @property
    def centre(self) -> Place:
        return len(self.squares) // 2, len(self.squares[0]) // 2

    def places(self, *terrains: int) -> Iterator[Place]:
        """Yield every place whose terrain is one of these, row by row."""
        for row, line in enumerate(self.squares):
            for column, square in enumerate(line):
                if square in terrains:
                    yield row, column

    def terrain(self, place: Place) -> int:
        """Return the terrain of a place; WALL outside of the map, too."""
        row, column = place
        inside = 0 <= row < len(self.squares) and 0 <= column < len(self.squares[0])
        return self.squares[row][column] if inside else WALL

    def ring(self, place: Place) -> int:
        """Return the number of rings between a place and the edge of the map."""
        row, column = place
        return min(row, column, len(self.squares) - 1 - row, len(self.squares[0]) - 1 - column)

    def rounds_left(self, place: Place) -> int:
        """Return after how many rounds, this one included, the collapse kills a piece on this place."""
        return self.timer + BETWEEN_COLLAPSES[0] * (self.ring(place) - self.circles)

    def reach(self, start: Place, most: int, blocked: Collection[Place] = ()) -> dict[Place, Steps]:
        """Return the places within reach over known ground, with the steps to each; `start` is the first."""
        found: dict[Place, Steps] = {start: []}
        queue = [start]
        for place in queue:
            steps = found[place]
            if len(steps) == most:
                continue
            for step in STEPS:
                there = place[0] + step[0], place[1] + step[1]
                if there not in found and there not in blocked and self.terrain(there) > WALL:
                    found[there] = [*steps, list(step)]
                    queue.append(there)
        return found

    def distances(self, goals: Iterable[Place]) -> dict[Place, int]:
        """Return the steps from every place to the nearest goal; unseen ground counts as free."""
        found = dict.fromkeys(goals, 0)
        queue = list(found)
        for place in queue:
            for step in STEPS:
                there = place[0] + step[0], place[1] + step[1]
                if there not in found and self.terrain(there) != WALL:
                    found[there] = found[place] + 1
                    queue.append(there)
        return found

    def threatened(self) -> set[Place]:
        """Return the places where a visible enemy can capture a piece in its next turn."""
        return {place for enemy in self.enemies for place in self.reach(enemy.place, REACH[enemy.type])}

    def prey(self, start: Place, most: int, blocked: Collection[Place] = ()) -> Place | None:
        """Return the nearest enemy that can be captured from `start` without dying in a collapse, assassins first."""
        reach = self.reach(start, most, blocked)
        near = [e for e in self.enemies if e.place in reach and self.rounds_left(e.place) > 1]
        ranked = sorted(near, key=lambda enemy: (enemy.type != "assasin", len(reach[enemy.place]), enemy.place))
        return ranked[0].place if ranked else None

    def best(
        self, start: Place, most: int, score: Callable[[Place], Any], blocked: Collection[Place] = ()
    ) -> tuple[Place, Steps]:
        """Return the place with the lowest score within `most` steps; places that collapse this round come last."""
        reach = self.reach(start, most, blocked)
        place = min(reach, key=lambda place: (self.rounds_left(place) <= 1, score(place), len(reach[place]), place))
        return place, reach[place]

    def strike_or_go(
        self, start: Place, most: int, score: Callable[[Place], Any], blocked: Collection[Place] = ()
    ) -> tuple[Place, Steps]:
        """Capture an enemy if possible; otherwise go to the `best` place."""
        prey = self.prey(start, most, blocked)
        return self.best(start, most, lambda place: place != prey if prey else score(place), blocked)
