"""The ends of a bot's matches: causes, places and turns of units' deaths, from the events of replays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median_low
from typing import Any

from koth.contest.reading import MatchReader, find_matches
from koth.errors import KothError, visible
from koth.escaping import shell_word
from koth.events import in_words, party_in_words
from koth.replay.reader import Replay

MOST_MATCHES = 200
"""The largest number of a bot's matches to examine, from the first on."""
TURNS_AHEAD = 3
"""The number of turns to show before an event."""
MOST_DOERS = 3
"""The largest number of culprits that a sentence names."""


@dataclass(frozen=True)
class Ending:
    """The end of one match for one bot: the events that removed the bot's units, in order, with turns.

    `left` is the number of units that survived; None if the frames lack this number.
    """

    match: int
    replay: str
    """The replay's name in commands."""
    teams: Sequence[str]
    turns: int
    events: Sequence[tuple[int, dict[str, Any]]]
    left: int | None


@dataclass(frozen=True)
class Group:
    """All events of one kind that hit a bot; `event` is the earliest event, `first` the ending with that event."""

    kind: str
    count: int
    matches: int
    turns: Sequence[int]
    doers: Sequence[tuple[str, int]]
    first: Ending
    turn: int
    event: dict[str, Any]

    def sentence(self) -> str:
        """Return the group as a sentence: "caught 7 times, median turn 15: 4 by Clyde, 3 by ann".

        With one culprit the sentence is "bitten by a zombie once, turn 3".
        """
        times = "once" if self.count == 1 else f"{self.count:,} times"
        where = f" in {self.matches} matches" if 1 < self.matches < self.count else ""
        when = f"turn {self.turns[0]}" if self.count == 1 else f"median turn {median_low(self.turns):,}"
        named = [f"{number:,} by {visible(doer)}" for doer, number in self.doers[:MOST_DOERS]]
        rest = sum(number for _, number in self.doers[MOST_DOERS:])
        named += [f"{rest:,} by others"] if rest else []
        if len(self.doers) == 1:
            return f"{self.kind} by {visible(self.doers[0][0])} {times}{where}, {when}"
        return f"{self.kind} {times}{where}, {when}{': ' if named else ''}{', '.join(named)}"

    def example(self) -> str:
        """Return the earliest event as a sentence with turn and place."""
        at = self.event.get("at")
        where = f", at ({at[0]}, {at[1]})" if at else ""
        words = visible(in_words(self.event, self.first.teams))
        return f"{words} on turn {self.turn} of match {self.first.match}{where}"

    def command(self, program: str = "koth") -> str:
        """Return the command that shows the earliest event."""
        return f"{program} view {shell_word(self.first.replay)} --from {max(self.turn - TURNS_AHEAD, 0)}"

    def as_json(self) -> dict[str, Any]:
        """Return the group as JSON, without the list of turns."""
        return {
            "text": self.sentence(),
            "cause": self.kind,
            "count": self.count,
            "matches": self.matches,
            "median_turn": median_low(self.turns),
            "by": dict(self.doers),
            "match": self.first.match,
            "turn": self.turn,
            "first": in_words(self.event, self.first.teams),
            "at": self.event.get("at"),
            "replay": self.first.replay,
            "watch": self.command(),
        }


def ending_of(match: int, named: str, replay: Replay, bot: str) -> Ending:
    """Return the end of a finished match for a bot. Raises ReplayError."""
    names = [entry["name"] for entry in replay.header["bots"]]
    seat, result = names.index(bot), replay.result or {"turns": 0, "scores": {}}
    teams, events = teams_of(replay), find_losses(replay, bot)
    left = None
    for moment in replay.turns(result["turns"]):
        alive = moment.frame.get("alive")
        left = int(alive[seat]) if isinstance(alive, list) and len(alive) > seat else None
    return Ending(match, named, teams, result["turns"], events, left)


def teams_of(replay: Replay) -> list[str]:
    """Return the names of bots and other scorers, in the order of their numbers in events."""
    names = [entry["name"] for entry in replay.header["bots"]]
    scores = (replay.result or {"scores": {}})["scores"]
    return [*names, *(name for name in scores if name not in names)]


def find_losses(replay: Replay, bot: str) -> list[tuple[int, dict[str, Any]]]:
    """Return the events that removed a bot's units, in order, with turns. Raises ReplayError."""
    seat = [entry["name"] for entry in replay.header["bots"]].index(bot)
    return [(turn, event) for turn, event in replay.events() if event.get("out") and event.get("team") == seat]


def find_endings(
    reader: MatchReader, bot: str, match: int | None, opened: Callable[[Path], Path], most: int = MOST_MATCHES
) -> tuple[list[Ending], int]:
    """Return the ends of a bot's first matches, at most `most`, and the bot's number of matches.

    Matches that no longer count are left out, unless `match` gives the number. `opened` returns a replay with frames
    for a replay's path. Matches whose replay can't be read are left out.
    """
    rows = [row for row in find_matches(reader, match) if bot in row.scores]
    found = []
    for number in [row.number for row in rows if row.replay][:most]:
        try:
            if (path := reader.replay(number)) is not None:
                found.append(ending_of(number, reader.replay_word(number), Replay(opened(path)), bot))
        except (KothError, ValueError):
            continue  # `koth verify` says what is wrong with it
    return found, len(rows)


def group_endings(found: Iterable[Ending]) -> list[Group]:
    """Return the events that removed a bot's units, grouped by kind, the most frequent kind first."""
    by_kind: dict[str, list[tuple[Ending, int, dict[str, Any]]]] = {}
    for ending in found:
        for turn, event in ending.events:
            by_kind.setdefault(event["kind"], []).append((ending, turn, event))
    groups = []
    for kind, all_of in by_kind.items():
        doers = Counter(_doer(event, ending.teams) for ending, _, event in all_of if "by" in event)
        first, turn, event = min(all_of, key=lambda one: (one[1], one[0].match))
        matches = len({ending.match for ending, _, _ in all_of})
        turns = sorted(turn for _, turn, _ in all_of)
        groups.append(Group(kind, len(all_of), matches, turns, doers.most_common(), first, turn, event))
    return sorted(groups, key=lambda group: (-group.count, group.kind))


def _doer(event: dict[str, Any], teams: Sequence[str]) -> str:
    """Return the name of the bot, or the game's own player, that caused an event."""
    by, seats = event["by"], range(len(teams))
    team = by.get("team")
    return teams[team] if team in seats else party_in_words(by, teams)


def survival_text(found: Sequence[Ending]) -> str:
    """Return how often a bot survived, and with how many units, as text; "" if the frames lack `alive`."""
    counts = [ending.left for ending in found if ending.left is not None]
    alive = [left for left in counts if left > 0]
    if not counts:
        return ""
    units = f" with {median_low(alive):,} left in the median" if max(alive, default=0) > 1 else ""
    if not alive:
        return "never alive at the end"
    return f"alive at the end {'once' if len(alive) == 1 else f'{len(alive):,} times'}{units}"


def ending_lines(found: Sequence[Ending], program: str = "koth") -> list[str]:
    """Return lines on how a bot's matches ended, and the command to watch an example of the most frequent end."""
    kinds = group_endings(found)
    lines = [group.sentence() for group in kinds] + [line for line in [survival_text(found)] if line]
    if kinds:
        lines += [f"the earliest: {kinds[0].example()}", f"watch it: {kinds[0].command(program)}"]
    return lines
