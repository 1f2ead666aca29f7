"""One turn, in the order of the rules: read this first."""

from __future__ import annotations

from typing import Any

from koth.game import Array, Buffers, RowIndex, Turn
from koth.games.zombies.moves import move_everybody
from koth.games.zombies.observation import Observation, wrap_board, write_observations
from koth.games.zombies.rules import (
    advance_clock,
    fire_shots,
    place_players,
    score_survivors,
    share_bullets,
    spawn_zombie,
    take_decisions,
    zombies_bite,
    zombies_decide,
)
from koth.games.zombies.state import Settings, State
from koth.kernel import kernel


def turn(settings: Settings, state: State, buffers: Buffers) -> Turn:
    """Play rules 1 to 8, one portion of the matches after the other."""
    matches, portion = len(state.seed), buffers.portion("act")
    for first in range(0, matches, portion):
        last = min(first + portion, matches)
        index, seen = buffers.arrays("act", portion)
        rows = play_to_question(state, first, last, settings.numbers, index, seen)
        observations = buffers.observations("act", rows, {"window": state.board})
        answers = yield observations
        said = observations.match, observations.unit, answers["action"], answers["target"]
        play_answers(state, first, last, settings.numbers, *said)


@kernel
def play_to_question(s: State, first: int, last: int, numbers: Any, index: RowIndex, seen: Observation) -> int:
    """Play rules 1 to 4, up to the snapshot on which all bots decide; return the number of asked players."""
    rows = 0
    for m in range(first, last):
        if s.over[m]:
            continue
        spawn_zombie(s, m)
        zombies_bite(s, m)
        score_survivors(s, m)
        wrap_board(s, m)
        zombies_decide(s, m, numbers.vision)
        rows = write_observations(s, m, index, seen, rows)
    return rows


@kernel
def play_answers(
    s: State, first: int, last: int, numbers: Any, match: Array, unit: Array, action: Array, target: Array
) -> None:
    """Play rules 4 to 8, from the decisions to the clock."""
    row = 0
    for m in range(first, last):
        if s.over[m]:
            continue
        start = row
        while row < match.size and match[row] == m:
            row += 1
        asked = range(start, row)
        take_decisions(s, m, asked, unit, action)
        fire_shots(s, m, asked, unit, action, target, numbers.shoot_range)
        move_everybody(s, m)
        share_bullets(s, m)
        advance_clock(s, m)


@kernel
def set_up(s: State, bullets: int) -> None:
    """Set up every match."""
    for m in range(s.seed.size):
        place_players(s, m, bullets)
