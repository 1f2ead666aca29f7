"""The reading interface of recorded matches: one for a run's folder and for a season of a hill."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from koth.contest.timing import Timing
from koth.engine.secret import Key, Secret
from koth.errors import KothError
from koth.standings.scores import Scores


@dataclass(frozen=True)
class Audience:
    """The reader's rights: texts of faults, stderr and notes are shown of own bots only; secrets to the host only.

    `bots` are the names of an author's own bots, none for the public, and None for the host, who owns all.
    """

    bots: frozenset[str] | None = frozenset()

    @property
    def is_host(self) -> bool:
        """True if everything is shown."""
        return self.bots is None

    def owns(self, bot: str) -> bool:
        """Return whether private data of this bot is shown."""
        return self.bots is None or bot in self.bots


PUBLIC = Audience()
HOST = Audience(None)


@dataclass(frozen=True)
class MatchRow:
    """One finished match as it is stored; `replay` is relative to its folder, and empty if there is none."""

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
    """The first fault of one kind that one bot had in one match, and how many there were.

    `replay` names the match's replay in commands; it is empty where there is none. `turn` counts from 1 (0: while
    starting). `asked` and `said` are the beginnings of the messages, `stderr` is the end of it by then, `wall` and
    `charged` are seconds. Of a bot that the audience does not own, text and messages are empty.
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
        """Return the fault as others than the bot's author see it."""
        return RecordedFault(self.match, self.replay, self.bot, self.kind, self.count, self.turn)


@dataclass(frozen=True)
class FaultReason:
    """Equal faults of a bot over all matches that count: their number, and the first match and its turn."""

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
    """The texts that a bot left for its author in a match: stderr by turn (from 1; 0: while starting; None: unknown),
    and notes and drawings (see `koth.contest.private`).
    """

    stderr: Sequence[tuple[int | None, bytes]] = ()
    notes: Sequence[dict[str, Any]] = ()


@dataclass(frozen=True)
class MatchCounts:
    """Numbers of matches: those that count in the table; those that no longer count, because bots left or were
    replaced; all that are planned to count (None: unknown, or without an end); those played of the knockout.
    """

    done: int
    uncounted: int = 0
    planned: int | None = None
    knockout: int = 0


class MatchReader(Protocol):
    """A reader of a contest's matches, opened for an audience. Its methods may be called from any thread, at any
    time; each reads what is on record then, and raises KothError where that can't be read. Classes derived from
    this one may leave out the methods that have a body here.
    """

    @property
    def where(self) -> str:
        """The word that names the contest in commands."""

    @property
    def title(self) -> str:
        """The name of the contest, for pages."""

    @property
    def audience(self) -> Audience: ...

    def plan(self) -> Mapping[str, Any]:
        """Return the contest's record: game, rules, bots (shape: `koth.contest.record.SHAPE`)."""

    def secrets(self) -> Sequence[Secret | None]:
        """Return the secrets of all stages, None for one that the audience is not shown."""

    def counts(self) -> MatchCounts:
        """Return the numbers of matches."""

    def uncounted_matches(self) -> set[int]:
        """Return the numbers of played matches that do not count in the table."""

    def knockout(self) -> Mapping[int, Sequence[str]]:
        """Return the bots of each match that was drawn for the knockout, by number; empty if there is none."""
        return {}

    def matches(self) -> list[MatchRow]:
        """Return all matches on record, by number."""

    def match(self, number: int) -> MatchRow | None:
        """Return one match, if it is on record."""
        return next((row for row in self.matches() if row.number == number), None)

    def digests(self, match: MatchRow) -> Mapping[str, str]:
        """Return the digests of the files of a match's bots, by name; there may be others."""

    def scores(self) -> Scores:
        """Return the scores of all matches that count, as arrays."""

    def faults(self, bot: str | None = None, match: int | None = None) -> list[RecordedFault]:
        """Return the first fault of each kind, by match, bot and turn; of one bot, of one match."""

    def fault_reasons(self) -> list[FaultReason]:
        """Return the faults that count, equal ones in one entry, by bot, kind and first match."""
        return group_faults(self.faults(), self.uncounted_matches())

    def timings(self) -> Mapping[str, Timing]:
        """Return each bot's times over all matches; none where they are not on record."""
        return {}

    def replay(self, number: int) -> Path | None:
        """Return the file of a match's replay; None if there is none."""

    def logs(self, number: int, bot: str) -> BotLog:
        """Return what a bot left for its author in a match; an empty log for others."""

    def key(self, number: int) -> Key | None:
        """Return the key of a match's dice; None where the audience is not shown it."""

    def replay_word(self, number: int) -> str:
        """Return the word that names the replay of a match in commands; empty if there is none."""

    def is_running(self) -> bool | None:
        """Return whether matches are being played now; None if unknown."""

    def playing(self) -> Mapping[int, Path]:
        """Return the unfinished replays of the matches that are being played, by number."""
        return {}


def group_faults(faults: Iterable[RecordedFault], uncounted: Set[int]) -> list[FaultReason]:
    """Return the faults of matches that count, equal ones in one entry, by bot, kind and first match."""
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
    """Return a match on record. Raises KothError for another number, with those there are."""
    row = reader.match(number)
    if row is None:
        raise KothError(
            f"{reader.where}: match {number} was not played{_known_matches([m.number for m in reader.matches()])}"
        )
    return row


def find_matches(reader: MatchReader, number: int | None) -> list[MatchRow]:
    """Return the match of this number, if it is on record; without a number, all that count."""
    uncounted = reader.uncounted_matches() if number is None else set()
    return [row for row in reader.matches() if number in (None, row.number) and row.number not in uncounted]


def _known_matches(numbers: Sequence[int]) -> str:
    if len(numbers) > 1:
        return f" (there are {len(numbers)}, from {min(numbers)} to {max(numbers)})"
    return f" (there is only match {numbers[0]})" if numbers else " (none was)"
