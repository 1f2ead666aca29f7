"""A first bot: keeps away from zombies, and shoots one that comes too near."""

from koth.games.zombies.bot import Context, Move, Shoot


class Bot:
    # One instance serves all 50 of your players; do_turn is called for each of them, every turn.

    def do_turn(self, context: Context) -> Move | Shoot:
        zombies = [(dx, dy, who) for dx, dy, who in context.seen() if who.is_zombie]
        if not zombies:
            return Move.STAY
        dx, dy, nearest = min(zombies, key=lambda z: max(abs(z[0]), abs(z[1])))
        if max(abs(dx), abs(dy)) <= 2 and context.bullets > 0:
            return Shoot(nearest)
        return Move.in_direction(-dx, -dy)
