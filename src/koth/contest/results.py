"""What a run's results say, out of its SQLite: scores as arrays, matches, faults, times, the schedule."""

from __future__ import annotations

import contextlib
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from koth.contest import sqlite_limits
from koth.contest.job import replay_file
from koth.contest.schedule import ScheduledMatch
from koth.contest.stages import counting
from koth.contest.timing import Timing
from koth.errors import KothError, visible
from koth.replay.reader import REPLAYS
from koth.standings.scores import CELL, Scores

KINDS = {"i": int, "t": str, "r": float, "b": bytes}
FAILURES = (OSError, sqlite3.Error, OverflowError, zlib.error, ValueError, TypeError, MemoryError)
"""What a database can fail with, a strange one in particular."""


def _in_words(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "there is more in it than this machine's memory may hold"
    if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
        return "it is damaged: there is no end to a table"
    return getattr(error, "strerror", None) or str(error)


LARGEST_SCORE = 2.0**53
"""Of which each whole number still counts."""
SEATS = 1 << 16
"""Places that a match can have at most."""


def replay_place(index: int) -> str:
    """Return where the replay of a match lies in the folder of a run."""
    return replay_file(Path(REPLAYS), index).as_posix()


@dataclass(frozen=True)
class MatchRow:
    """One finished match as it is stored; `replay` is relative to the run's folder, and empty where there is none."""

    index: int
    block: int
    turns: int
    replay: str
    digest: str
    void: int
    job: str
    dice: int
    stage: int
    scores: dict[str, float]
    faults: dict[str, dict[str, int]]


@dataclass(frozen=True)
class Unplayed:
    """A match that could not be played so far, for the arena's fault: how often it was tried, and why not."""

    match: int
    tries: int
    reason: str
    bot: str


def _is_of(pairing: ScheduledMatch, fields: list[list[tuple[str, str]]]) -> bool:
    """Whether its seats are those of bots that take part."""
    stages = range(len(fields))
    return pairing.stage in stages and all(0 <= seat < len(fields[pairing.stage]) for seat in pairing.seats)


class Results:
    """Reader of a run's database. Methods raise KothError if it can't be read."""

    file: Path
    _database: sqlite3.Connection
    _steps: sqlite_limits.Steps

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """Turn whatever goes wrong in this context into a KothError of one line."""
        try:
            yield
        except FAILURES as error:
            where = getattr(error, "filename", None) or self.file
            raise KothError(f"{where}: {_in_words(error)}") from None

    def fields(self) -> list[list[tuple[str, str]]]:
        """Name and digest of everybody, by stage and place; empty where no schedule was stored."""
        fields: list[list[tuple[str, str]]] = []
        with self._told():
            for stage, name, digest in self._ask(
                "itt", "SELECT stage, name, digest FROM field ORDER BY stage, place"
            ):
                if not len(fields) - 1 <= stage <= len(fields):
                    raise ValueError(f"a stage {stage} after {len(fields)} stages")
                if stage == len(fields):
                    fields.append([])
                fields[stage].append((name, digest))
        return fields

    def schedule(self) -> list[ScheduledMatch]:
        """Every match that was drawn, by number."""
        query = 'SELECT "match", block, seats, dice, stage FROM schedule ORDER BY "match"'
        rows, fields = self._ask("iitii", query), self.fields()
        with self._told():
            drawn = [
                ScheduledMatch(index, block, tuple(map(int, seats.split())), dice, stage)
                for index, block, seats, dice, stage in rows
            ]
            if not all(_is_of(match, fields) for match in drawn):
                raise ValueError("a schedule of bots or of stages that there are not")
        return drawn

    def alarms(self) -> list[tuple[int, str, str]]:
        """Match, machine and what differs, of second reports that were not like the first."""
        return self._ask("itt", 'SELECT * FROM alarms ORDER BY "match", text')

    def unplayed(self) -> list[Unplayed]:
        """The matches that could not be played, by number."""
        return [Unplayed(*row) for row in self._ask("iitt", 'SELECT * FROM aside ORDER BY "match"')]

    def told_dice(self) -> set[int]:
        """The dice whose replays have their key."""
        return {dice for (dice,) in self._ask("i", "SELECT block FROM told")}

    def __len__(self) -> int:
        """Return how many matches are on record."""
        return int(self._ask("i", 'SELECT count(*) FROM matches WHERE "index" >= 0')[0][0])

    def indexes(self) -> list[int]:
        """The numbers of the matches on record."""
        return [index for (index,) in self._ask("i", 'SELECT "index" FROM matches ORDER BY "index"')]

    def latest_faults(self, most: int) -> list[tuple[int, str, str, int, int, str]]:
        """Match, bot, kind, count, and turn and text of the first one; the latest matches come first."""
        order = 'ORDER BY "match" DESC, bot, kind LIMIT ?'
        return self._ask("ittiit", f'SELECT "match", bot, kind, count, turn, text FROM faults {order}', most)

    def faults_of(self, index: int) -> list[tuple[str, str, int, int, str, bytes]]:
        """Bot, kind, count, and turn, text and stderr of the first one, of one match."""
        query = (
            "SELECT bot, kind, count, turn, text, coalesce(stderr, x'') FROM faults "
            'LEFT JOIN moments USING ("match", bot, kind) WHERE "match" = ? ORDER BY bot, kind'
        )
        return self._ask("ttiitb", query, index)

    def findings(self, bot: str | None = None, match: int | None = None) -> list[tuple[Any, ...]]:
        """The first fault of each kind, by match, bot and turn, and the messages around it; of one bot, of one match.

        Match, replay, bot, kind, count, turn, text, ended, asked, said, stderr, wall, charged.
        """
        query = (
            'SELECT f."match", m.replay, f.bot, f.kind, f.count, f.turn, f.text, f.ended, f.asked, f.said, '
            "coalesce(o.stderr, x''), coalesce(o.wall, 0.0), coalesce(o.charged, 0.0) "
            'FROM faults f JOIN matches m ON m."index" = f."match" '
            'LEFT JOIN moments o ON o."match" = f."match" AND o.bot = f.bot AND o.kind = f.kind '
            'WHERE (?1 IS NULL OR f.bot = ?1) AND (?2 IS NULL OR f."match" = ?2) '
            'ORDER BY f."match", f.bot, f.turn, f.kind'
        )
        found = self._ask("itttiittbbbrr", query, bot, match)
        self._check_replays((index, replay) for index, replay, *_ in found)
        return found

    def timings(self) -> dict[str, Timing]:
        """Every bot's time, over all matches on record."""
        sums = self._ask(
            "tirrrr",
            "SELECT bot, sum(questions), max(worst), sum(charged), sum(wall), sum(queue) FROM timings "
            "WHERE questions > 0 GROUP BY bot ORDER BY bot",
        )
        medians: dict[str, list[float]] = {}
        for bot, middle in self._ask("tr", "SELECT bot, median FROM timings WHERE questions > 0"):
            medians.setdefault(bot, []).append(middle)
        return {bot: Timing(count, median(medians[bot]), *rest) for bot, count, *rest in sums}

    def matches(self) -> list[MatchRow]:
        """All matches on record, by index."""
        return list(self._rows("", ()))

    def match(self, index: int) -> MatchRow | None:
        """One match, if it is on record."""
        return next(self._rows('WHERE "{}" = ?', (index,)), None)

    def scores(self) -> Scores:
        """The scores of all matches that count, as arrays."""
        told = self._ask("ii", 'SELECT "index", block FROM matches WHERE "index" >= 0 ORDER BY "index"')
        numbers, names = np.array(told, np.int64).reshape(-1, 2), dict[str, int]()
        query = 'SELECT "match", place, bot, score FROM scores'
        with self._told(), self._steps, contextlib.closing(self._database.execute(query)) as cursor:
            rows = ((match, place, names.setdefault(bot, len(names)), score) for match, place, bot, score in cursor)
            cells = np.fromiter(rows, CELL)
            if not all(type(name) is str for name in names) or not (cells["place"] >= 0).all():
                raise ValueError("a row of scores that makes no sense")
            if cells["place"].max(initial=0) >= SEATS:
                raise ValueError(f"a score of place {cells['place'].max()}; no match has so many")
            if not (abs(cells["score"]) <= LARGEST_SCORE).all():
                raise ValueError("a score that no match has")
            scores = Scores.of_cells(numbers, list(names), cells).of_those_who_played()
            if not (scores.bot >= 0).any(axis=1).all():
                raise ValueError("a match without scores")
        uncounted = self.uncounted()
        return scores.take(~np.isin(numbers[:, 0], list(uncounted))).of_those_who_played() if uncounted else scores

    def fault_counts(self) -> dict[str, dict[str, int]]:
        """Everybody's faults by kind."""
        counts: dict[str, dict[str, int]] = {}
        uncounted = self.uncounted()
        query = 'SELECT "match", bot, kind, count FROM faults ORDER BY "match", bot, kind'
        for match, bot, kind, count in self._ask("itti", query):
            if match not in uncounted:
                of_bot = counts.setdefault(bot, {})
                of_bot[kind] = of_bot.get(kind, 0) + count
        return counts

    def planned(self) -> int | None:
        """Return how many matches count, played or not; None if no schedule was stored."""
        fields = self.fields()
        return len(self._counting(fields)) if fields else None

    def _counting(self, fields: list[list[tuple[str, str]]]) -> list[ScheduledMatch]:
        sizes = self._ask("i", "SELECT size FROM stages ORDER BY stage DESC LIMIT 1")
        if not sizes:
            raise KothError(f"{self.file}: a schedule without a size of its matches")
        return counting(self.schedule(), fields, *sizes[0])

    def uncounted(self) -> set[int]:
        """Return the numbers of played matches that no longer count, because bots left or were replaced."""
        fields = self.fields()
        if len(fields) < 2:
            return set()
        return set(self.indexes()) - {pairing.index for pairing in self._counting(fields)}

    def speed(self) -> float | None:
        """Seconds that the fixed workload took on the machine of the first match; None before there is one."""
        found = self._ask("r", 'SELECT seconds FROM machines ORDER BY "match" LIMIT 1')
        return float(found[0][0]) if found else None

    def machines(self) -> list[tuple[str, int, float, float]]:
        """By machine: matches, and the least and most seconds that the fixed workload took there."""
        query = "SELECT name, count(*), min(seconds), max(seconds) FROM machines GROUP BY name ORDER BY name"
        return self._ask("tirr", query)

    def void(self) -> int:
        """Return how many tries of matches failed through no bot's fault."""
        return int(self._ask("i", "SELECT coalesce(sum(void), 0) FROM matches")[0][0])

    def voids(self) -> dict[str, int]:
        """By bot, how many tries were void because the machine kept it from its work."""
        return dict(self._ask("ti", "SELECT bot, sum(count) FROM voids GROUP BY bot ORDER BY bot"))

    def _ask(self, kinds: str, query: str, *values: Any) -> list[Any]:
        """The rows of an answer, whose values are of these kinds: a letter of `KINDS` for each column."""
        wanted = tuple(KINDS[letter] for letter in kinds)
        with self._told(), self._steps:
            rows = self._database.execute(query, values).fetchall()
            for row in rows:
                is_finite = all(value - value == 0 for value in row if type(value) is float)
                if tuple(map(type, row)) != wanted or not is_finite:  # SQLite does not look what a column holds
                    raise ValueError(f"a row that makes no sense: {visible(repr(row)[:80])}")
            return rows

    def _check_replays(self, rows: Iterable[tuple[int, str]]) -> None:
        """Refuse rows that name another file than a match's own replay: it may lie anywhere. Raises KothError."""
        for index, replay in rows:
            if replay not in ("", replay_place(index)):
                told = visible(repr(replay)[:80])
                raise KothError(f"{self.file}: match {index} has its replay at {told}, not at {replay_place(index)}")

    def _rows(self, where: str, values: tuple[Any, ...]) -> Iterator[MatchRow]:
        scores: dict[int, dict[str, float]] = {}
        faults: dict[int, dict[str, dict[str, int]]] = {}
        of_match = where.format("match")
        rows = self._ask("iiittitii", f'SELECT * FROM matches {where.format("index")} ORDER BY "index"', *values)
        self._check_replays((row[0], row[3]) for row in rows)
        query = f'SELECT "match", bot, score FROM scores {of_match} ORDER BY place'
        for match, bot, score in self._ask("itr", query, *values):
            scores.setdefault(match, {})[bot] = score
        query = f'SELECT "match", bot, kind, count FROM faults {of_match} ORDER BY bot, kind'
        for match, bot, kind, count in self._ask("itti", query, *values):
            faults.setdefault(match, {}).setdefault(bot, {})[kind] = count
        for index, block, turns, replay, digest, void, job, dice, stage in rows:
            told = scores.get(index, {}), faults.get(index, {})
            yield MatchRow(index, block, turns, replay, digest, void, job, dice, stage, *told)
