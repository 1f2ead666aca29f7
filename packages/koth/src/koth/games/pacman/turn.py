"""One turn, in the order of the rules: read this first."""

from __future__ import annotations

from typing import Any

from koth.game import Array, Buffers, RowIndex, Turn
from koth.games.pacman.ghosts import AFTER_GHOSTS, AFTER_PACMEN, change_phases, ghosts_choose, move_ghosts
from koth.games.pacman.observation import Observation, arrays, write_match
from koth.games.pacman.rules import begin_turn, eat_items, encounter, end_turn, end_waits, move_pieces, remove_gone
from koth.games.pacman.state import GHOST, PACMAN, Settings, State
from koth.kernel import kernel


def turn(settings: Settings, state: State, buffers: Buffers) -> Turn:
    """Play rules 7 to 20: the NPC ghosts step, then the dead, then the living, which eat."""
    index, seen = arrays(settings, state, buffers)
    rows, squares = ghosts_turn(state, settings.numbers, index, seen)
    observations = buffers.observations("move", rows, seen=squares)
    answers = yield observations
    match, seat = observations.match.copy(), observations.seat.copy()  # whoever is asked next is written there
    said = match, seat, answers["move"], answers.gone
    rows, squares = the_dead_turn(state, settings.numbers, *said, index, seen)
    observations = buffers.observations("move", rows, seen=squares)
    answers = yield observations
    said = observations.match, observations.seat, answers["move"], answers.gone
    the_living_turn(state, settings.numbers, *said)


@kernel
def ghosts_turn(s: State, numbers: Any, index: RowIndex, seen: Observation) -> tuple[int, int]:
    """Play rules 7 and 21 to 28: NPC ghosts step, then the dead are asked; return counts of rows and squares."""
    rows = 0
    squares = 0
    for m in range(s.seed.size):
        if s.over[m]:
            continue
        begin_turn(s, m)
        change_phases(s, m, numbers.reach, numbers.clyde_reach)
        ghosts_choose(s, m, numbers.pinky_ahead, numbers.inky_ahead)
        move_ghosts(s, m)
        rows, squares = write_match(s, m, GHOST, numbers.ghost_sight, index, seen, rows, squares)
    return rows, squares


@kernel
def the_dead_turn(
    s: State, numbers: Any, match: Array, seat: Array, move: Array, gone: Array, index: RowIndex, seen: Observation
) -> tuple[int, int]:
    """Play rules 8 and 9: the dead step and meet ghosts; ask the living; return counts of rows and squares."""
    row = 0
    rows = 0
    squares = 0
    for m in range(s.seed.size):
        if s.over[m]:
            continue
        remove_gone(s, m, gone)
        row = move_pieces(s, m, row, match, seat, move)
        end_waits(s, m)
        encounter(s, m, AFTER_GHOSTS, numbers.ghost_points)
        rows, squares = write_match(s, m, PACMAN, numbers.ghost_sight, index, seen, rows, squares)
    return rows, squares


@kernel
def the_living_turn(s: State, numbers: Any, match: Array, seat: Array, move: Array, gone: Array) -> None:
    """Play rules 10, 11 and 17 to 20: the living step, meet ghosts and eat; the match may end."""
    row = 0
    for m in range(s.seed.size):
        if s.over[m]:
            continue
        remove_gone(s, m, gone)
        row = move_pieces(s, m, row, match, seat, move)
        encounter(s, m, AFTER_PACMEN, numbers.ghost_points)
        eat_items(s, m, numbers.pellet_points, numbers.power_points, numbers.fruit_points, numbers.invincible)
        end_turn(s, m, numbers.turns)
