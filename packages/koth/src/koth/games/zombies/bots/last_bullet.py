"""Runs, shoots when cornered, and saves the last bullet for itself.

A bitten player hunts its own friends. A player that shoots itself in time leaves a body: one zombie less, and an
obstacle for the others.
"""

from koth.games.zombies.bot import Context, Move, Shoot


class LastBullet:
    def do_turn(self, context: Context) -> Move | Shoot:
        zombies = [(max(abs(dx), abs(dy)), dx, dy, who) for dx, dy, who in context.seen() if who.is_zombie]
        if not zombies:
            return Move.STAY
        coming = [(dx - (dx > 0) + (dx < 0), dy - (dy > 0) + (dy < 0)) for _, dx, dy, _ in zombies]

        def distance(move: Move) -> int:
            """Return the distance of the nearest zombie after this move and its own (at most 3); 0 if blocked."""
            if move is not Move.STAY and context.look_around(move.x, move.y):
                return 0
            return min(3, *(max(abs(dx - move.x), abs(dy - move.y)) for dx, dy in coming))

        away = max([Move.STAY, *Move.values()], key=distance)  # of equals the first: it rests while it can
        if distance(away) > 1:
            return away
        if context.bullets > 1:
            return Shoot(min(zombies)[-1])
        return Shoot(context.id if context.bullets else None)
