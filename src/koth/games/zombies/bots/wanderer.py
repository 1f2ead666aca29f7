"""Wanders about. `Move.random_move` and Python's `random` are seeded: the same match goes the same way again."""

from koth.games.zombies.bot import Context, Move


class Wanderer:
    def do_turn(self, context: Context) -> Move:
        return Move.random_move()
