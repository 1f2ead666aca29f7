"""Hunts the players of other bots: a body gives its bullets to the players next to it, and most had three.

A zombie is shot at the last moment, two squares away: one step later it is next to the player, and bites.
"""

from koth.games.zombies.bot import Context, Move, Shoot


class Hunter:
    def do_turn(self, context: Context) -> Move | Shoot:
        prey = None
        around = sorted((max(abs(dx), abs(dy)), dx, dy, who) for dx, dy, who in context.seen())
        for distance, dx, dy, who in around:  # the nearest first
            if who.is_zombie and distance <= 2 and context.bullets:
                return Shoot(who)
            if who.is_player and who.name != context.id.name:
                if distance == 1 and context.bullets:
                    return Shoot(who)
                prey = prey or (dx, dy)
        return self.step_towards(context, *prey) if prey else Move.STAY

    def step_towards(self, context: Context, dx: int, dy: int) -> Move:
        """Return the step onto a free square that brings the player nearest to (dx, dy)."""
        free = [move for move in Move.values() if not context.look_around(move.x, move.y)]
        return min([Move.STAY, *free], key=lambda move: abs(dx - move.x) + abs(dy - move.y))
