"""Walks to the nearest gold, by the game's Python API."""


class Collector:
    def move(self, x, y, gold):
        gx, gy = min(gold, key=lambda at: abs(at[0] - x) + abs(at[1] - y), default=(x, y))
        if gx != x:
            return "east" if gx > x else "west"
        return "south" if gy > y else "north" if gy < y else "stay"
