"""Greedy: towards the nearest gold."""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        seat, side = message["hello"]["seat"], message["hello"]["side"]
        print(json.dumps({"ready": True}), flush=True)
    if "ask" in message:
        x, y = message["x"][seat], message["y"][seat]
        gold = [(c - x, r - y) for r, row in enumerate(message["gold"]) for c in range(side) if row[c] == "$"]
        dx, dy = min(gold, key=lambda d: abs(d[0]) + abs(d[1]), default=(0, 0))
        way = ("east" if dx > 0 else "west") if dx else ("south" if dy > 0 else "north")
        print(json.dumps({"ask": message["ask"], "move": way}), flush=True)
