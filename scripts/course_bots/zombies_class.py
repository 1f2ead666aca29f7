"""A class for zombies that raises for some of its players, and answers nonsense for others."""

from koth.games.zombies.bot import Move, Shoot


class Mixed:
    def __init__(self):
        self.asked = 0

    def do_turn(self, context):
        self.asked += 1
        seen = context.seen()
        if (context.x + context.y) % 7 == 0:
            raise ValueError(f"planned at {context.x}, {context.y}")
        if (context.x * context.y) % 11 == 3:
            return "NORTH"
        if context.bullets and len(seen) % 3 == 1:
            return Shoot(seen[0][2])
        return Move.values()[(len(seen) + context.x + context.bullets + context.game_clock) % 9]
