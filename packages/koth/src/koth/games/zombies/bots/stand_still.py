"""Stands still. The shortest possible bot, and a baseline for the others."""

from koth.games.zombies.bot import Context, Move


class StandStill:
    def do_turn(self, context: Context) -> Move:
        return Move.STAY
