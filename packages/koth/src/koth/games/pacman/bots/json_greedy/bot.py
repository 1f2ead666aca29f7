"""Goes to the nearest visible thing to eat, as `greedy` does, but uses JSON lines."""

import json
import os
import random
import sys

STEPS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}
dice = random.Random(os.environ.get("KOTH_SEED"))
hello = json.loads(sys.stdin.readline())["hello"]
walls, side = hello["walls"], hello["side"]
print(json.dumps({"ready": True}), flush=True)

for line in sys.stdin:
    message = json.loads(line)
    if "bye" in message:
        break
    row, col = message["row"], message["col"]
    closed = int(walls[row * side + col], 16)
    wanted = "P" if message["self"] == "G" else "oOF"
    values = {}
    for bit, (move, (dr, dc)) in enumerate(STEPS.items()):
        if closed >> bit & 1:
            continue
        there = (row + dr) % side, (col + dc) % side
        lengths = [abs(r - there[0]) + abs(c - there[1]) for r, c, what in message["seen"] if what in wanted]
        values[move] = (min(lengths, default=99), dice.random())
    print(json.dumps({"ask": message["ask"], "move": min(values, key=values.__getitem__)}), flush=True)
