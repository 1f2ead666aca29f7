"""Events: what happens to which unit in a turn, and why, declared by games for people (docs/new-game.md).

The rules of a game know which unit bit which; no other code needs to infer it. Replays contain the result of
`Game.events`, and the viewer and `koth why` read it there. Bots never receive events.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


class Party(NamedTuple):
    """One side of an event: a bot, one of its units, or something that belongs to no bot.

    `team` is a seat, or the number of seats plus an index into `Game.extra_scores`; None if it belongs to no team.
    `name` names the unit of the team, as in "#12" or "its spotter", or the thing without a team, as in "a zombie".
    """

    team: int | None
    unit: int | None = None
    name: str = ""


@dataclass(frozen=True)
class Event:
    """An event of a turn that concerns the party `of`.

    `kind` is one of the game's `event_kinds`. `text` continues the name of `of`; `{by}` in it stands for the name of
    `by`: "is caught by {by}". `at` is the square in the coordinates that bots use. With `out`, `of` has died, or left
    the match, by this event. Events of `weight` 0 are only listed in their turn; those of weight 1 to 3 are on the
    timeline with the one character `mark`; 3 is for events that decide the match.
    """

    kind: str
    text: str
    of: Party
    by: Party | None = None
    at: tuple[int, int] | None = None
    weight: int = 0
    mark: str = "·"
    out: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the event in the form of replays: absent values and zeros are left out."""
        made: dict[str, Any] = {"kind": self.kind, "text": self.text, **_party(self.of)}
        if self.by is not None:
            made["by"] = _party(self.by)
        if self.at is not None:
            made["at"] = [int(number) for number in self.at]
        if self.weight:
            made |= {"weight": self.weight, "mark": self.mark}
        return made | ({"out": True} if self.out else {})


def _party(party: Party) -> dict[str, Any]:
    numbers = {key: int(number) for key, number in (("team", party.team), ("unit", party.unit)) if number is not None}
    return {**numbers, **({"name": party.name} if party.name else {})}


def party_in_words(party: Mapping[str, Any], teams: Sequence[str]) -> str:
    """Return one side of a recorded event as text: "ann #12", "ann's spotter", "Clyde"."""
    team, name = party.get("team"), str(party.get("name", ""))
    if not isinstance(team, int) or not 0 <= team < len(teams):
        return name
    if not name:
        return teams[team]
    return f"{teams[team]}'s {name[4:]}" if name.startswith("its ") else f"{teams[team]} {name}"


def in_words(event: Mapping[str, Any], teams: Sequence[str]) -> str:
    """Return a recorded event as a sentence without a full stop: "ann #12 is shot by ben #3"."""
    by = party_in_words(event.get("by") or {}, teams)
    return f"{party_in_words(event, teams)} {str(event['text']).replace('{by}', by)}".lstrip()


def own_copy(frame: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a frame that later turns do not change; a frame's arrays may be part of the state."""
    return {key: value.copy() if hasattr(value, "copy") else value for key, value in frame.items()}


def ways_out(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[tuple[int, int, int]]:
    """Return (team, units lost, units left) of each team that has fewer units than in the frame before."""
    pairs = zip(before.get("alive", ()), now.get("alive", ()), strict=False)
    return [(team, int(had - has), int(has)) for team, (had, has) in enumerate(pairs) if has < had]


def default_events(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[Event]:
    """Return the events of a game that declares none: each team whose `alive` fell, and by how much."""
    events = []
    for team, lost, left in ways_out(before, now):
        events += [Event("out", "loses a unit", Party(team), out=True)] * (lost if left else lost - 1)
        if not left:
            events.append(Event("out", "is out", Party(team), weight=3, mark="✝", out=True))
    return events
