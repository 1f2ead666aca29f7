"""Wanders: any step that does not kill it at once (what `koth new` begins a bot with)."""

import json
import random
import sys

STEPS = {"up": (0, 1), "right": (1, 0), "down": (0, -1), "left": (-1, 0)}

for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        facts = message["hello"]
        random.seed(facts["seed"])
        print(json.dumps({"ready": True}), flush=True)
    if "ask" in message:
        side, me = facts["side"], message["snake"].index(facts["seat"])
        taken = set(zip(message["x"], message["y"], strict=True))
        free = []
        for word, (dx, dy) in STEPS.items():
            x, y = message["x"][me] + dx, message["y"][me] + dy
            if facts["wraps"]:
                x, y = x % side, y % side
            if 0 <= x < side and 0 <= y < side and (x, y) not in taken:
                free.append(word)
        print(json.dumps({"ask": message["ask"], "move": random.choice(free or ["up"])}), flush=True)
