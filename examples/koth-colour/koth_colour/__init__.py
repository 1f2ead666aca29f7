"""Colour Battle: bots paint one canvas (RULES.md)."""

from koth.game import ContestDefaults, Field, Question
from koth.plain import PlainGame
from koth_colour.match import MOVES, ColourMatch, Settings


class ColourGame(PlainGame):
    """The game as the arena knows it."""

    name = "colour"
    title = "Colour Battle"
    seats = range(2, 41)
    rulesets = {"standard": Settings()}  # noqa: RUF012
    contest_defaults = ContestDefaults(matches=20, aggregate="mean", score_range=(0, 100), rank_by="score")
    default_entrants = ("sweeper", "wanderer")
    match = ColourMatch

    def questions(self, settings: Settings, seats: int) -> dict[str, Question]:
        """The one question: everybody sees everything (rule 5)."""
        side = settings.side(seats)
        observation = {
            "turn": Field("<i4", low=0, high=settings.turns, doc="turns played"),
            "x": Field("u1", (seats,), low=0, high=side - 1, doc="everybody's place, by seat: from west to east"),
            "y": Field("u1", (seats,), low=0, high=side - 1, doc="from north to south"),
            "number": Field("u1", (seats,), low=1, high=seats, doc="everybody's number, by seat"),
            "canvas": Field(
                "u1", (side, side), low=0, high=seats, doc="row by row from the north: 0 white, else seat and 1"
            ),
        }
        answer = {"move": Field("u1", default=len(MOVES) - 1, names=tuple(MOVES), doc="where to")}
        return {"move": Question("move", observation, answer, max_rows=seats, doc="Where does it go?")}


GAME = ColourGame()
