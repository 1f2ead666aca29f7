"""Runs from the zombies, never shoots. A zombie follows where you were, so a zombie behind you stays behind you.

Zombies step at the same time: what counts is how near each will be after both steps. A player next to a zombie at the
start of the next turn is bitten.
"""

from koth.games.zombies.bot import Context, Move


class Runner:
    def do_turn(self, context: Context) -> Move:
        zombies = [
            (dx - (dx > 0) + (dx < 0), dy - (dy > 0) + (dy < 0))  # where it will be: one step nearer to me
            for dx, dy, who in context.seen()
            if who.is_zombie
        ]

        def danger(move: Move) -> float:
            if move is not Move.STAY and context.look_around(move.x, move.y):
                return 1e9  # somebody stands there
            total = 0.0
            for dx, dy in zombies:
                distance = max(abs(dx - move.x), abs(dy - move.y))
                total += 1 / distance**3 if distance > 1 else 10
            return total

        return min(Move.values(), key=danger) if zombies else Move.STAY
