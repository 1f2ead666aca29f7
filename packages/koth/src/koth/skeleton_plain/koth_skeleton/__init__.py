"""Skeleton: who collects the most gold? (RULES.md)"""

from koth.game import ContestDefaults, Field, Question
from koth.plain import PlainGame
from koth_skeleton.match import MOVES, Settings, SkeletonMatch
from koth_skeleton.text import SkeletonText


class Skeleton(PlainGame):
    """The game; everything that is not defined here is as in `koth.games.defaults`."""

    name = "skeleton"
    title = "Skeleton"
    seats = range(1, 17)
    rulesets = {"standard": Settings()}  # noqa: RUF012
    contest_defaults = ContestDefaults(matches=20, aggregate="mean", seats=4)
    default_entrants = ("greedy", "wanderer")
    protocols = {**PlainGame.protocols, "text": SkeletonText}  # noqa: RUF012
    match = SkeletonMatch

    def questions(self, settings: Settings, seats: int) -> dict[str, Question]:
        """Return the one question of the game. JSON, errors and schema are made from its fields."""
        end = settings.side - 1
        observation = {
            "turn": Field("<i4", low=0, high=settings.turns, doc="turns played"),
            "x": Field("<i4", (seats,), low=0, high=end, doc="everybody's place, by seat: from west to east"),
            "y": Field("<i4", (seats,), low=0, high=end, doc="from north to south"),
            "gold": Field(
                "u1", (settings.side, settings.side), names=".$", doc="row by row from the north: $ is gold"
            ),
        }
        answer = {"move": Field("u1", default=len(MOVES) - 1, names=tuple(MOVES), doc="where to")}
        return {"move": Question("move", observation, answer, max_rows=seats, doc="Where does the body go?")}


GAME = Skeleton()
