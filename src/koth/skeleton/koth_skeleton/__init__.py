"""Skeleton: who collects the most gold? (RULES.md)"""

from koth.game import Convention
from koth.games.defaults import Defaults
from koth_skeleton import rules, turn, view
from koth_skeleton.state import Settings


class Skeleton(Defaults):
    """The game as the arena knows it; what is not said here is as in `koth.games.defaults`."""

    name = "skeleton"
    title = "Skeleton"
    seats = range(1, 17)
    rulesets = {"standard": Settings()}  # noqa: RUF012
    convention = Convention(games=20, aggregate="mean", table=4)
    field = ("greedy", "wanderer")
    start = staticmethod(rules.start)
    questions = staticmethod(view.questions)
    turn = staticmethod(turn.turn)


GAME = Skeleton()
