"""One turn, in the order of the rules: read this first."""

from __future__ import annotations

from koth.game import Turn, Views
from koth.games.pacman.ghosts import AFTER_GHOSTS, AFTER_PACMEN, change_phases, ghosts_choose, move_ghosts
from koth.games.pacman.rules import begin_turn, eat_items, encounter, end_turn, end_waits, move_pieces, remove_gone
from koth.games.pacman.state import GHOST, PACMAN, Settings, State
from koth.games.pacman.view import see


def turn(settings: Settings, state: State, views: Views) -> Turn:
    """Rules 7 to 20: the NPC ghosts step, then the dead, then the living, who eat."""
    begin_turn(state)
    # Rules 7 and 21 to 28: the NPC ghosts.
    change_phases(state, settings.reach, settings.clyde_reach)
    ghosts_choose(state, settings.pinky_ahead, settings.inky_ahead)
    move_ghosts(state)
    # Rules 8 and 9: the dead step, and whoever meets.
    asks = see(settings, state, views, GHOST)
    answers = yield asks
    remove_gone(state, answers.gone)
    move_pieces(state, asks.match, asks.seat, answers["move"])
    end_waits(state)
    encounter(state, AFTER_GHOSTS, settings.ghost_points)
    # Rules 10 and 11: the living step, and whoever meets.
    asks = see(settings, state, views, PACMAN)
    answers = yield asks
    remove_gone(state, answers.gone)
    move_pieces(state, asks.match, asks.seat, answers["move"])
    encounter(state, AFTER_PACMEN, settings.ghost_points)
    # Rules 11 and 17 to 20: what lies there is eaten, and the end.
    eat_items(state, settings.pellet_points, settings.power_points, settings.fruit_points, settings.invincible)
    end_turn(state, settings.turns)
