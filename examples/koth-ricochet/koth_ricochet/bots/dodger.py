"""Dodger: leaves the rows and columns in which bullets fly, and now and then lays a mine where it was."""

import json
import random
import sys

WAYS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}


def act(ask):
    middle = len(ask["window"]) // 2
    ways = [way for way, (dx, dy) in WAYS.items() if ask["window"][middle + dy][middle + dx] != "#"]
    mines = set(zip(ask["mine_x"], ask["mine_y"], strict=True))
    ways = [way for way in ways if (ask["x"] + WAYS[way][0], ask["y"] + WAYS[way][1]) not in mines]
    for x, y, way in zip(ask["bullet_x"], ask["bullet_y"], ask["bullet_way"], strict=True):
        if way in ("north", "south") and x == ask["x"]:
            ways = [other for other in ways if other in ("east", "west")]
        if way in ("east", "west") and y == ask["y"]:
            ways = [other for other in ways if other in ("north", "south")]
    if ask["mines"] and not ask["bullet_x"] and random.random() < 0.1:
        return "mine"
    return random.choice(ways or ["stay"])


for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        random.seed(message["hello"]["seed"])
        print(json.dumps({"ready": True}), flush=True)
    if "ask" in message:
        print(json.dumps({"ask": message["ask"], "action": act(message)}), flush=True)
