"""All players march in the same direction, away from most zombies, at zombies' speed: zombies behind stay behind.

One instance serves all of a bot's players, so its attributes are how they communicate. Here all players vote each
turn, and the votes of one turn are the course of the next.
"""

from koth.games.zombies.bot import Context, Move


class Convoy:
    def __init__(self) -> None:
        self.clock = 0
        self.course = (1, 0)
        self.votes = [0, 0]

    def do_turn(self, context: Context) -> Move:
        if context.game_clock != self.clock:  # the first of us to be asked this turn counts the votes
            self.clock = context.game_clock
            if any(self.votes):
                self.course = (self.votes[0], self.votes[1])
            self.votes = [0, 0]
        zombies = [(dx, dy) for dx, dy, who in context.seen() if who.is_zombie]
        for dx, dy in zombies:
            self.votes[0] -= dx
            self.votes[1] -= dy
        ahead = Move.in_direction(*self.course)

        def danger(move: Move) -> tuple[int, int]:
            """Return the zombies that would be within two squares, then how far the move is off the course."""
            near = sum(max(abs(dx - move.x), abs(dy - move.y)) <= 2 for dx, dy in zombies)
            return near, abs(ahead.x - move.x) + abs(ahead.y - move.y)

        free = [move for move in Move.values() if move is Move.STAY or not context.look_around(move.x, move.y)]
        return min(free, key=danger)
