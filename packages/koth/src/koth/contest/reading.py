"""The interface for reading recorded matches, from a run's folder or a hill's season."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from koth.contest.record import RunRecord
from koth.contest.seating import variant_of
from koth.contest.timing import Timing
from koth.engine.secret import Key, Secret
from koth.errors import KothError
from koth.standings.ranking import Ranking
from koth.standings.scores import Scores


@dataclass(frozen=True)
class Audience:
    """The rights of a reader: fault texts, stderr and notes of own bots only; secrets for the host only.

    `bots` are the names of an author's own bots: empty for the public, None for the host, who may see everything.
    """

    bots: frozenset[str] | None = frozenset()

    @property
    def is_host(self) -> bool:
        """True if the audience may see everything."""
        return self.bots is None

    def owns(self, bot: str) -> bool:
        """Return whether the audience may see this bot's private data."""
        return self.bots is None or bot in self.bots


PUBLIC = Audience()
HOST = Audience(None)


@dataclass(frozen=True)
class MatchRow:
    """One finished match on record; `replay` is a path relative to the run's folder, or ""."""

    number: int
    block: int
    turns: int
    replay: str
    digest: str
    void: int
    job: str
    seed_group: int
    stage: int
    scores: dict[str, float]
    faults: dict[str, dict[str, int]]


@dataclass(frozen=True)
class RecordedFault:
    """A bot's first fault of a kind in a match, and the number of such faults.

    `replay` is the replay's name in commands, or "". `turn` counts from 1 (0: while starting). `asked` and `said` are
    the beginnings of the messages, `stderr` is the end of stderr at that time, `wall` and `charged` are seconds. Text
    and messages are empty for other readers than the bot's author and the host.
    """

    match: int
    replay: str
    bot: str
    kind: str
    count: int
    turn: int
    text: str = ""
    ended: str = ""
    asked: bytes = b""
    said: bytes = b""
    stderr: bytes = b""
    wall: float = 0.0
    charged: float = 0.0

    def without_words(self) -> RecordedFault:
        """Return the fault without texts that only the bot's author may see."""
        return RecordedFault(self.match, self.replay, self.bot, self.kind, self.count, self.turn)


@dataclass(frozen=True)
class FaultReason:
    """A bot's equal faults over all matches that count: the number, and the match and turn of the first fault."""

    bot: str
    kind: str
    text: str
    ended: str
    count: int
    matches: int
    match: int
    turn: int


@dataclass(frozen=True)
class BotLog:
    """A bot's log of a match, for the author: stderr, notes and drawings (see `koth.contest.private`).

    Turns of stderr count from 1 (0: while starting; None: unknown).
    """

    stderr: Sequence[tuple[int | None, bytes]] = ()
    notes: Sequence[dict[str, Any]] = ()


@dataclass(frozen=True)
class MatchCounts:
    """The numbers of matches.

    `done`: played matches that count in the standings; `uncounted`: matches that no longer count, because bots left
    or were replaced; `planned`: all matches planned to count (None: unknown or unlimited).
    """

    done: int
    uncounted: int = 0
    planned: int | None = None
    knockout: int = 0


