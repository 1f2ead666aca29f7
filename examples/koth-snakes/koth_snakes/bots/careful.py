"""Careful: the step with the most room behind it; food only when it is hungry."""

import json
import sys

STEPS = {"up": (0, 1), "right": (1, 0), "down": (0, -1), "left": (-1, 0)}


def around(place, facts):
    for word, (dx, dy) in STEPS.items():
        x, y = place[0] + dx, place[1] + dy
        if facts["wraps"]:
            x, y = x % facts["side"], y % facts["side"]
        if 0 <= x < facts["side"] and 0 <= y < facts["side"]:
            yield word, (x, y)


def room(place, taken, facts):
    found = [place]
    seen = {place}
    for here in found:
        new = [there for _, there in around(here, facts) if there not in seen and there not in taken]
        seen.update(new)
        found += new
    return len(found)


for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        facts = message["hello"]
        print(json.dumps({"ready": True}), flush=True)
    if "ask" in message:
        squares = list(zip(message["x"], message["y"], strict=True))
        head = squares[message["snake"].index(facts["seat"])]
        foods = set(zip(message["food_x"], message["food_y"], strict=True))
        hungry = message["health"][facts["seat"]] < 40
        steps = [(word, there) for word, there in around(head, facts) if there not in squares]
        rated = [(room(there, set(squares), facts), hungry and there in foods, word) for word, there in steps]
        print(json.dumps({"ask": message["ask"], "move": max(rated, default=(0, 0, "up"))[2]}), flush=True)
