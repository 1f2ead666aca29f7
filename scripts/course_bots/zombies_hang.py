"""A class for zombies that sleeps for ever in its ninth turn."""

import time

from koth.games.zombies.bot import Move


class Sleeper:
    def do_turn(self, context):
        if context.game_clock == 9:
            time.sleep(600)
        return Move.in_direction(-1, context.x % 2)
