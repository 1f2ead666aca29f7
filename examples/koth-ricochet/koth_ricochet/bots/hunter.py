"""Hunter: shoots along rows and columns, else goes towards the nearest rival that it sees, else wanders."""

import json
import random
import sys

WAYS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}


def free(ask, way):
    """Whether the next square that way is no wall."""
    middle = len(ask["window"]) // 2
    dx, dy = WAYS[way]
    return ask["window"][middle + dy][middle + dx] != "#"


def act(ask):
    rivals = zip(ask["rival_x"], ask["rival_y"], strict=True)
    near = sorted((abs(x - ask["x"]) + abs(y - ask["y"]), x - ask["x"], y - ask["y"]) for x, y in rivals)
    for _, dx, dy in near:
        if dx == 0 or dy == 0:
            return "fire_" + ("north" if dy < 0 else "south" if dy > 0 else "west" if dx < 0 else "east")
    ways = [way for way in WAYS if free(ask, way)]
    if near:
        _, dx, dy = near[0]
        better = [way for way in ways if WAYS[way][0] * dx > 0 or WAYS[way][1] * dy > 0]
        ways = better or ways
    return random.choice(ways or ["stay"])


for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        random.seed(message["hello"]["seed"])
        print(json.dumps({"ready": True}), flush=True)
    if "ask" in message:
        print(json.dumps({"ask": message["ask"], "action": act(message)}), flush=True)
