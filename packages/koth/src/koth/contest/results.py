"""Results of a run, read from its SQLite database: scores as arrays, matches, faults, times, the schedule."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from statistics import median
from typing import Any, TypeVar, cast

import numpy as np

from koth.contest import schema, sqlite_limits
from koth.contest.reading import FaultReason, MatchRow, RecordedFault, count_faults
from koth.contest.schedule import ScheduledMatch
from koth.contest.stages import select_counting
from koth.contest.timing import Timing
from koth.errors import KothError, visible
from koth.game import LARGEST_SCORE, MOST_SCORES
from koth.replay.names import REPLAYS, replay_name
from koth.standings.scores import CELL, Scores

RESULTS = "results.sqlite"
"""The database in a run's folder."""
COLUMN_TYPES = {"i": int, "t": str, "r": float, "b": bytes}
READ_ERRORS = (OSError, sqlite3.Error, OverflowError, zlib.error, ValueError, TypeError, MemoryError)
"""Errors that reading a database can raise, especially a stranger's database."""


def replay_place(number: int) -> str:
    """Return the path of a match's replay in the folder of a run."""
    return f"{REPLAYS}/{replay_name(number)}"


@dataclass(frozen=True)
class Unplayed:
    """A match that could not be played so far, by the arena's fault: number of tries, reason and delayed bot."""

    match: int
    tries: int
    reason: str
    bot: str


def _has_entrants(match: ScheduledMatch, entrants: list[list[tuple[str, str]]]) -> bool:
    """Return whether every seat of a match refers to an entrant of the match's stage."""
    stages = range(len(entrants))
    return match.stage in stages and all(0 <= seat < len(entrants[match.stage]) for seat in match.seats)


F = TypeVar("F", bound=Callable[..., Any])


def opens_once(method: F) -> F:
    """Let all queries of a `Results`' method use one open database: opening it takes as long as a query."""

    @wraps(method)
    def call(self: Results, *args: Any, **named: Any) -> Any:
        with self._opened():
            return method(self, *args, **named)

    return cast(F, call)


