"""The observation of a bot, and its possible answers."""

from typing import Any, NamedTuple

from koth.game import Field, Question, RowIndex
from koth.kernel import kernel
from koth_skeleton.state import MOVES, STAY, Settings, State


class Observation(NamedTuple):
    """The fields of the question: rule 6."""

    turn: Any
    x: Any
    y: Any
    gold: Any


def questions(settings: Settings, seats: int) -> dict[str, Question]:
    """Return the one question of the game. JSON, errors and schema are made from its fields."""
    seen = Observation(
        turn=Field("<i4", low=0, high=settings.turns, doc="turns played"),
        x=Field("<i4", (seats,), low=0, high=settings.side - 1, doc="everybody's place, by seat: from west to east"),
        y=Field("<i4", (seats,), low=0, high=settings.side - 1, doc="from north to south"),
        gold=Field("u1", (settings.side, settings.side), names=".$", doc="row by row from the north: $ is gold"),
    )
    move = {"move": Field("u1", default=STAY, names=MOVES, doc="where to")}
    return {"move": Question("move", observation=seen, answer=move, max_rows=seats, doc="Where does the body go?")}


@kernel
def write(s: State, index: RowIndex, seen: Observation) -> int:
    """Write a row for every bot of every match that is not over, in this order; return their number."""
    row = 0
    for m in range(s.seed.size):
        for k in range(s.x.shape[1]):
            if not s.over[m]:
                index.match[row], index.seat[row] = m, k
                seen.turn[row], seen.x[row], seen.y[row], seen.gold[row] = s.turn[m], s.x[m], s.y[m], s.gold[m]
                row += 1
    return row
