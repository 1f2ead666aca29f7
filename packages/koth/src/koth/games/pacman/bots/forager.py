"""Remembers what it has seen: assumes a pellet on every square that it has not seen empty. Avoids ghosts."""

import sys
from collections import deque
from collections.abc import Iterator

Square = tuple[int, int]
STEPS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}
walls = sys.stdin.readline().strip()
side = int(len(walls) ** 0.5)
food = {(row, col) for row in range(side) for col in range(side)}


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


def first_step(start: Square, goals: set[Square], shunned: set[Square]) -> str | None:
    """Return the first move of a shortest path to one of the goals; None if there is none."""
    queue = deque((there, move) for move, there in ways(start))
    seen = {start} | shunned
    while queue:
        square, move = queue.popleft()
        if square in seen:
            continue
        if square in goals:
            return move
        seen.add(square)
        queue.extend((there, move) for _, there in ways(square))
    return None


for line in sys.stdin:
    if line.startswith("Q"):
        break
    seen = [read(word) for word in line.split()]
    me, i_am = seen[0]
    if i_am == "G":
        print(first_step(me, {square for square, what in seen if what == "P"}, set()) or "X", flush=True)
        continue
    food.difference_update(square for square, what in seen if what in "XPG")
    ghosts = {square for square, what in seen if what == "G"}
    near = ghosts | {there for ghost in ghosts for _, there in ways(ghost)}
    print(first_step(me, food, near) or first_step(me, food, ghosts) or "X", flush=True)
