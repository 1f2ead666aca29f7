# Mamba (Python 2.7 on Jython) lies still until prey is in range, bites once, and slides away from zombies.
# mypy: ignore-errors
from zombie import Move, Player, PlayerRegistry, Shoot


class Mamba(Player):
    def doTurn(self, context):  # noqa: N802
        zombies = list(self.seen(context, "Zombie"))
        if zombies:
            _, dx, dy, nearest = min(zombies, key=lambda zombie: zombie[:3])
            if max(abs(dx), abs(dy)) <= 2 and context.bullets > 0:
                return Shoot(nearest)
            return Move.inDirection(-dx, -dy)
        for who in context.shootablePlayers():
            if who.name not in ("DeadBody", context.id.name) and context.bullets > 1:
                return Shoot(who)
        return Move.STAY

    def seen(self, context, name):
        field = context.playField
        for x, column in enumerate(field):
            for y, who in enumerate(column):
                if who is not None and who.name == name:
                    yield (x - 8) ** 2 + (y - 8) ** 2, x - 8, y - 8, who


PlayerRegistry.registerPlayer("mamba", Mamba())
