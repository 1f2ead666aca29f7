"""Hunts ghosts: fetches a power pellet, then chases ghosts, 200 points each, while its effect lasts."""

import sys
from collections import deque
from collections.abc import Iterator

Square = tuple[int, int]
STEPS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}
walls = sys.stdin.readline().strip()
side = int(len(walls) ** 0.5)
known = {(row, col): "o" for row in range(side) for col in range(side)}
"""The last seen content of each square; a pellet if it was never seen."""


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


def way_to(start: Square, goals: set[Square], shunned: set[Square]) -> tuple[int, str | None]:
    """Return length and first move of a shortest path to one of the goals; a large length and None without one."""
    queue = deque((there, move, 1) for move, there in ways(start))
    seen = {start, *shunned}
    while queue:
        square, move, steps = queue.popleft()
        if square in seen:
            continue
        if square in goals:
            return steps, move
        seen.add(square)
        queue.extend((there, move, steps + 1) for _, there in ways(square))
    return 999, None


strong = 0
for line in sys.stdin:
    if line.startswith("Q"):
        break
    seen = [read(word) for word in line.split()]
    me, i_am = seen[0]
    if i_am == "G":
        print(way_to(me, {square for square, what in seen if what == "P"}, set())[1] or "X", flush=True)
        continue
    strong = 10 if known[me] == "O" and i_am == "X" else max(0, strong - 1)
    ghosts = {square for square, what in seen[1:] if what == "G"}
    known.update((square, what if what in "oOF" else "X") for square, what in seen if what != "G")
    # A ghost needs as many steps to meet it as it needs to meet the ghost: half the way each.
    distance, chase = way_to(me, ghosts, set())
    if chase and distance <= strong:
        print(chase, flush=True)
        continue
    shunned = set() if strong > 2 else ghosts | {there for ghost in ghosts for _, there in ways(ghost)}
    steps, fetch = way_to(me, {square for square, what in known.items() if what in "OF"}, shunned)
    graze = way_to(me, {square for square, what in known.items() if what == "o"}, shunned)[1]
    flee = next((move for move, there in ways(me) if there not in shunned), "X")
    print(fetch if fetch and steps <= 12 else graze or fetch or flee, flush=True)
