"""Takes the bullets of strangers next to it, stays among bodies, shoots attackers, otherwise runs.

One number rates a square: far from where the zombies will be, near a stranger worth robbing, and with bodies around,
which block the way.
"""

from koth.games.zombies.bot import Context, Move, Shoot


class Fox:
    def do_turn(self, context: Context) -> Move | Shoot:
        around = sorted((max(abs(dx), abs(dy)), dx, dy, who) for dx, dy, who in context.seen())
        strangers = [(dx, dy) for _, dx, dy, who in around if who.is_player and who.name != context.id.name]
        if context.bullets:
            for distance, dx, dy, who in around:
                if (who.is_zombie and distance <= 2) or (distance == 1 and (dx, dy) in strangers):
                    return Shoot(who)
        zombies = [(dx - (dx > 0) + (dx < 0), dy - (dy > 0) + (dy < 0)) for _, dx, dy, who in around if who.is_zombie]
        bodies = {(dx, dy) for _, dx, dy, who in around if who.is_body}

        def worth(move: Move) -> float:
            if move is not Move.STAY and context.look_around(move.x, move.y):
                return -1e9  # somebody stands there
            total = 0.0
            for dx, dy in zombies:
                distance = max(abs(dx - move.x), abs(dy - move.y))
                total -= 1 / distance**3 if distance > 1 else 10
            for dx, dy in strangers[: context.bullets]:
                total -= 0.05 * max(abs(dx - move.x), abs(dy - move.y))
            return total + 0.1 * sum((move.x + m.x, move.y + m.y) in bodies for m in Move.values())

        return max(Move.values(), key=worth)
