"""Setting up, and one round, in the order of the rules: read this first."""

from __future__ import annotations

from koth.game import Buffers, Turn
from koth.games.aliens.meetings import encounters
from koth.games.aliens.observation import draw_boards, see, setting_up
from koth.games.aliens.rules import (
    advance_clock,
    everybody_decides,
    list_the_living,
    move_everybody,
    remove_the_dead,
    set_up,
    take_moves,
)
from koth.games.aliens.state import Settings, State


def opening(settings: Settings, state: State, buffers: Buffers) -> Turn:
    """Rule 2. Let every instance set its points."""
    observations = setting_up(settings, state, buffers)
    answers = yield observations
    state.gone[:] |= answers.gone
    set_up(
        state, observations.match, observations.unit, answers["points"], answers.fault,
        settings.points, settings.base_hp, settings.hp_per_life,
    )  # fmt: skip


def turn(settings: Settings, state: State, buffers: Buffers) -> Turn:
    """Play rules 3 to 7, a round: all decide on the same snapshot, all move, aliens that meet may fight."""
    list_the_living(state)
    cells = draw_boards(state)
    everybody_decides(state)
    observations = see(settings, state, buffers, cells)
    answers = yield observations
    state.gone[:] |= answers.gone
    take_moves(state.move, observations.match, observations.unit, answers["move"])
    move_everybody(state)
    yield from encounters(settings, state, buffers)
    remove_the_dead(state)
    advance_clock(state.clock, state.over, settings.rounds)
