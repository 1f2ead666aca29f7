"""Skeleton: who collects the most gold? (RULES.md)"""

from koth.game import ContestDefaults
from koth.games.defaults import Defaults
from koth_skeleton import observation, rules, turn
from koth_skeleton.state import Settings
from koth_skeleton.text import SkeletonText


class Skeleton(Defaults):
    """The game; everything that is not defined here is as in `koth.games.defaults`."""

    name = "skeleton"
    title = "Skeleton"
    seats = range(1, 17)
    rulesets = {"standard": Settings()}  # noqa: RUF012
    contest_defaults = ContestDefaults(matches=20, aggregate="mean", seats=4)
    default_entrants = ("greedy", "wanderer")
    protocols = {**Defaults.protocols, "text": SkeletonText}  # noqa: RUF012
    initial_state = staticmethod(rules.initial_state)
    questions = staticmethod(observation.questions)
    turn = staticmethod(turn.turn)


GAME = Skeleton()
