"""Walks at random. `Move.random_move` and Python's `random` are seeded, so a match can be repeated."""

from koth.games.zombies.bot import Context, Move


class Wanderer:
    def do_turn(self, context: Context) -> Move:
        return Move.random_move()
