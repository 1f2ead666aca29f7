"""Never moves, and shoots zombies within two squares: one step later they would bite.

Zombies walk straight towards a player and reach it over few squares; a body blocks its square for good. So every shot
helps to build a wall.
"""

from koth.games.zombies.bot import Context, Move, Shoot


class Hermit:
    def do_turn(self, context: Context) -> Move | Shoot:
        for dx, dy, who in context.seen():
            if who.is_zombie and max(abs(dx), abs(dy)) <= 2 and context.bullets:
                return Shoot(who)
        return Move.STAY
