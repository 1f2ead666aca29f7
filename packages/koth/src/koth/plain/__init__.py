"""The plain form of a game: one match as a Python object, for games that are written in an afternoon.

    class Gold(Match[Settings]):        # its annotated fields are the state: plain data
        score: list[int]

        def reset(self): ...            # the start of a match
        def observe(self, seat): ...    # what a bot is shown: a value for each field that the question declares
        def step(self, actions): ...    # one turn: what each bot that was asked answers
        def is_over(self): ...

`PlainGame` makes of such a class a `koth.game.Game`, so all of koth works for it. Between two turns only the state is
kept, as canonical JSON, so that koth can copy, hash and replay matches.
"""

from koth.plain.game import PlainGame
from koth.plain.match import Dice, Match

__all__ = ["Dice", "Match", "PlainGame"]
