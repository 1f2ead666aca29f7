"""One round, in the order of the rules: read this first."""

from __future__ import annotations

from koth.game import Turn, Views
from koth.games.metalman import original, rules
from koth.games.metalman.rules import begin_round, capture, collapse, end_decided, turn_pieces
from koth.games.metalman.state import ASSASSIN, ORIGINAL, PUBLISHED, SPOTTER, Settings, State
from koth.games.metalman.view import see

WALK = {PUBLISHED: rules.walk, ORIGINAL: original.walk}
"""Rule 4, by ruleset."""


def turn(settings: Settings, state: State, views: Views) -> Turn:
    """Rules 3 to 11: a round in which one player after another is asked."""
    walk = WALK[settings.phases]
    begin_round(state)
    for seat in range(state.alive.shape[1]):
        asks = see(settings, state, views, seat)
        answers = yield asks
        match = asks.match
        walk(state, match, seat, SPOTTER, answers["spotter_moves"])
        capture(state, match, seat, SPOTTER)
        walk(state, match, seat, ASSASSIN, answers["assassin_moves"])
        capture(state, match, seat, ASSASSIN)
        turn_pieces(state, match, seat, SPOTTER, answers["spotter_direction"])
        turn_pieces(state, match, seat, ASSASSIN, answers["assassin_direction"])
    end_decided(state)
    collapse(state, settings.timer)
    end_decided(state)