class MatchReader(Protocol):
    """A reader of a contest's matches for one audience.

    Any thread may call the methods at any time; each call reads the current record. Methods raise KothError if the
    record can't be read. Subclasses need not define methods that have a body here.
    """

    @property
    def where(self) -> str:
        """The contest's name in commands."""

    @property
    def title(self) -> str:
        """The contest's name on pages."""

    @property
    def audience(self) -> Audience: ...

    def plan(self) -> RunRecord:
        """Return the contest's record: game, rules, bots."""

    def season_proof(self) -> str | None:
        """Return the JSON that proves the final of a published season (see `koth.contest.season`), or None."""
        return None

    def secrets(self) -> Sequence[Secret | None]:
        """Return the secrets of all stages; None for a secret that the audience may not see."""

    def counts(self) -> MatchCounts:
        """Return the numbers of matches."""

    def uncounted_matches(self) -> set[int]:
        """Return the numbers of played matches that do not count in the standings."""

    def knockout(self) -> Mapping[int, Sequence[str]]:
        """Return the bots of each drawn match of the knockout, by number; empty without a knockout."""
        return {}

    def matches(self) -> list[MatchRow]:
        """Return all matches on record, by number."""

    def match(self, number: int) -> MatchRow | None:
        """Return one match; None if the match is not on record."""
        return next((row for row in self.matches() if row.number == number), None)

    def digests(self, match: MatchRow) -> Mapping[str, str]:
        """Return the digests of a match's bots, by name; other bots may be included."""

    def variant(self, block: int) -> int:
        """Return the variant of the settings that a block plays, as `read_settings` counts it."""
        return variant_of(block)

    def scores(self) -> Scores:
        """Return the scores of all matches that count, as arrays."""

    def ranking(self) -> Ranking | None:
        """Return the contest's own ranking; None if `scores` give the standings."""
        return None

    def faults(self, bot: str | None = None, match: int | None = None) -> list[RecordedFault]:
        """Return the first fault of each kind, by match, bot and turn; optionally only of one bot or match."""

    def fault_reasons(self) -> list[FaultReason]:
        """Return the faults that count, by bot, kind and first match; equal faults give one entry."""
        return group_faults(self.faults(), self.uncounted_matches())

    def timings(self) -> Mapping[str, Timing]:
        """Return each bot's times over all matches; empty if not on record."""
        return {}

    def replay(self, number: int) -> Path | None:
        """Return the file of a match's replay, or None."""

    def logs(self, number: int, bot: str) -> BotLog:
        """Return a bot's log of a match; an empty log if the audience may not see it."""

    def key(self, number: int) -> Key | None:
        """Return the key of a match's dice; None if the audience may not see it."""

    def replay_word(self, number: int) -> str:
        """Return the name of a match's replay in commands, or ""."""

    def is_running(self) -> bool | None:
        """Return whether matches are being played now; None if unknown."""

    def playing(self) -> Mapping[int, Path]:
        """Return the unfinished replays of matches being played, by number."""
        return {}


def group_faults(faults: Iterable[RecordedFault], uncounted: Set[int]) -> list[FaultReason]:
    """Return the faults of matches that count, by bot, kind and first match; equal faults give one entry."""
    groups: dict[tuple[str, str, str, str], list[RecordedFault]] = {}
    for fault in faults:
        if fault.match not in uncounted:
            groups.setdefault((fault.bot, fault.kind, fault.text, fault.ended), []).append(fault)
    found = [
        FaultReason(*key, sum(f.count for f in its), len(its), its[0].match, its[0].turn)
        for key, its in groups.items()
    ]
    return sorted(found, key=lambda reason: (reason.bot, reason.kind, reason.match))


def count_faults(reasons: Iterable[FaultReason]) -> dict[str, dict[str, int]]:
    """Return each bot's faults by kind."""
    counts: dict[str, dict[str, int]] = {}
    for reason in reasons:
        of_bot = counts.setdefault(reason.bot, {})
        of_bot[reason.kind] = of_bot.get(reason.kind, 0) + reason.count
    return counts


def find_match(reader: MatchReader, number: int) -> MatchRow:
    """Return a match on record. Raises KothError that names the range of valid numbers."""
    row = reader.match(number)
    if row is None:
        played = [match.number for match in reader.matches()]
        known = f"there are {len(played)}, from {min(played)} to {max(played)}" if len(played) > 1 else ""
        known = known or (f"there is only match {played[0]}" if played else "none was")
        raise KothError(f"{reader.where}: match {number} was not played ({known})")
    return row


def find_matches(reader: MatchReader, number: int | None) -> list[MatchRow]:
    """Return the match with this number, if on record; without a number, all matches that count."""
    uncounted = reader.uncounted_matches() if number is None else set()
    return [row for row in reader.matches() if number in (None, row.number) and row.number not in uncounted]
