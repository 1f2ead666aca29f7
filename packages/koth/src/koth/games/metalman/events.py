"""Events of a player's pieces for replays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from koth.game import Event, Party
from koth.games.metalman.state import State

KINDS: Mapping[str, str] = {
    "captured": "an enemy's piece ended its steps on its square (rule 5)",
    "crushed": "its square collapsed (rule 10)",
    "eliminated": "its player has no piece left",
    "wins": "its player won, or shared the win (rules 9 and 11)",
}
UNIT_NAMES = ("its spotter", "its assassin")


def events(s: State, m: int, before: Mapping[str, Any], now: Mapping[str, Any]) -> list[Event]:
    """Return the events of a round: captures in their order, the collapse, eliminated players, winners."""
    found = []
    for seat, piece, other, victim in s.captures[m, : int(s.capture_count[m])].tolist():
        by = Party(seat, piece, UNIT_NAMES[piece])
        found.append(_fallen(s, m, other, victim, "captured", "is captured by {by}", "⚔", by))
    for seat, piece in np.argwhere(s.crushed[m]).tolist():
        found.append(_fallen(s, m, seat, piece, "crushed", "is caught in the collapse", "▣", None))
    for seat, (had, has) in enumerate(zip(before["alive"], now["alive"], strict=True)):
        if has == 0 < had:
            found.append(Event("eliminated", "is out", Party(seat), weight=2, mark="✝"))
    for seat, (had, has) in enumerate(zip(before["score"], now["score"], strict=True)):
        if has > 0 >= had:
            found.append(Event("wins", "wins" if has == 1 else "shares the win", Party(seat), weight=3, mark="★"))
    return found


def _fallen(s: State, m: int, seat: int, piece: int, kind: str, text: str, mark: str, by: Party | None) -> Event:
    at = int(s.row[m, seat, piece]), int(s.column[m, seat, piece])
    return Event(kind, text, Party(seat, piece, UNIT_NAMES[piece]), by, at, 1, mark, out=True)
