"""Tracks where every enemy may be by now, and rates every pair of moves by the danger of being captured next.

Sets of squares are integers with a bit for each square, so that "one step further" is four shifts. An enemy out of
sight may be anywhere within its reach of where it may have been before, except on squares seen to be empty. A square
is as dangerous as the share of those places from which it can be reached; a piece captures if the following danger
costs less than the capture gains.
"""

from typing import Any

from koth.games.metalman.atlas import FLOOR, HIGHGROUND, REACH, UNKNOWN, WALL, Atlas, Place, Step, Steps, act

CONE = {"spotter": (1, 2, 3, 3, 2), "assasin": (1, 1)}
"""The number of squares that a piece sees to each side, per row ahead."""
PRIZE = {"spotter": 0.8, "assasin": 1.3}
"""The value of a capture."""
LOSS = {"spotter": 1.0, "assasin": 1.3}
"""The cost of losing a piece."""
STRIKES = 0.8
"""The chance that an enemy in reach strikes: many do not see us."""
DIRECTIONS = ([-1, 0], [0, 1], [1, 0], [0, -1])

Way = tuple[Place, Steps]


class Tactician:
    def __init__(self, spotter: Place, assassin: Place, *directions: Step) -> None:
        self.atlas = Atlas()
        self.start = spotter
        self.stride = 0
        self.free = 0
        self.maybe: dict[tuple[int, str], int] = {}
        """For each piece of the others the squares where it may be."""

    def step(self, state: dict[str, Any]) -> dict[str, Any]:
        self.atlas.look(state)
        if not self.stride:
            self.begin()
        self.believe(state["board"])
        spotter, assassin = self.plan(state)
        looks = self.looks(spotter[0], assassin[0])
        return act(spotter[1], looks[0], assassin[1], looks[1])

    # What it believes

    def begin(self) -> None:
        """Place the other players in the other corners; one that is not playing is soon found missing and removed."""
        bottom, right = len(self.atlas.squares) - 1, len(self.atlas.squares[0]) - 1
        self.stride = right + 2  # beyond the last column lies one of walls: no step leads around the edge
        corners = [(0, 0), (0, right), (bottom, right), (bottom, 0)]
        beside = [(0, 1), (1, right), (bottom, right - 1), (bottom - 1, 0)]
        for player, places in enumerate(zip(corners, beside)):  # noqa: B905 (bots run on older Pythons, too)
            if self.start not in places:
                self.maybe[player, "spotter"], self.maybe[player, "assasin"] = map(self.bit, places)

    def bit(self, place: Place) -> int:
        return 1 << place[0] * self.stride + place[1]

    def spread(self, squares: int, steps: int) -> int:
        """Return all squares within `steps` steps of these."""
        for _ in range(steps):
            squares |= squares << 1 | squares >> 1 | squares << self.stride | squares >> self.stride
            squares &= self.free
        return squares

    def believe(self, board: list[list[Any]]) -> None:
        """Update where enemies may be: everybody has moved once. An enemy that can be nowhere is dead."""
        self.free = sum(self.bit(place) for place in self.atlas.places(UNKNOWN, FLOOR, HIGHGROUND))
        seen = sum(self.bit((r, c)) for r, row in enumerate(board) for c, square in enumerate(row) if square != -1)
        moved = {key: self.spread(squares, REACH[key[1]]) & ~seen for key, squares in self.maybe.items()}
        self.maybe = {key: squares & self.free for key, squares in moved.items() if squares & self.free}
        for enemy in self.atlas.enemies:
            self.maybe[enemy.player, enemy.type] = self.bit(enemy.place)

    # What it does

    def danger(self, place: Place, taken: frozenset[Place]) -> float:
        """Return the probability that a piece on this square is captured, except by pieces that we capture now."""
        safe = 1.0
        gone = {self.bit(place) for place in taken}
        around = {kind: self.spread(self.bit(place), reach) for kind, reach in REACH.items()}
        for (_, kind), squares in self.maybe.items():
            if squares not in gone:
                safe *= 1 - STRIKES * count(squares & around[kind]) / count(squares)
        return 1 - safe

    def plan(self, state: dict[str, Any]) -> tuple[Way, Way]:
        """Return the best pair of places in reach. The spotter moves first, and each piece blocks the other."""
        atlas = self.atlas
        enemies = {enemy.place: enemy for enemy in atlas.enemies}
        hills = [hill for hill in atlas.places(HIGHGROUND) if atlas.rounds_left(hill) > 8] or [atlas.centre]
        to_hill, to_centre = atlas.distances(hills), atlas.distances([atlas.centre])
        values: dict[tuple[str, Place, frozenset[Place]], float] = {}

        def stand(kind: str, place: Place, taken: frozenset[Place]) -> float:
            """Return the value of ending here: safety, the coming collapse, a hill for the spotter's view."""
            if (kind, place, taken) not in values:
                far = to_hill.get(place, 99)
                left = atlas.rounds_left(place)
                late = 99 if left <= 1 else max(0, 3 + to_centre.get(place, 99) / 3 - left)
                post = 0.06 * far if kind == "spotter" else 0.03 * abs(far - 2)
                values[kind, place, taken] = -LOSS[kind] * self.danger(place, taken) - 0.15 * late - post
            return values[kind, place, taken]

        best, most = None, -1e9
        for spotter in self.ways(state, "spotter", None):
            for assassin in self.ways(state, "assasin", spotter[0] if state["spotter alive"] else None):
                pieces = {"spotter": spotter[0], "assasin": assassin[0]}
                ours = {kind: place for kind, place in pieces.items() if state[f"{kind} alive"]}
                taken = frozenset(place for place in ours.values() if place in enemies)
                value = sum(PRIZE[enemies[place].type] for place in taken)
                value += sum(stand(kind, place, taken) for kind, place in ours.items())
                if value > most:
                    best, most, victims = (spotter, assassin), value, taken
        assert best is not None
        for place in victims:
            del self.maybe[enemies[place].player, enemies[place].type]
        return best

    def ways(self, state: dict[str, Any], kind: str, partner: Place | None) -> list[Way]:
        """Return the places that this piece can reach, each with its steps; `partner` is its partner's place."""
        start = state[f"{kind} location"]
        if not state[f"{kind} alive"]:
            return [(start, [])]
        if kind == "spotter" and state["assasin alive"]:
            partner = state["assasin location"]
        return list(self.atlas.reach(start, REACH[kind], {partner} if partner else ()).items())

    # Where it looks

    def looks(self, spotter: Place, assassin: Place) -> list[Step]:
        """Return the directions in which most of the enemies that may come will be seen."""
        soon = [self.spread(squares, REACH[kind]) for (_, kind), squares in self.maybe.items()]
        chosen: list[Step] = []
        covered = 0
        for kind, place in (("spotter", spotter), ("assasin", assassin)):
            cones = [self.cone(kind, place, direction) & ~covered for direction in DIRECTIONS]
            worth = [0.01 * count(c) + sum(count(squares & c) / count(squares) for squares in soon) for c in cones]
            best = worth.index(max(worth))
            chosen.append(DIRECTIONS[best])
            covered |= cones[best]
        return chosen

    def cone(self, kind: str, place: Place, direction: Step) -> int:
        """Return the squares that a piece sees in this direction if nothing blocks the view."""
        squares = 0
        down, right = direction
        for ahead, wide in enumerate(CONE[kind], 1):
            for side in range(-wide, wide + 1):
                there = place[0] + ahead * down + side * right, place[1] + ahead * right + side * down
                if self.atlas.terrain(there) != WALL:
                    squares |= self.bit(there)
        return squares


def count(squares: int) -> int:
    """Return the number of squares in a set."""
    return bin(squares).count("1")
