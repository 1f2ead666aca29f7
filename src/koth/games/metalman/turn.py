"""One round, in the order of the rules: read this first."""

from __future__ import annotations

from koth.game import Array, Buffers, Turn
from koth.games.metalman.observation import see
from koth.games.metalman.rules import begin_round, capture, collapse, end_decided, turn_piece, walk
from koth.games.metalman.state import ASSASSIN, ORIGINAL, SPOTTER, Settings, State
from koth.kernel import kernel

Answer = tuple[Array, Array]
"""What is said of a piece, row by row: its moves, and where it faces then."""


def turn(settings: Settings, state: State, buffers: Buffers) -> Turn:
    """Rules 3 to 11: a round in which one player after another is asked."""
    dead_in_way = settings.phases == ORIGINAL
    first_of_all(state)
    for seat in range(state.alive.shape[1]):
        observations = see(settings, state, buffers, seat)
        answers = yield observations
        spotter = answers["spotter_moves"], answers["spotter_direction"]
        assassin = answers["assassin_moves"], answers["assassin_direction"]
        players_turn(state, seat, dead_in_way, observations.match, spotter, assassin)
    last_of_all(state, settings.timer)


@kernel
def first_of_all(s: State) -> None:
    """Rule 3: the round begins."""
    for m in range(s.seed.size):
        if not s.over[m]:
            begin_round(s, m)


@kernel
def players_turn(s: State, seat: int, dead_in_way: bool, match: Array, spotter: Answer, assassin: Answer) -> None:
    """Rules 4 to 6, for one player, wherever it was asked: its pieces walk and capture, and then they turn."""
    for i in range(match.size):
        m = match[i]
        for piece in range(2):
            walk(s, m, seat, piece, spotter[0][i] if piece == SPOTTER else assassin[0][i], dead_in_way)
            capture(s, m, seat, piece)
        turn_piece(s, m, seat, SPOTTER, spotter[1][i])
        turn_piece(s, m, seat, ASSASSIN, assassin[1][i])


@kernel
def last_of_all(s: State, timer: int) -> None:
    """Rules 9 to 11: who has won by now, and what collapses."""
    for m in range(s.seed.size):
        end_decided(s, m)
        if not s.over[m]:
            collapse(s, m, timer)
            end_decided(s, m)
