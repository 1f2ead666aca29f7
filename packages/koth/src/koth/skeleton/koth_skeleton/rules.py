"""The phases of a turn. Kernels are compiled: plain loops over arrays whose first index is the match."""

from collections.abc import Sequence
from typing import Any

from koth.game import Array, zero_state
from koth.kernel import kernel
from koth.rng import draw
from koth_skeleton.state import DX, DY, STAY, Settings, State

PLACE, GOLD = range(2)  # what random numbers are drawn for


def initial_state(settings: Settings, seats: int, seeds: Sequence[int]) -> State:
    """Return a batch of new matches, one for each seed."""
    state = zero_state(State, M=len(seeds), K=seats, side=settings.side)
    state.seed[:] = seeds
    set_up(state, settings.numbers)
    return state


@kernel
def set_up(s: State, settings: Any) -> None:
    """Rule 1. Put all bots on random squares, and the gold."""
    for m in range(s.seed.size):
        for k in range(s.x.shape[1]):
            s.x[m, k] = draw(s.seed[m], 0, PLACE, 2 * k, settings.side)
            s.y[m, k] = draw(s.seed[m], 0, PLACE, 2 * k + 1, settings.side)
        put_gold(s, m, settings)


@kernel
def take_gold(s: State, m: int) -> None:
    """Rule 3. Give each bot on gold a point."""
    for k in range(s.x.shape[1]):
        s.score[m, k] += s.gold[m, s.y[m, k], s.x[m, k]]
    for k in range(s.x.shape[1]):
        s.gold[m, s.y[m, k], s.x[m, k]] = False


@kernel
def put_gold(s: State, m: int, settings: Any) -> None:
    """Rule 4. Add the missing gold; turn and index give each draw its own address."""
    for n in range(settings.gold - s.gold[m].sum()):
        x = draw(s.seed[m], s.turn[m], GOLD, 2 * n, settings.side)
        y = draw(s.seed[m], s.turn[m], GOLD, 2 * n + 1, settings.side)
        s.gold[m, y, x] = True


@kernel
def play(s: State, settings: Any, match: Array, seat: Array, moves: Array) -> None:
    """Rule 2 for every answer, row by row (an invalid move is stay), then 3 to 5 for matches that are not over."""
    for row in range(match.size):
        m, k, move = match[row], seat[row], min(moves[row], STAY)
        s.x[m, k] = (s.x[m, k] + DX[move]) % settings.side
        s.y[m, k] = (s.y[m, k] + DY[move]) % settings.side
    for m in range(s.seed.size):
        if not s.over[m]:
            s.turn[m] += 1
            take_gold(s, m)
            put_gold(s, m, settings)
            s.over[m] = s.turn[m] >= settings.turns
