"""Stands still and hopes. The shortest bot there is, and a yardstick for the others."""

from koth.games.zombies.bot import Context, Move


class StandStill:
    def do_turn(self, context: Context) -> Move:
        return Move.STAY
