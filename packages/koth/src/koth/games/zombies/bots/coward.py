"""Runs from everybody: others alive now may bite later, and have guns until then. Never shoots.

It rates staying and the eight steps by how near all others would be; zombies count most, bodies least.
"""

from koth.games.zombies.bot import Context, Move

FEAR = {"Zombie": 3.0, "DeadBody": 0.1}
STRANGER = 1.0


class Coward:
    def do_turn(self, context: Context) -> Move:
        crowd = [(dx, dy, FEAR.get(who.name, STRANGER)) for dx, dy, who in context.seen()]

        def danger(move: Move) -> float:
            if move is not Move.STAY and context.look_around(move.x, move.y):
                return 1e9  # somebody stands there
            total = 0.0
            for dx, dy, fear in crowd:
                distance = max(abs(dx - move.x), abs(dy - move.y))
                total += fear / distance**3 if distance else fear
            return total

        return min(Move.values(), key=danger)
