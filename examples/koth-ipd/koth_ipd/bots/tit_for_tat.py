"""Tit for tat: cooperates first, then repeats the opponent's last move."""


class Bot:
    def act(self, obs):
        return "D" if obs.theirs == "D" else "C"
