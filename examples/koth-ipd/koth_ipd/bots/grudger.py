"""Grudger: cooperates until the opponent defects, and never again afterwards."""


class Bot:
    betrayed = False

    def act(self, obs):
        self.betrayed = self.betrayed or obs.theirs == "D"
        return "D" if self.betrayed else "C"
