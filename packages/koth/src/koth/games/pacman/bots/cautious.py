"""Keeps away from everybody: takes the step that is furthest from ghosts and from other Pac-Men."""

import sys

Square = tuple[int, int]
STEPS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}
FEAR = {"G": 8.0, "P": 1.0}
APPETITE = {"o": 1.0, "O": 3.0, "F": 4.0}
walls = sys.stdin.readline().strip()
side = int(len(walls) ** 0.5)
last_visit: dict[Square, int] = {}


def read(word: str) -> tuple[Square, str]:
    """Return the square and its content of a word like `3,7o`."""
    row, col = word[:-1].split(",")
    return (int(row), int(col)), word[-1]


def apart(a: Square, b: Square) -> int:
    """Return the Manhattan distance on the torus."""
    rows, cols = abs(a[0] - b[0]), abs(a[1] - b[1])
    return min(rows, side - rows) + min(cols, side - cols)


for turn, line in enumerate(sys.stdin):
    if line.startswith("Q"):
        break
    seen = [read(word) for word in line.split()]
    me, i_am = seen[0]
    last_visit[me] = turn
    closed = int(walls[me[0] * side + me[1]], 16)
    best, best_value = "X", -1e9
    for bit, (move, (dr, dc)) in enumerate(STEPS.items()):
        if closed >> bit & 1:
            continue
        there = (me[0] + dr) % side, (me[1] + dc) % side
        value = last_visit.get(there, -40) * -0.02
        for square, what in seen[1:]:
            value -= FEAR.get(what, 0) / (apart(there, square) + 0.3) ** 2 * (-1 if i_am == "G" else 1)
            value += APPETITE.get(what, 0) / (apart(there, square) + 1)
        if value > best_value:
            best, best_value = move, value
    print(best, flush=True)
