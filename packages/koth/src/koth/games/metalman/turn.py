"""One round, in the order of the rules: read this first."""

from __future__ import annotations

from koth.game import Array, Buffers, Turn
from koth.games.metalman.observation import observe
from koth.games.metalman.rules import begin_round, capture, collapse, end_decided, turn_piece, walk
from koth.games.metalman.state import ASSASSIN, ORIGINAL, SPOTTER, Settings, State
from koth.kernel import kernel

PieceAnswers = tuple[Array, Array]
"""The answers for one of the two pieces: moves and direction, a row for each asked match."""


def turn(settings: Settings, state: State, buffers: Buffers) -> Turn:
    """Play rules 3 to 11: a round in which one player after another is asked."""
    dead_in_way = settings.phases == ORIGINAL
    begin_rounds(state)
    for seat in range(state.alive.shape[1]):
        observations = observe(settings, state, buffers, seat)
        answers = yield observations
        spotter = answers["spotter_moves"], answers["spotter_direction"]
        assassin = answers["assassin_moves"], answers["assassin_direction"]
        play_turns(state, seat, dead_in_way, observations.match, spotter, assassin)
    end_rounds(state, settings.timer)


@kernel
def begin_rounds(s: State) -> None:
    """Begin the round of every match that is not over (rule 3)."""
    for m in range(s.seed.size):
        if not s.over[m]:
            begin_round(s, m)


@kernel
def play_turns(
    s: State, seat: int, dead_in_way: bool, match: Array, spotter: PieceAnswers, assassin: PieceAnswers
) -> None:
    """Play rules 4 to 6 for one player in the matches that asked it: its pieces walk and capture, then they turn."""
    for i in range(match.size):
        m = match[i]
        for piece in range(2):
            walk(s, m, seat, piece, spotter[0][i] if piece == SPOTTER else assassin[0][i], dead_in_way)
            capture(s, m, seat, piece)
        turn_piece(s, m, seat, SPOTTER, spotter[1][i])
        turn_piece(s, m, seat, ASSASSIN, assassin[1][i])


@kernel
def end_rounds(s: State, timer: int) -> None:
    """End matches with at most one player left; in the others count down to the collapse (rules 9 to 11)."""
    for m in range(s.seed.size):
        end_decided(s, m)
        if not s.over[m]:
            collapse(s, m, timer)
            end_decided(s, m)
