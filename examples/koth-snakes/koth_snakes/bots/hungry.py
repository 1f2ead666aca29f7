"""Hungry: the free step that comes nearest to food."""

STEPS = {"up": (0, 1), "right": (1, 0), "down": (0, -1), "left": (-1, 0)}


class Bot:
    def __init__(self, info):
        self.info = info

    def act(self, obs):
        side, me = self.info.side, obs.snake.index(self.info.seat)
        taken = set(zip(obs.x, obs.y, strict=True))
        foods = list(zip(obs.food_x, obs.food_y, strict=True)) or [(side // 2, side // 2)]
        best = (side**2, "up")
        for word, (dx, dy) in STEPS.items():
            x, y = obs.x[me] + dx, obs.y[me] + dy
            if self.info.wraps:
                x, y = x % side, y % side
            if 0 <= x < side and 0 <= y < side and (x, y) not in taken:
                best = min(best, (min(abs(x - a) + abs(y - b) for a, b in foods), word))
        return best[1]
