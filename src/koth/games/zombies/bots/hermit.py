"""Stays where it is and shoots what comes within two squares: any later, and it bites.

Zombies walk straight at you and arrive by few squares; a body blocks its square for good. Every shot is a stone of
a wall.
"""

from koth.games.zombies.bot import Context, Move, Shoot


class Hermit:
    def do_turn(self, context: Context) -> Move | Shoot:
        for dx, dy, who in context.seen():
            if who.is_zombie and max(abs(dx), abs(dy)) <= 2 and context.bullets:
                return Shoot(who)
        return Move.STAY
