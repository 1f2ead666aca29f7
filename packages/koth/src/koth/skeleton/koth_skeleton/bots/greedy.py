"""Greedy: steps towards the nearest gold."""


class Bot:
    def __init__(self, info):
        self.seat = info.seat

    def act(self, obs):
        x, y = obs.x[self.seat], obs.y[self.seat]
        squares = ((c - x, r - y, what) for r, row in enumerate(obs.gold) for c, what in enumerate(row))
        gold = [(dx, dy) for dx, dy, what in squares if what == "$"]
        dx, dy = min(gold, key=lambda d: abs(d[0]) + abs(d[1]), default=(0, 0))
        return ("east" if dx > 0 else "west") if dx else ("south" if dy > 0 else "north")
