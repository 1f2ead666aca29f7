"""Gathers in one block, takes strangers' bullets, and shoots every zombie that comes near one of its own.

Bodies stay where they fall, so the dead soon form a wall around the block, and then only a zombie that appears within
it does harm. The players communicate through attributes: where they stand, and which targets are taken.
"""

from koth.games.zombies.bot import SHOOT_RANGE, Context, Move, PlayerId, Shoot

Square = tuple[int, int]
BLOCK = 5
"""The largest distance from the middle at which a player may stay."""


class WallBuilder:
    def __init__(self) -> None:
        self.clock = -1
        self.middle: Square | None = None
        self.ours: list[Square] = []
        self.guarded: dict[Square, int] = {}
        self.taken: set[PlayerId] = set()

    def do_turn(self, context: Context) -> Move | Shoot:
        if context.game_clock != self.clock:
            self.begin_turn(context)
        self.ours.append((context.x, context.y))
        target = self.find_target(context) if context.bullets else None
        if target:
            self.taken.add(target)
            return Shoot(target)
        return self.gather(context)

    def begin_turn(self, context: Context) -> None:
        """Begin a turn: note in `guarded` how near each square is to one of our players, as placed last turn."""
        self.clock = context.game_clock
        self.middle = self.middle or (context.x, context.y)
        self.guarded = {}
        for distance in (2, 1):
            reach = range(-distance, distance + 1)
            for x, y in self.ours:
                for dx in reach:
                    for dy in reach:
                        self.guarded[(x + dx) % context.board_size, (y + dy) % context.board_size] = distance
        self.ours = []
        self.taken = set()

    def find_target(self, context: Context) -> PlayerId | None:
        """Return the zombie in range that is nearest to one of us; else a stranger within two squares."""
        targets = []
        for dx, dy, who in context.seen():
            distance = max(abs(dx), abs(dy))
            if distance > SHOOT_RANGE or who in self.taken or who.is_body or who.name == context.id.name:
                continue
            if who.is_zombie:
                square = (context.x + dx) % context.board_size, (context.y + dy) % context.board_size
                urgency = min(distance, self.guarded.get(square, 9))
            else:
                urgency = 3
            if urgency <= 2 or (who.is_player and distance <= 2):
                targets.append((urgency, distance, who))
        return min(targets)[2] if targets else None

    def gather(self, context: Context) -> Move:
        """Return a step towards the middle, around obstacles, until the player is in the block."""
        assert self.middle is not None
        half = context.board_size // 2
        dx = (self.middle[0] - context.x + half) % context.board_size - half
        dy = (self.middle[1] - context.y + half) % context.board_size - half
        if max(abs(dx), abs(dy)) <= BLOCK:
            return Move.STAY
        free = [move for move in Move.values() if move is Move.STAY or not context.look_around(move.x, move.y)]
        return min(
            free, key=lambda move: abs(dx - move.x) + abs(dy - move.y) + 99 * max(abs(dx - move.x), abs(dy - move.y))
        )
