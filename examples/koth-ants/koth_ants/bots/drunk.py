"""Goes anywhere."""

import random


class Bot:
    def __init__(self, info):
        self.dice = random.Random(info.seed)

    def act(self, obs):
        ants = zip(obs.ant_row, obs.ant_col, obs.ant_owner, strict=True)
        own = [[row, column] for row, column, owner in ants if owner == 0]
        return {"at": own, "way": "".join(self.dice.choice("nesw") for _ in own)}
