"""Wanders: any step. `koth new` starts people with this one."""

import json
import random
import sys

for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        random.seed(message["hello"]["seed"])
        print(json.dumps({"ready": True}), flush=True)
    if "ask" in message:
        print(
            json.dumps({"ask": message["ask"], "move": random.choice(["north", "east", "south", "west"])}), flush=True
        )
