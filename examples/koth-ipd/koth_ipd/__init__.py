"""The iterated prisoner's dilemma (RULES.md)."""

from koth.game import ContestDefaults, Field, Question
from koth.plain import PlainGame
from koth_ipd.match import MOVES, IpdMatch, Settings


class Ipd(PlainGame):
    """The game as the arena knows it."""

    name = "ipd"
    title = "Iterated prisoner's dilemma"
    seats = range(2, 3)
    rulesets = {"standard": Settings()}  # noqa: RUF012
    contest_defaults = ContestDefaults(matches=10, aggregate="mean", seats=2, seats_alike=True, rank_by="score")
    default_entrants = ("tit_for_tat", "grudger", "win_stay", "coin", "defector")
    match = IpdMatch
    dice = False

    def questions(self, settings: Settings, seats: int) -> dict[str, Question]:
        """Return the one question of the game."""
        observation = {
            "turn": Field("<i4", low=0, high=settings.turns, doc="turns played"),
            "mine": Field("u1", names=("-", *MOVES), doc="the bot's own last move; - before the first turn"),
            "theirs": Field("u1", names=("-", *MOVES), doc="the opponent's last move"),
        }
        answer = {"move": Field("u1", default=1, names=MOVES, doc="cooperate or defect")}
        return {"move": Question("move", observation, answer, max_rows=seats, doc="Cooperate or defect?")}


GAME = Ipd()
