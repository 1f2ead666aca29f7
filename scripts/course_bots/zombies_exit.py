"""A class for zombies that ends its process in its seventh turn."""

import sys

from koth.games.zombies.bot import Move


class Leaver:
    def do_turn(self, context):
        if context.game_clock == 7:
            sys.exit(5)
        return Move.in_direction(1, context.y % 2)
