"""An author that is a script: it writes a hasty bot, reads why that failed, and mends it."""

import os
from pathlib import Path

HASTY = {
    "pacman": """
class Bot:
    def __init__(self, info):
        self.turn = 0

    def act(self, obs):
        self.turn += 1
        food = [(abs(row - obs.row) + abs(col - obs.col), row, col) for row, col, what in obs.seen if what in "oOF"]
        _, row, col = min(food)
        wanted = ("S" if row > obs.row else "N" if row < obs.row else "") + ("E" if col > obs.col else "W")
        return next((move for move in wanted if move in obs.free), obs.free[self.turn % len(obs.free)])
""",
    "zombies": """
from koth.games.zombies.bot import Move, Shoot


class Bot:
    def do_turn(self, context):
        food = [(max(abs(dx), abs(dy)), dx, dy, who) for dx, dy, who in context.seen() if who.is_zombie]
        distance, dx, dy, nearest = min(food, key=lambda zombie: zombie[0])
        if distance <= 2 and context.bullets > 0:
            return Shoot(nearest)
        return Move.in_direction(-dx, -dy)
""",
}
GUARD = {
    "pacman": "        if not food:\n            return obs.free[self.turn % len(obs.free)]\n",
    "zombies": "        if not food:\n            return Move.STAY\n",
}

game, number = os.environ["KOTH_GAME"], int(os.environ["KOTH_ROUND"])
bot, why = Path("bot/bot.py"), Path("arena/why.txt").read_text()
if number == 1:
    bot.write_text(HASTY[game])
    print("a first bot")
elif "min() arg is an empty sequence" in why:
    lines = bot.read_text().splitlines(keepends=True)
    place = next(number for number, line in enumerate(lines) if "= min(food" in line)
    bot.write_text("".join([*lines[:place], GUARD[game], *lines[place:]]))
    print("mended: there may be nothing in sight")
else:
    print("nothing to mend")
