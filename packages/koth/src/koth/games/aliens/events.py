"""Events of aliens and prey for replays, from the round's fights as the rules have noted them in the state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from koth.game import Event, Party
from koth.games.aliens.state import Settings, State

KINDS: Mapping[str, str] = {
    "killed": "it lost a fight, or both died in it (rules 4 and 5)",
    "extinct": "no instance of its species is left",
    "leads": "its species has the highest score alone",
}
GIANT = 100
"""Total ability from which on a death is marked on the timeline."""
SETTLED = 20
"""Rounds after which a change of the lead is an event."""


def events(settings: Settings, s: State, m: int, before: Mapping[str, Any], now: Mapping[str, Any]) -> list[Event]:
    """Return the events of a round: deaths in its fights, in their order; then their consequences for species."""
    found = []
    fights, slain = s.fights[m, : int(s.fight_count[m])].tolist(), s.slain[m].tolist()
    for pair, which in zip(fights, slain, strict=False):
        for loser, winner in ((0, 1), (1, 0)):
            if which >> loser & 1:
                slot, by = pair[loser], alien(settings, s, m, pair[winner])
                total = int(before["total"][slot])
                text = f"falls to {{by}}, a giant of {total}" if total >= GIANT else "is killed by {by}"
                at, weight = (int(s.x[m, slot]), int(s.y[m, slot])), 2 if total >= GIANT else 0
                found.append(Event("killed", text, alien(settings, s, m, slot), by, at, weight, "⚔", out=True))
    seats = s.gone.shape[1]
    left = sum(count > 0 for count in now["alive"])
    for team, (had, has) in enumerate(zip(before["alive"], now["alive"], strict=True)):
        if has == 0 < had:
            weight = 1 if team >= seats else 3 if left < 4 else 2
            found.append(Event("extinct", f"dies out, {left} species left", Party(team), weight=weight, mark="✝"))
    leader = best(now["score"])
    if leader is not None and leader != best(before["score"]) and now["clock"] > SETTLED:
        found.append(Event("leads", "takes the lead", Party(leader), weight=1, mark="▲"))
    return found


def alien(settings: Settings, s: State, m: int, slot: int) -> Party:
    """Return an instance, by its number within its species."""
    prey = slot - s.gone.shape[1] * settings.instances
    number = slot % settings.instances if prey < 0 else prey % settings.prey
    return Party(int(s.species[m, slot]), slot, f"#{number}")


def best(scores: Sequence[int]) -> int | None:
    """Return the species that alone has the highest score; None if several share it."""
    top = max(scores)
    return scores.index(top) if scores.count(top) == 1 else None
