"""Events of Pac-Men and their ghosts for replays, from the state in which the rules have noted them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from koth.game import Event, Party
from koth.games.pacman.state import GONE, PACMAN, Settings, State

KINDS: Mapping[str, str] = {
    "caught": "a ghost met it (rule 15)",
    "left": "its bot is gone, and its piece left the board (rule 37)",
    "eaten": "an invincible Pac-Man met it as a ghost (rule 14)",
    "ghosts": "it ate ghosts (rule 14)",
    "fruit": "it ate fruit (rule 17)",
}
GHOSTS = ("Blinky", "Pinky", "Inky", "Clyde")
"""The NPC ghosts by their kind."""


def events(settings: Settings, s: State, m: int, before: Mapping[str, Any]) -> list[Event]:
    """Return the events of a turn, seat by seat."""
    side = s.walls.shape[1]
    living = int((s.status[m] == PACMAN).sum())
    found = []
    for seat, status in enumerate(s.status[m].tolist()):
        was, piece = int(before["status"][seat]), Party(seat)
        here = _as_bots_say(settings, int(s.row[m, seat]), int(s.col[m, seat]))
        if s.caught_by[m, seat] >= 0:
            text = "is caught by {by}" if living else "is the last to be caught, by {by}"
            by, weight = ghost(s, m, int(s.caught_by[m, seat])), 3 if living < 2 else 2
            at = _as_bots_say(settings, *divmod(int(s.caught_at[m, seat]), side))
            found.append(Event("caught", text, piece, by, at, weight, "✝", out=True))
        if status == GONE != was:
            died = was == PACMAN and s.caught_by[m, seat] < 0
            found.append(Event("left", "leaves the board", piece, None, here, 2, "×", out=died))
        if s.eaten_by[m, seat] >= 0:
            found.append(Event("eaten", "is eaten as a ghost by {by}", piece, Party(int(s.eaten_by[m, seat]))))
        if count := int(s.ghosts_eaten[m, seat]):
            text = "eats a ghost" if count == 1 else f"eats {count} ghosts"
            found.append(Event("ghosts", text, piece, weight=1, mark="●"))
        if s.fruit_eaten[m, seat]:
            found.append(Event("fruit", "finds fruit", piece, None, here, 1, "♦"))
    return found


def _as_bots_say(settings: Settings, row: int, col: int) -> tuple[int, int]:
    return (row, col) if settings.coordinates == "row,col" else (col, row)


def ghost(s: State, m: int, number: int) -> Party:
    """Return a ghost's name: an NPC's by its kind, a dead Pac-Man's by its bot."""
    seat = number - s.ghost_kind.shape[1]
    return Party(None, None, GHOSTS[s.ghost_kind[m, number]]) if seat < 0 else Party(seat, None, "as a ghost")
