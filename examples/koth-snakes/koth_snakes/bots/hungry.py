"""Hungry: the free step that comes nearest to food."""

import json
import sys

STEPS = {"up": (0, 1), "right": (1, 0), "down": (0, -1), "left": (-1, 0)}

for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        facts = message["hello"]
        print(json.dumps({"ready": True}), flush=True)
    if "ask" in message:
        side, me = facts["side"], message["snake"].index(facts["seat"])
        taken = set(zip(message["x"], message["y"], strict=True))
        foods = list(zip(message["food_x"], message["food_y"], strict=True)) or [(side // 2, side // 2)]
        best = (side**2, "up")
        for word, (dx, dy) in STEPS.items():
            x, y = message["x"][me] + dx, message["y"][me] + dy
            if facts["wraps"]:
                x, y = x % side, y % side
            if 0 <= x < side and 0 <= y < side and (x, y) not in taken:
                best = min(best, (min(abs(x - a) + abs(y - b) for a, b in foods), word))
        print(json.dumps({"ask": message["ask"], "move": best[1]}), flush=True)