class Results:
    """The reader of the database in a run's folder; methods raise KothError if it can't be read.

    Each call opens and closes the database, so that readers do not prevent `Store.merge_log`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.file = folder, folder / RESULTS
        self._of_thread = threading.local()

    @contextlib.contextmanager
    def _opened(self) -> Iterator[tuple[sqlite3.Connection, sqlite_limits.Steps]]:
        """Open the database during this context, unless this thread has; also yield the limit of a query's steps."""
        if (there := getattr(self._of_thread, "there", None)) is not None:
            yield there
            return
        if not self.file.exists():
            raise KothError(f"{self.file}: No such file or directory; without it the run has no results")
        with self._one_line_errors():
            try:
                database, steps = self._open("mode=ro")
            except sqlite3.OperationalError:  # the medium is read-only
                database, steps = self._open("mode=ro&immutable=1")
        with contextlib.closing(database):
            self._of_thread.there = database, steps
            try:
                yield database, steps
            finally:
                self._of_thread.there = None

    def _open(self, how: str, patience: float = 5) -> tuple[sqlite3.Connection, sqlite_limits.Steps]:
        """Open the database; refuse another koth's tables, and objects that are not plain tables.

        `how` is SQLite's. A writer waits for `patience` seconds for another; a new database gets its tables.
        Raises KothError and sqlite3.Error.
        """
        reads_only = how.startswith("mode=ro")
        sqlite_limits.check_beside(self.file, reads_only=reads_only)
        database = sqlite3.connect(f"{self.file.absolute().as_uri()}?{how}", uri=True, timeout=patience)
        try:
            steps = sqlite_limits.Steps(database, self.file)
            sqlite_limits.limit(database, reads_only=reads_only)
            if not reads_only:
                database.execute("PRAGMA journal_mode = WAL")
                database.execute("PRAGMA synchronous = FULL")
            with steps:
                has_tables = bool(database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
                if not (reads_only or has_tables):
                    schema.create(database)
                found = int(database.execute("PRAGMA user_version").fetchone()[0])
                if found != schema.VERSION:
                    if not (found or has_tables):
                        raise KothError(f"{self.file}: it is empty: the run has no results")
                    kind = f"results of kind {found} by another koth"
                    raise KothError(f"{self.file}: {kind}; this one reads kind {schema.VERSION}")
                sqlite_limits.check_tables(database, self.file, schema.tables())
        except BaseException:
            database.close()
            raise
        return database, steps

    @contextlib.contextmanager
    def _one_line_errors(self) -> Iterator[None]:
        """Convert errors in this context into a one-line KothError."""
        try:
            yield
        except READ_ERRORS as error:
            where = getattr(error, "filename", None) or self.file
            raise KothError(f"{where}: {sqlite_limits.reason(error)}") from None

    def entrants(self) -> list[list[tuple[str, str]]]:
        """Return all entrants' names and digests, by stage and index; empty if no schedule was stored."""
        entrants: list[list[tuple[str, str]]] = []
        with self._one_line_errors():
            for stage, name, digest in self._query(
                "itt", "SELECT stage, name, digest FROM entrants ORDER BY stage, place"
            ):
                if not len(entrants) - 1 <= stage <= len(entrants):
                    raise ValueError(f"stage {stage} does not follow the {len(entrants)} stages before it")
                if stage == len(entrants):
                    entrants.append([])
                entrants[stage].append((name, digest))
        return entrants

    @opens_once
    def schedule(self) -> list[ScheduledMatch]:
        """Return every match that was drawn, by number."""
        query = 'SELECT "match", block, seats, seed_group, stage, round FROM schedule ORDER BY "match"'
        rows, entrants = self._query("iitiii", query), self.entrants()
        with self._one_line_errors():
            drawn = [
                ScheduledMatch(number, block, tuple(map(int, seats.split())), seed_group, stage, of_knockout)
                for number, block, seats, seed_group, stage, of_knockout in rows
            ]
            if not all(_has_entrants(match, entrants) for match in drawn):
                raise ValueError("the schedule names bots or stages that do not exist")
        return drawn

    def alarms(self) -> list[tuple[int, str, str]]:
        """Return the match, machine and difference of each second report that differs from the first."""
        return self._query("itt", 'SELECT * FROM alarms ORDER BY "match", text')

    def unplayed_matches(self) -> list[Unplayed]:
        """Return the matches that could not be played, by number."""
        return [Unplayed(*row) for row in self._query("iitt", 'SELECT * FROM unplayed ORDER BY "match"')]

    def revealed_groups(self) -> set[int]:
        """Return the numbers of seed groups whose key is in the replays."""
        return {group for (group,) in self._query("i", "SELECT seed_group FROM revealed")}

    def keyless_groups(self) -> dict[int, int]:
        """Return the seed groups of recorded matches whose replays lack the key: stage by group number."""
        missing = "SELECT DISTINCT seed_group, stage FROM matches "
        missing += "WHERE seed_group NOT IN (SELECT seed_group FROM revealed)"
        return dict(self._query("ii", missing))

    def __len__(self) -> int:
        """Return the number of matches on record."""
        # Without a condition SQLite would count in one step, which no limit of steps ends.
        return int(self._query("i", 'SELECT count(*) FROM matches WHERE "match" > 0')[0][0])

    def numbers(self) -> list[int]:
        """Return the numbers of the matches on record."""
        return [number for (number,) in self._query("i", 'SELECT "match" FROM matches ORDER BY "match"')]

    @opens_once
    def fault_reasons(self) -> list[FaultReason]:
        """Return the faults that count, by bot, kind and first match; equal faults give one entry."""
        query = (
            'SELECT bot, kind, text, ended, sum(count), count(*), min("match"), turn FROM faults '
            'WHERE "match" NOT IN (SELECT value FROM json_each(?)) GROUP BY bot, kind, text, ended '
            'ORDER BY bot, kind, min("match")'
        )
        rows = self._query("ttttiiii", query, json.dumps(sorted(self.uncounted_matches())))
        return [FaultReason(*row) for row in rows]

    def faults(self, bot: str | None = None, match: int | None = None) -> list[RecordedFault]:
        """Return the first fault of each kind, by match, bot and turn; optionally only of one bot or match."""
        query = (
            'SELECT f."match", m.replay, f.bot, f.kind, f.count, f.turn, f.text, f.ended, f.asked, f.said, '
            "coalesce(o.stderr, x''), coalesce(o.wall, 0.0), coalesce(o.charged, 0.0) "
            'FROM faults f JOIN matches m ON m."match" = f."match" '
            'LEFT JOIN moments o ON o."match" = f."match" AND o.bot = f.bot AND o.kind = f.kind '
            'WHERE f.bot IS coalesce(?, f.bot) AND f."match" IS coalesce(?, f."match") '
            'ORDER BY f."match", f.bot, f.turn, f.kind'
        )
        found = self._query("itttiittbbbrr", query, bot, match)
        self._check_replays((number, replay) for number, replay, *_ in found)
        return [RecordedFault(*row) for row in found]

    @opens_once
    def timings(self) -> dict[str, Timing]:
        """Return each bot's times, over all matches on record."""
        sums = self._query(
            "tirrr",
            "SELECT bot, sum(questions), max(worst), sum(charged), sum(wall) FROM timings "
            "WHERE questions > 0 GROUP BY bot ORDER BY bot",
        )
        medians: dict[str, list[float]] = {}
        for bot, middle in self._query("tr", "SELECT bot, median FROM timings WHERE questions > 0"):
            medians.setdefault(bot, []).append(middle)
        return {bot: Timing(count, median(medians[bot]), *rest) for bot, count, *rest in sums}

    @opens_once
    def matches(self) -> list[MatchRow]:
        """Return all matches on record, by number."""
        return list(self._rows("", ()))

    @opens_once
    def match(self, number: int) -> MatchRow | None:
        """Return one match; None if the match is not on record."""
        return next(self._rows('WHERE "match" = ?', (number,)), None)

    @opens_once
    def scores(self) -> Scores:
        """Return the scores of all matches that count, as arrays."""
        found = self._query("ii", 'SELECT "match", block FROM matches WHERE "match" > 0 ORDER BY "match"')
        numbers, names = np.array(found, np.int64).reshape(-1, 2), dict[str, int]()
        query = 'SELECT "match", place, bot, score FROM scores'
        with (
            self._one_line_errors(),
            self._opened() as (database, steps),
            steps,
            contextlib.closing(database.execute(query)) as cursor,
        ):
            rows = ((match, place, names.setdefault(bot, len(names)), score) for match, place, bot, score in cursor)
            cells = np.fromiter(rows, CELL)
            if not all(type(name) is str for name in names) or not (cells["place"] >= 0).all():
                raise ValueError("a row of scores is invalid")
            if cells["place"].max(initial=0) >= MOST_SCORES:
                raise ValueError(f"a score has place {cells['place'].max()}; no match has that many")
            if not (abs(cells["score"]) <= LARGEST_SCORE).all():
                raise ValueError(f"a score is not within ±{LARGEST_SCORE:g}")
            scores = Scores.of_cells(numbers, list(names), cells).drop_absent()
            if not (scores.bot >= 0).any(axis=1).all():
                raise ValueError("a match has no scores")
        uncounted = self.uncounted_matches()
        return scores.take(~np.isin(numbers[:, 0], list(uncounted))).drop_absent() if uncounted else scores

    def fault_counts(self) -> dict[str, dict[str, int]]:
        """Return each bot's faults by kind."""
        return count_faults(self.fault_reasons())

    @opens_once
    def count_planned(self) -> int | None:
        """Return the number of matches that count, played or not; None if no schedule was stored."""
        entrants = self.entrants()
        return len(self._counting(entrants)) if entrants else None

    def _counting(self, entrants: list[list[tuple[str, str]]]) -> list[ScheduledMatch]:
        sizes = self._query("i", "SELECT size FROM stages ORDER BY stage DESC LIMIT 1")
        if not sizes:
            raise KothError(f"{self.file}: the schedule lacks the size of its matches")
        return select_counting(self.schedule(), entrants, *sizes[0])

    @opens_once
    def knockout(self) -> dict[int, tuple[str, ...]]:
        """Return the bots of each match drawn for the last stage's knockout, by number."""
        if not self._query("i", "SELECT EXISTS (SELECT * FROM schedule WHERE round)")[0][0]:
            return {}
        schedule, entrants = self.schedule(), self.entrants()
        drawn = (match for match in schedule if match.round and match.stage == len(entrants) - 1)
        return {match.number: tuple(entrants[-1][seat][0] for seat in match.seats) for match in drawn}

    @opens_once
    def uncounted_matches(self) -> set[int]:
        """Return the numbers of played matches that do not count: knockout, and bots that left or were replaced."""
        entrants = self.entrants()
        if len(entrants) < 2:
            drawn = self.knockout()
            return drawn.keys() & set(self.numbers()) if drawn else set()
        return set(self.numbers()) - {match.number for match in self._counting(entrants)}

    def machines(self) -> dict[str, int]:
        """Return the number of matches that each machine has played."""
        return dict(self._query("ti", "SELECT name, count(*) FROM machines GROUP BY name ORDER BY name"))

    def count_void(self) -> int:
        """Return the number of tries that failed by the arena's fault."""
        return int(self._query("i", "SELECT coalesce(sum(void), 0) FROM matches")[0][0])

    def void_tries(self) -> dict[str, int]:
        """Return the number of void tries, by delayed bot."""
        return dict(self._query("ti", "SELECT bot, sum(count) FROM voids GROUP BY bot ORDER BY bot"))

    def _query(self, kinds: str, query: str, *values: Any) -> list[Any]:
        """Return a query's rows; check the columns' types against `kinds`, letters of `COLUMN_TYPES`."""
        wanted = tuple(COLUMN_TYPES[letter] for letter in kinds)
        with self._one_line_errors(), self._opened() as (database, steps), steps:
            rows = database.execute(query, values).fetchall()
            for row in rows:
                is_finite = all(value - value == 0 for value in row if type(value) is float)
                if tuple(map(type, row)) != wanted or not is_finite:  # SQLite does not enforce column types
                    raise ValueError(f"a row is invalid: {visible(repr(row)[:80])}")
            return rows

    def _check_replays(self, rows: Iterable[tuple[int, str]]) -> None:
        """Raise KothError if a row names another file than the match's own replay."""
        for number, replay in rows:
            if replay not in ("", place := replay_place(number)):
                named = visible(repr(replay)[:80])
                raise KothError(f"{self.file}: match {number} has its replay at {named}, not at {place}")

    def _rows(self, where: str, values: tuple[Any, ...]) -> Iterator[MatchRow]:
        scores: dict[int, dict[str, float]] = {}
        faults: dict[int, dict[str, dict[str, int]]] = {}
        rows = self._query("iiittitii", f'SELECT * FROM matches {where} ORDER BY "match"', *values)
        self._check_replays((row[0], row[3]) for row in rows)
        query = f'SELECT "match", bot, score FROM scores {where} ORDER BY place'
        for match, bot, score in self._query("itr", query, *values):
            scores.setdefault(match, {})[bot] = score
        query = f'SELECT "match", bot, kind, count FROM faults {where} ORDER BY bot, kind'
        for match, bot, kind, count in self._query("itti", query, *values):
            faults.setdefault(match, {}).setdefault(bot, {})[kind] = count
        for number, block, turns, replay, digest, void, job, seed_group, stage in rows:
            own = scores.get(number, {}), faults.get(number, {})
            yield MatchRow(number, block, turns, replay, digest, void, job, seed_group, stage, *own)
