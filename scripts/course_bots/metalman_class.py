"""A class for Metal Man that walks by what it sees, and raises or answers nonsense in some rounds."""

STEPS = [[-1, 0], [0, 1], [1, 0], [0, -1]]


class Walker:
    def __init__(self, spotter_point, assasin_point, spotter_direction, assasin_direction):
        self.rounds = sum(spotter_point) + sum(assasin_point)

    def step(self, state):
        self.rounds += 1
        seen = sum(square != -1 for row in state["board"] for square in row)
        if self.rounds % 13 == 5:
            raise ValueError(seen)
        if self.rounds % 13 == 7:
            return {"Spotter": "left"}
        ways = [STEPS[(seen + self.rounds + i) % 4] for i in range(4)]
        return {
            "Spotter": {"moves": ways[:2], "direction": ways[2]},
            "Assasin": {"moves": ways, "direction": ways[3]},
            "Debug": {"seen": seen},
        }
