"""The skeleton's turn in portions."""

from koth_gold.observation import Observation
from koth_gold.rules import play
from koth_gold.state import Settings, State

from koth.game import Buffers, RowIndex, Turn
from koth.kernel import kernel


@kernel
def write_some(s: State, first: int, last: int, index: RowIndex, seen: Observation) -> int:
    """Rows are numbered from 0 in each portion; `index.match` has the match's number in the batch."""
    row = 0
    for m in range(first, last):
        for k in range(s.x.shape[1]):
            if not s.over[m]:
                index.match[row], index.seat[row] = m, k
                seen.turn[row], seen.x[row], seen.y[row], seen.gold[row] = s.turn[m], s.x[m], s.y[m], s.gold[m]
                row += 1
    return row


def turn(settings: Settings, state: State, buffers: Buffers) -> Turn:
    matches, portion = len(state.seed), buffers.portion("move")
    for first in range(0, matches, portion):
        last = min(first + portion, matches)
        observations = buffers.observations("move", write_some(state, first, last, *buffers.arrays("move", portion)))
        answers = yield observations
        some = State(*(array[first:last] for array in state))  # views on the state, not copies
        play(some, settings.numbers, observations.match - first, observations.seat, answers["move"])
