"""One turn, in the order of the rules: read this first."""

from __future__ import annotations

from koth.game import Array, Turn, Views
from koth.games.zombies.rules import (
    advance_clock,
    fire_shots,
    move_everybody,
    score_survivors,
    share_bullets,
    spawn_zombies,
    take_decisions,
    zombies_bite,
    zombies_decide,
)
from koth.games.zombies.state import Settings, State
from koth.games.zombies.view import see, wrap_boards
from koth.kernel import kernel


def turn(settings: Settings, state: State, views: Views) -> Turn:
    """Rules 1 to 8."""
    until_asked(state, settings.vision)
    asks = see(state, views)
    answers = yield asks
    once_answered(state, asks.match, asks.body, answers["action"], answers["target"], settings.shoot_range)


# The phases on either side of the question are called from compiled code: a call from Python costs as much
# as the shorter of them take.


@kernel
def until_asked(s: State, vision: int) -> None:
    """Rules 1 to 4: up to the snapshot on which everybody decides."""
    spawn_zombies(s)
    zombies_bite(s)
    score_survivors(s)
    wrap_boards(s)
    zombies_decide(s, vision)


@kernel
def once_answered(s: State, match: Array, body: Array, action: Array, target: Array, shoot_range: int) -> None:
    """Rules 4 to 8: from the decisions to the clock."""
    take_decisions(s, match, body, action)
    fire_shots(s, match, body, action, target, shoot_range)
    move_everybody(s)
    share_bullets(s)
    advance_clock(s)
