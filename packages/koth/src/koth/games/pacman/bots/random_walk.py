"""Steps in a random open direction each turn. A baseline: a bot that does not beat it has a bug."""

import os
import random
import sys

dice = random.Random(os.environ.get("KOTH_SEED"))
walls = sys.stdin.readline().strip()
side = int(len(walls) ** 0.5)

for line in sys.stdin:
    if line.startswith("Q"):
        break
    row, col = map(int, line.split()[0][:-1].split(","))
    closed = int(walls[row * side + col], 16)
    print(dice.choice([move for bit, move in enumerate("NESW") if not closed >> bit & 1]), flush=True)
