"""Ants, the game of the AI Challenge 2011 (RULES.md)."""

from __future__ import annotations

from typing import Any, ClassVar

from koth.game import ContestDefaults, Field, FrameSpec, Question, TimeControl, Units
from koth.plain import PlainGame
from koth_ants.match import WAYS, AntsMatch, Settings, maps_of
from koth_ants.text import AntsText


class Ants(PlainGame):
    """The game; each group of two bots plays on each of the maps for two."""

    name = "ants"
    title = "Ants (AI Challenge 2011)"
    seats = range(2, 5)
    rulesets: ClassVar[dict[str, Settings]] = {"standard": Settings()}
    contest_defaults = ContestDefaults(
        matches=12, aggregate="mean", seats=2, seats_alike=True, variants={"map": maps_of(2)}
    )
    time_control = TimeControl(start=10, question=1, late_in_a_row=1)
    default_entrants = ("drunk", "hold")
    match = AntsMatch
    event_kinds: ClassVar[dict[str, str]] = {"razed": "an enemy's ant stepped on its hill", "out": "it has no ants"}
    frame_spec = FrameSpec(
        width="width", height="height", wraps=True, seen="seen",
        units=[Units("x", "y", seat="seat"), Units("food_x", "food_y"), Units("hill_x", "hill_y", seat="hill_seat")],
    )  # fmt: skip
    protocols: ClassVar[dict[str, Any]] = {"text": AntsText, **PlainGame.protocols}

    def questions(self, settings: Settings, seats: int) -> dict[str, Question]:
        rows, columns = settings.size
        most = rows * columns
        observation = {"turn": Field("<i4", low=1)}
        for thing, doc in {"water": "new", "hill": "in sight", "ant": "alive", "food": "", "dead": "ants"}.items():
            observation[f"{thing}_count"] = Field("<i4", low=0, high=most * seats)
            observation[f"{thing}_row"] = Field("<i4", ragged=f"{thing}_count", low=0, high=rows - 1, doc=doc)
            observation[f"{thing}_col"] = Field("<i4", ragged=f"{thing}_count", low=0, high=columns - 1)
            if thing not in ("water", "food"):
                observation[f"{thing}_owner"] = Field("u1", ragged=f"{thing}_count", low=0, high=seats - 1)
        answer = {
            "count": Field("<i4", low=0, high=most),
            "at": Field("<i4", (most, 2), ragged="count", low=0, high=max(rows, columns) - 1, doc="row and column"),
            "way": Field("u1", (most,), ragged="count", names=WAYS),
        }
        return {"move": Question("move", observation, answer, max_rows=seats)}


GAME = Ants()
