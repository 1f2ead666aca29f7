"""Runs away from the nearest zombies, each counted the more the nearer it is."""

from koth.games.zombies.bot import Context, Move


class Runner:
    def do_turn(self, context: Context) -> Move:
        zombies = [(dx, dy) for dx, dy, who in context.seen() if who.is_zombie]

        def danger(move: Move) -> float:
            if move is not Move.STAY and context.look_around(move.x, move.y):
                return 1e9  # somebody stands there
            return sum(1 / max(abs(dx - move.x), abs(dy - move.y), 0.5) ** 2 for dx, dy in zombies)

        return min(Move.values(), key=danger)
