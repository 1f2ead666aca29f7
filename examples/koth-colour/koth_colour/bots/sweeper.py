"""Goes over the canvas row by row, to the end and back."""


class Bot:
    def __init__(self, info):
        self.seat, self.way, self.down = info.seat, "east", True

    def act(self, obs):
        x, y, end = obs.x[self.seat], obs.y[self.seat], len(obs.canvas) - 1
        if x != (end if self.way == "east" else 0):
            return self.way
        self.way = "west" if self.way == "east" else "east"
        if y == (end if self.down else 0):
            self.down = not self.down
        return "south" if self.down else "north"
