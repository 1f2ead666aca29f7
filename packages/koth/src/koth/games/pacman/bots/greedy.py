"""Goes to the nearest visible thing to eat, and walks on if there is none. Ignores ghosts."""

import os
import random
import sys
from collections import deque
from collections.abc import Iterator

Square = tuple[int, int]
STEPS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}
dice = random.Random(os.environ.get("KOTH_SEED"))
walls = sys.stdin.readline().strip()
side = int(len(walls) ** 0.5)


def read(word: str) -> tuple[Square, str]:
    """Return the square and its content of a word like `3,7o`."""
    row, col = word[:-1].split(",")
    return (int(row), int(col)), word[-1]


def ways(square: Square) -> Iterator[tuple[str, Square]]:
    """Return the open moves from a square, with the squares that they lead to; the maze wraps."""
    closed = int(walls[square[0] * side + square[1]], 16)
    for bit, (move, (dr, dc)) in enumerate(STEPS.items()):
        if not closed >> bit & 1:
            yield move, ((square[0] + dr) % side, (square[1] + dc) % side)


def first_step(start: Square, goals: set[Square]) -> str | None:
    """Return the first move of a shortest path to one of the goals; None if there is none."""
    queue = deque((there, move) for move, there in ways(start))
    seen = {start}
    while queue:
        square, move = queue.popleft()
        if square in goals:
            return move
        if square not in seen:
            seen.add(square)
            queue.extend((there, move) for _, there in ways(square))
    return None


came_from: Square | None = None
for line in sys.stdin:
    if line.startswith("Q"):
        break
    seen = [read(word) for word in line.split()]
    me, i_am = seen[0]
    food = {square for square, what in seen[1:] if what in ("P" if i_am == "G" else "oOF")}
    move = first_step(me, food)
    if move is None:
        onward = [move for move, there in ways(me) if there != came_from]
        move = dice.choice(onward or ["X"])
    came_from = me
    print(move, flush=True)
