"""Careful: the step with the most room behind it; food only when it is hungry."""

STEPS = {"up": (0, 1), "right": (1, 0), "down": (0, -1), "left": (-1, 0)}


class Bot:
    def __init__(self, info):
        self.info = info

    def act(self, obs):
        squares = list(zip(obs.x, obs.y, strict=True))
        head = squares[obs.snake.index(self.info.seat)]
        foods = set(zip(obs.food_x, obs.food_y, strict=True))
        hungry = obs.health[self.info.seat] < 40
        steps = [(word, there) for word, there in self.around(head) if there not in squares]
        rated = [(self.room(there, set(squares)), hungry and there in foods, word) for word, there in steps]
        return max(rated, default=(0, 0, "up"))[2]

    def around(self, place):
        for word, (dx, dy) in STEPS.items():
            x, y = place[0] + dx, place[1] + dy
            if self.info.wraps:
                x, y = x % self.info.side, y % self.info.side
            if 0 <= x < self.info.side and 0 <= y < self.info.side:
                yield word, (x, y)

    def room(self, place, taken):
        found = [place]
        seen = {place}
        for here in found:
            new = [there for _, there in self.around(here) if there not in seen and there not in taken]
            seen.update(new)
            found += new
        return len(found)
