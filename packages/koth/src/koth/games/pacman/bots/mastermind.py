"""Plans: compares the value of every path, from all it remembers, with the danger of the ghosts seen lately."""

import heapq
import sys

Square = tuple[int, int]
STEPS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}
WORTH = {"o": 10, "O": 50, "F": 100}
MEMORY = 10
"""Turns for which a ghost out of sight still counts."""
DEADLY = 1500
walls = sys.stdin.readline().strip()
side = int(len(walls) ** 0.5)


def read(word: str) -> tuple[Square, str]:
    """Return the square and its content of a word like `3,7o`."""
    row, col = word[:-1].split(",")
    return (int(row), int(col)), word[-1]


def open_ways(row: int, col: int) -> list[tuple[str, Square]]:
    closed = int(walls[row * side + col], 16)
    return [
        (move, ((row + dr) % side, (col + dc) % side))
        for bit, (move, (dr, dc)) in enumerate(STEPS.items())
        if not closed >> bit & 1
    ]


WAYS = {(row, col): open_ways(row, col) for row in range(side) for col in range(side)}
known = dict.fromkeys(WAYS, "o")
"""The last seen content of each square; a pellet if it was never seen."""
sighted: dict[Square, int] = {}
"""Turns since a ghost was seen on a square."""


def spread(starts: list[Square], most: int) -> dict[Square, int]:
    """Return the number of steps to every square within `most` of these."""
    steps = dict.fromkeys(starts, 0)
    ring = list(starts)
    for k in range(1, most + 1):
        ring = [there for square in ring for _, there in WAYS[square] if there not in steps]
        steps.update(dict.fromkeys(ring, k))
    return steps


def dangers(strong: int) -> dict[Square, float]:
    """Return the cost of each square: higher near ghosts that were seen lately."""
    cost: dict[Square, float] = {}
    for ghost, age in sighted.items():
        for square, steps in spread([ghost], 4 + age // 2).items():
            risk = DEADLY / (1 + steps) ** 2 / (1 + age)
            cost[square] = cost.get(square, 0) + (0 if strong > steps + 1 else risk)
    return cost


def plan(me: Square, worth: dict[Square, int], danger: dict[Square, float], horizon: int) -> str:
    """Return the first move of the path with the best value for its length and danger."""
    best, best_value = "X", -danger.get(me, 0)
    done = {me}
    queue = [(1.0, 1, there, move, 0.0, danger.get(there, 0)) for move, there in WAYS[me]]
    heapq.heapify(queue)
    while queue:
        cost, steps, square, move, gained, now = heapq.heappop(queue)
        if square in done:
            continue
        done.add(square)
        gained += worth.get(square, 0) * 0.95**steps
        value = gained / (steps + 2) - (cost - steps) / (steps + 1) - now
        if value > best_value:
            best, best_value = move, value
        if steps < horizon:
            for _, there in WAYS[square]:
                if there not in done:
                    entry = (cost + 1 + danger.get(there, 0), steps + 1, there, move, gained, now)
                    heapq.heappush(queue, entry)
    return best


strong = 0
for line in sys.stdin:
    if line.startswith("Q"):
        break
    seen = [read(word) for word in line.split()]
    me, i_am = seen[0]
    if i_am == "G":
        prey = [square for square, what in seen if what == "P"]
        steps = spread(prey, 12)
        print(min(WAYS[me], key=lambda way: steps.get(way[1], 99))[0] if prey else "X", flush=True)
        continue
    strong = 10 if known[me] == "O" and i_am == "X" else max(0, strong - 1)
    known.update((square, what if what in WORTH else "X") for square, what in seen if what != "G")
    in_sight = {square for square, _ in seen}
    ages = {square: age + 1 for square, age in sighted.items() if age < MEMORY and square not in in_sight}
    sighted = {**ages, **{square: 0 for square, what in seen[1:] if what == "G"}}
    worth = {square: WORTH[what] for square, what in known.items() if what in WORTH}
    if strong:
        worth.update((square, 200) for square, age in sighted.items() if age == 0)
    elif any(age == 0 for age in sighted.values()):
        worth.update((square, 150) for square, what in known.items() if what == "O")
    print(plan(me, worth, dangers(strong), 24), flush=True)
