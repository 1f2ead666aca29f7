# A first bot, in Python 2.7 on Jython: keep away from zombies, shoot the one that comes too near.
# mypy: ignore-errors
from zombie import Move, Player, PlayerRegistry, Shoot


class MyBot(Player):
    # One object serves all 50 of your players; doTurn is called for each of them, every turn.

    def doTurn(self, context):  # noqa: N802
        zombies = [
            (max(abs(x - 8), abs(y - 8)), x - 8, y - 8, who)
            for x, column in enumerate(context.playField)
            for y, who in enumerate(column)
            if who is not None and who.name == "Zombie"
        ]
        if not zombies:
            return Move.STAY
        distance, dx, dy, nearest = min(zombies, key=lambda zombie: zombie[:3])
        if distance <= 2 and context.bullets > 0:
            return Shoot(nearest)
        return Move.inDirection(-dx, -dy)


PlayerRegistry.registerPlayer("MyBot", MyBot())
