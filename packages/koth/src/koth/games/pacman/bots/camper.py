"""Waits beside a power pellet until a ghost comes close, eats the pellet, then the ghost."""

import os
import random
import sys
from collections import deque
from collections.abc import Iterator

Square = tuple[int, int]
STEPS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}
CLOSE = 4
PATIENCE = 25
dice = random.Random(os.environ.get("KOTH_SEED"))
walls = sys.stdin.readline().strip()
side = int(len(walls) ** 0.5)
power: set[Square] = set()


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


def way_to(start: Square, goals: set[Square]) -> tuple[int, str]:
    """Return length and first move of a shortest path to one of the goals; a large length and X if there is none."""
    queue = deque((there, move, 1) for move, there in ways(start))
    seen = {start}
    while queue:
        square, move, steps = queue.popleft()
        if square in goals:
            return steps, move
        if square not in seen:
            seen.add(square)
            queue.extend((there, move, steps + 1) for _, there in ways(square))
    return 999, "X"


strong = waited = 0
came_from: Square | None = None
me: Square | None = None
for line in sys.stdin:
    if line.startswith("Q"):
        break
    seen = [read(word) for word in line.split()]
    came_from, (me, i_am) = (came_from if me == seen[0][0] else me), seen[0]
    strong = 10 if me in power and i_am == "X" else max(0, strong - 1)
    power |= {square for square, what in seen if what == "O"}
    power -= {square for square, what in seen if what != "O" and what != "G"}
    ghosts = {square for square, what in seen[1:] if what == "G"}
    others = {square for square, what in seen[1:] if what in ("P" if i_am == "G" else "oF")}
    distance, to_ghost = way_to(me, ghosts)
    steps, to_power = way_to(me, power)
    if i_am == "G":
        move = way_to(me, others)[1]
    elif strong and distance <= strong:
        move = to_ghost
    elif steps == 1:  # beside one: the moment is chosen by the ghosts
        waited += 1
        move = to_power if distance <= CLOSE or waited > PATIENCE else "X"
    elif steps < 999 and distance > CLOSE:
        waited, move = 0, to_power
    elif distance <= CLOSE:
        safe = [step for step, there in ways(me) if way_to(there, ghosts)[0] >= distance]
        move = dice.choice(safe or ["X"])
    else:
        move = way_to(me, others)[1]
        if move == "X":
            move = dice.choice([step for step, there in ways(me) if there != came_from])
    print(move, flush=True)
