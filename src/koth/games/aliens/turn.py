"""Setting up, and one round, in the order of the rules: read this first."""

from __future__ import annotations

from koth.game import Turn, Views
from koth.games.aliens import original, pairs
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
from koth.games.aliens.view import draw_boards, see, setting_up

ENCOUNTERS = {"pairs": pairs.encounters, "first": original.encounters}
"""Rule 4, and rule 10 in its place, by the setting `meetings`."""


def opening(settings: Settings, state: State, views: Views) -> Turn:
    """Rule 2. Every instance sets its points."""
    asks = setting_up(settings, state, views)
    answers = yield asks
    state.gone[:] |= answers.gone
    set_up(
        state, asks.match, asks.body, answers["points"], answers.fault,
        settings.points, settings.base_hp, settings.hp_per_life,
    )  # fmt: skip


def turn(settings: Settings, state: State, views: Views) -> Turn:
    """Rules 3 to 7: a round. All decide on the same snapshot; all move; those who meet may fight."""
    list_the_living(state)
    cells = draw_boards(state)
    everybody_decides(state)
    asks = see(settings, state, views, cells)
    answers = yield asks
    state.gone[:] |= answers.gone
    take_moves(state.move, asks.match, asks.body, answers["move"])
    move_everybody(state)
    yield from ENCOUNTERS[settings.meetings](settings, state, views)
    remove_the_dead(state)
    advance_clock(state.clock, state.over, settings.rounds)
