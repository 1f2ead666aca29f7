"""Events of snakes, for people (the rules have noted them in the state)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from koth.game import Event, Party
from koth_snakes.rules import part
from koth_snakes.state import BODY, HEAD, STARVED, WALL, Settings, State

KINDS: Mapping[str, str] = {
    "starved": "its health fell to 0 (rules 5 and 8)",
    "crashed": "its head left the board (rule 8)",
    "collided": "its head met a part of a snake (rule 8)",
    "beaten": "its head met that of a snake as long or longer (rule 8)",
}
TEXTS = {
    STARVED: ("starved", "starves"),
    WALL: ("crashed", "runs off the board"),
    BODY: ("collided", "runs into {by}"),
    HEAD: ("beaten", "loses head to head with {by}"),
}


def events(settings: Settings, s: State, m: int, before: Mapping[str, Any], now: Mapping[str, Any]) -> list[Event]:
    """Return a turn's deaths: of what, and where the head lay; off the board, where it was before."""
    found = []
    for seat, (lived, lives) in enumerate(zip(before["alive"], now["alive"], strict=True)):
        if not lived or lives:
            continue
        kind, text = TEXTS[int(s.fate[m, seat])]
        killer, square = int(s.killer[m, seat]), part(s, m, seat, 0)
        by = Party(killer) if kind in ("collided", "beaten") and killer != seat else None
        text = "runs into itself" if kind == "collided" and by is None else text
        square = part(s, m, seat, 1) if square < 0 else square
        at = square % settings.side, square // settings.side
        found.append(Event(kind, text, Party(seat), by, at, 3, "†", out=True))
    return found
