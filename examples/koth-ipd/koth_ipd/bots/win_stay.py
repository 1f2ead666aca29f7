"""Win-stay: repeats its move if the opponent cooperated, and changes it otherwise."""


class Bot:
    def act(self, obs):
        if obs.theirs == "D":
            return "D" if obs.mine == "C" else "C"
        return "C" if obs.turn == 0 else obs.mine
