"""One turn, in the order of the rules: read this first."""

from __future__ import annotations

from koth.game import Array, Asks, Turn, Views
from koth.games.zombies.rules import (
    advance_clock,
    fire_shots,
    move_everybody,
    place_players,
    score_survivors,
    share_bullets,
    spawn_zombies,
    take_decisions,
    zombies_bite,
    zombies_decide,
)
from koth.games.zombies.state import Settings, State
from koth.games.zombies.view import count_living, wrap_board, write_views
from koth.kernel import kernel


@kernel
def until_asked(s: State, first: int, last: int, vision: int) -> None:
    """Rules 1 to 4: up to the snapshot on which everybody decides."""
    for m in range(first, last):
        s.asked[m] = 0
        if s.over[m]:
            continue
        spawn_zombies(s, m)
        zombies_bite(s, m)
        score_survivors(s, m)
        wrap_board(s, m)
        zombies_decide(s, m, vision)
        s.asked[m] = count_living(s, m)


@kernel
def once_answered(
    s: State, first: int, last: int, body: Array, action: Array, target: Array, shoot_range: int
) -> None:
    """Rules 4 to 8: from the decisions to the clock."""
    row = 0
    for m in range(first, last):
        if s.over[m]:
            continue
        asked = range(row, row + s.asked[m])
        take_decisions(s, m, asked, body, action)
        fire_shots(s, m, asked, body, action, target, shoot_range)
        move_everybody(s, m)
        share_bullets(s, m)
        advance_clock(s, m)
        row += s.asked[m]


def turn(settings: Settings, state: State, views: Views) -> Turn:
    """Rules 1 to 8, for one portion of the matches after the other."""
    matches, portion = len(state.seed), views.portion("act")
    for first in range(0, matches, portion):
        last = min(first + portion, matches)
        until_asked(state, first, last, settings.vision)
        asks = see(state, views, first, last)
        answers = yield asks
        once_answered(state, first, last, asks.body, answers["action"], answers["target"], settings.shoot_range)


def see(s: State, views: Views, first: int, last: int) -> Asks:
    """Rule 4. The question to all living players of these matches."""
    room = views.room("act", views.portion("act"))
    seen = s.over, s.players, s.kind, s.seat, s.number, s.bullets, s.x, s.y, s.clock, s.board
    return views.asks("act", write_views(first, last, *seen, *room.values()))


@kernel
def set_up(s: State, bullets: int) -> None:
    """The start of every match."""
    for m in range(s.seed.size):
        place_players(s, m, bullets)
