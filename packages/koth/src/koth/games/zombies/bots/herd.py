"""Stays with its own kind: goes to the middle of those it sees, and shoots the zombies that come near.

In a herd zombies can come from fewer sides, and meet many guns. When one player is bitten, so are many.
"""

from koth.games.zombies.bot import Context, Move, Shoot


class Herd:
    def do_turn(self, context: Context) -> Move | Shoot:
        x = y = 0
        for dx, dy, who in context.seen():
            if who.is_zombie and max(abs(dx), abs(dy)) <= 2 and context.bullets:
                return Shoot(who)
            if who.name == context.id.name:
                x += dx
                y += dy
        move = Move.in_direction(x, y)
        return Move.STAY if context.look_around(move.x, move.y) else move
