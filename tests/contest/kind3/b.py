from koth.games.zombies.bot import Move


class Bot:
    def do_turn(self, context):
        return Move.values()[(context.game_clock + context.id.number) % 9]
