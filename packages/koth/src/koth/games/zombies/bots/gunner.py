"""Shoots the nearest zombie in range until its bullets are used up, and never moves."""

from koth.games.zombies.bot import SHOOT_RANGE, Context, Move, Shoot


class Gunner:
    def do_turn(self, context: Context) -> Move | Shoot:
        zombies = [(max(abs(dx), abs(dy)), who) for dx, dy, who in context.seen() if who.is_zombie]
        if zombies and context.bullets:
            distance, nearest = min(zombies)
            if distance <= SHOOT_RANGE:
                return Shoot(nearest)
        return Move.STAY
