"""A first bot: eats what is next to it, walks on, and keeps off ghosts.

koth reads what is printed. For yourself print to stderr: `print("here", file=sys.stderr)`.
"""

import os
import random
import sys

WORTH = {"o": 10.0, "O": 50.0, "F": 100.0, "G": 0.0}  # pellet, power pellet, fruit, ghost; P: a Pac-Man, X: nothing
STEPS = [("N", -1, 0), ("E", 0, 1), ("S", 1, 0), ("W", 0, -1)]

dice = random.Random(int(os.environ["KOTH_SEED"]))  # draw from these alone, and a match can be repeated
walls = sys.stdin.readline().strip()  # a hex digit a square, row by row: 1 north, 2 east, 4 south, 8 west
side = int(len(walls) ** 0.5)

for line in sys.stdin:
    if line.startswith("Q"):
        break
    squares = [(word[:-1].split(","), word[-1]) for word in line.split()]  # our own one first
    seen = {(int(row), int(col)): letter for (row, col), letter in squares}
    row, col = next(iter(seen))
    best, most = "X", 0.0
    for bit, (move, down, right) in enumerate(STEPS):
        if int(walls[row * side + col], 16) >> bit & 1:
            continue
        there = seen.get(((row + down) % side, (col + right) % side), "?")
        worth = WORTH.get(there, 1.0) + dice.random()
        if worth > most:
            best, most = move, worth
    print(best, flush=True)
