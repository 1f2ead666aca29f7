"""Events of a bot's players for replays, from the state in which the rules have noted them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from koth.game import Event, Party
from koth.games.zombies.state import ABSENT, PLAYER, ZOMBIE, Settings, State

KINDS: Mapping[str, str] = {
    "risen": "a zombie rose on its square (rule 1)",
    "bitten": "a zombie stood next to it (rule 2)",
    "shot": "it was shot (rule 5)",
    "hits": "it shot a zombie (rule 5)",
    "extinct": "none of its bot's players is left",
    "massacre": "very many players fell in one turn",
}
MASSACRE, SHARE = 12, 0.04
"""The number of players, and the share of all players, whose deaths in one turn are an event."""


def events(settings: Settings, s: State, m: int, before: Mapping[str, Any], now: Mapping[str, Any]) -> list[Event]:
    """Return the events of a turn, in the order of the rules. Squares are those at the beginning of the turn."""
    found = []
    turned, shot = set[int](), set[int]()
    for slot, biter in s.turned[m, : int(s.turned_count[m])].tolist():
        kind, text = ("bitten", "is bitten by {by}") if biter != slot else ("risen", "rises as a zombie")
        by = Party(None, biter, "a zombie") if biter != slot else None
        found.append(Event(kind, text, player(s, m, slot), by, _at(before, slot), out=True))
        turned.add(slot)
    for shooter, target in s.shots[m, : int(s.shot_count[m])].tolist():
        was = before["kind"][target] if 0 <= target < len(before["kind"]) else ZOMBIE if target >= 0 else ABSENT
        by = player(s, m, shooter)
        if was == ZOMBIE or target in turned:
            found.append(Event("hits", "shoots a zombie", by))
        elif was == PLAYER and target not in shot:
            text, killer = ("is shot by {by}", by) if shooter != target else ("shoots itself", None)
            found.append(Event("shot", text, player(s, m, target), killer, _at(before, target), out=True))
            shot.add(target)
    return found + _of_bots(settings, before["alive"], now["alive"])


def _of_bots(settings: Settings, before: list[int], now: list[int]) -> list[Event]:
    """Return events of whole bots in a turn: the last player died, or very many died."""
    left = sum(count > 0 for count in now)
    found = []
    for seat, (had, has) in enumerate(zip(before, now, strict=True)):
        if has == 0 < had:
            text = f"dies out, {ordinal(left + 1)}" if left else "dies out, the last"
            found.append(Event("extinct", text, Party(seat), weight=max(1, 3 - left), mark="✝"))
    if (fallen := sum(before) - sum(now)) >= max(MASSACRE, SHARE * settings.players * len(now)):
        found.append(Event("massacre", f"{fallen} fall in one turn", Party(None), weight=1, mark="⚔"))
    return found


def player(s: State, m: int, slot: int) -> Party:
    """Return the player in a slot, living or not; the slot is the player's number."""
    return Party(int(s.seat[m, slot]), slot, f"#{slot}")


def _at(frame: Mapping[str, Any], slot: int) -> tuple[int, int]:
    return int(frame["x"][slot]), int(frame["y"][slot])


def ordinal(number: int) -> str:
    """Return "1st", "2nd", "11th" ..."""
    ending = "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
