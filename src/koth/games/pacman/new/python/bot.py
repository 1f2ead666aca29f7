"""A first bot: eats what is next to it, walks on, and keeps off ghosts."""

import os
import random
import sys

dice = random.Random(os.environ.get("KOTH_SEED"))  # all our luck from here: then a match can be played again
walls = sys.stdin.readline().strip()  # a hex digit a square, row by row: 1 north, 2 east, 4 south, 8 west
side = int(len(walls) ** 0.5)

for line in sys.stdin:
    if line.startswith("Q"):
        break  # the game is over
    # "3,7X 2,7o 3,8G": squares as row,column and what is there; the first one is our own.
    row, col = map(int, line.split()[0][:-1].split(","))
    seen = {word[:-1]: word[-1] for word in line.split()}  # o pellet, O power pellet, F fruit, G ghost, P Pac-Man
    best, most = "X", 0.0
    for bit, (move, down, right) in enumerate([("N", -1, 0), ("E", 0, 1), ("S", 1, 0), ("W", 0, -1)]):
        if int(walls[row * side + col], 16) >> bit & 1:
            continue  # a wall
        there = seen.get(f"{(row + down) % side},{(col + right) % side}", "?")
        worth = {"o": 10, "O": 50, "F": 100, "G": 0}.get(there, 1) + dice.random()
        if worth > most:
            best, most = move, worth
    print(best, flush=True)
