"""A contest's results in SQLite, and its replays: the one interface to both."""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from koth.contest import bounds
from koth.contest.private import write_private
from koth.contest.schedule import Pairing, match_name
from koth.contest.scores import Scores
from koth.contest.timing import Timing
from koth.errors import KothError, visible
from koth.match import Record, Result
from koth.recording import add_key
from koth.replay import SUFFIX
from koth.secret import Key

VERSION = 3
"""Of the tables below, in the file's `user_version`."""
PATIENCE = 60_000
"""Milliseconds for which a writer waits for another one; readers wait for nobody."""
SCHEMA = """
CREATE TABLE IF NOT EXISTS matches (
    "index" INTEGER PRIMARY KEY, block INTEGER NOT NULL, turns INTEGER NOT NULL,
    replay TEXT NOT NULL, digest TEXT NOT NULL,  -- of the replay without its key; empty where there is none
    void INTEGER NOT NULL  -- tries that failed for the arena's fault
);
CREATE TABLE IF NOT EXISTS told (block INTEGER PRIMARY KEY);  -- blocks whose replays have their key
CREATE TABLE IF NOT EXISTS aside (  -- matches that failed for the arena's fault, until they are played
    "match" INTEGER PRIMARY KEY, tries INTEGER NOT NULL, reason TEXT NOT NULL, bot TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS scores (
    "match" INTEGER NOT NULL, place INTEGER NOT NULL, seat INTEGER, bot TEXT NOT NULL, score REAL NOT NULL,
    PRIMARY KEY ("match", place)  -- seat is null for who scores without being a bot
);
CREATE TABLE IF NOT EXISTS faults (
    "match" INTEGER NOT NULL, bot TEXT NOT NULL, kind TEXT NOT NULL, count INTEGER NOT NULL,
    turn INTEGER NOT NULL, text TEXT NOT NULL, ended TEXT NOT NULL,  -- of the first one
    asked BLOB NOT NULL, said BLOB NOT NULL,  -- the messages around it, their beginnings
    PRIMARY KEY ("match", bot, kind)
);
CREATE TABLE IF NOT EXISTS moments (  -- what depends on who was faster, of the first fault of a kind
    "match" INTEGER NOT NULL, bot TEXT NOT NULL, kind TEXT NOT NULL,
    stderr BLOB NOT NULL, wall REAL NOT NULL, charged REAL NOT NULL,  -- the end of it; seconds of the question
    PRIMARY KEY ("match", bot, kind)
);
CREATE TABLE IF NOT EXISTS timings (  -- seconds: to start, and of all questions; what is charged counts
    "match" INTEGER NOT NULL, bot TEXT NOT NULL, start REAL NOT NULL, memory INTEGER NOT NULL,
    questions INTEGER NOT NULL, charged REAL NOT NULL, wall REAL NOT NULL, queue REAL NOT NULL,
    median REAL NOT NULL, worst REAL NOT NULL,  -- charged for a question
    each BLOB NOT NULL,  -- float32 by question: turn, charged, wall, queue; packed by zlib
    PRIMARY KEY ("match", bot)
);
CREATE TABLE IF NOT EXISTS voids (
    "match" INTEGER NOT NULL, bot TEXT NOT NULL, count INTEGER NOT NULL,  -- tries that the load on it spoilt
    PRIMARY KEY ("match", bot)
);
"""

TABLES = tuple(re.findall(r"CREATE TABLE IF NOT EXISTS (\w+)", SCHEMA))
KINDS = {"i": int, "t": str, "r": float, "b": bytes}
FAILURES = (OSError, sqlite3.Error, OverflowError, zlib.error, ValueError, TypeError, MemoryError)
"""What a database can fail with, a strange one in particular."""


def _in_words(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "there is more in it than this machine's memory may hold"
    if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
        return "it is damaged: there is no end to a table"
    return getattr(error, "strerror", None) or str(error)


@dataclass(frozen=True)
class MatchRow:
    """One finished match as it is stored; `replay` is relative to the run's folder, and empty where there is none."""

    index: int
    block: int
    turns: int
    replay: str
    digest: str
    void: int
    scores: dict[str, float]
    faults: dict[str, dict[str, int]]


@dataclass(frozen=True)
class Aside:
    """A match that could not be played so far, for the arena's fault: how often it was tried, and why not."""

    match: int
    tries: int
    reason: str
    bot: str


class Store:
    """The folder of one run. Raises KothError where it can't be written or is no run's folder.

    The database has a write-ahead log: who reads it and who writes it don't wait for each other.
    """

    def __init__(self, folder: Path, read_only: bool = False) -> None:
        self.folder = folder
        self.file = folder / "results.sqlite"
        with self._told():
            bounds.check_beside(self.file)
            if read_only:
                try:
                    self._open("mode=ro")
                except sqlite3.OperationalError:  # on a medium where nothing can be written at all
                    self._open("immutable=1")
                return
            self.replays.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(self.file, timeout=PATIENCE / 1000)
            self._steps = bounds.Steps(self._database, self.file)
            bounds.limit(self._database, reads_only=False)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = FULL")
            with self._steps:
                if not self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    self._database.execute(f"PRAGMA user_version = {VERSION}")
                    self._database.executescript(SCHEMA)
                self._ready()

    def _open(self, how: str) -> None:
        """Open it to be read. Raises KothError and sqlite3.Error."""
        address = f"{self.file.absolute().as_uri()}?{how}"
        self._database = sqlite3.connect(address, uri=True, timeout=PATIENCE / 1000)
        try:
            bounds.limit(self._database, reads_only=True)
            self._steps = bounds.Steps(self._database, self.file)
            with self._steps:
                self._ready()
        except BaseException:
            self._database.close()
            raise

    def _ready(self) -> None:
        """Refuse a database of another koth, and one in which tables are not what they seem."""
        found = self._database.execute("PRAGMA user_version").fetchone()[0]
        if found != VERSION:
            raise KothError(
                f"{self.file}: results of kind {found} by another koth; this one reads kind {VERSION} only"
            )
        bounds.check_tables(self._database, self.file, TABLES)

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        """What goes wrong in here is told in one line."""
        try:
            yield
        except FAILURES as error:
            raise KothError(f"{self.file}: {_in_words(error)}") from None

    @property
    def replays(self) -> Path:
        return self.folder / "replays"

    def close(self) -> None:
        self._database.close()

    def replay_path(self, index: int) -> Path:
        """Where the replay of match `index` belongs."""
        return self.replays / f"{match_name(index)}{SUFFIX}"

    def remove_parts(self) -> None:
        """Remove the replays that an interrupted run left half-written; nothing of the bots' is touched."""
        for part in self.replays.glob(f"*{SUFFIX}.part"):
            if part.is_file():
                part.unlink(missing_ok=True)

    def add(self, pairing: Pairing, names: Mapping[int, str], result: Result, void: int) -> MatchRow:
        """Put one match on record; it counts from here on."""
        index = pairing.index
        replay = self.replay_path(index).relative_to(self.folder).as_posix() if result.digest else ""
        write_private(self.folder, index, result.records)
        seats = {names[bot]: seat for seat, bot in enumerate(pairing.seats)}
        row = MatchRow(
            index, pairing.block, result.turns, replay, result.digest, void, dict(result.scores),
            {name: record.faults for name, record in sorted(result.records.items()) if record.faults},
        )  # fmt: skip
        with self._told(), self._database as database:
            database.execute(
                "INSERT OR REPLACE INTO matches VALUES (?, ?, ?, ?, ?, ?)",
                (index, pairing.block, result.turns, replay, result.digest, void),
            )
            database.executemany(
                "INSERT OR REPLACE INTO scores VALUES (?, ?, ?, ?, ?)",
                [
                    (index, place, seats.get(name), name, score)
                    for place, (name, score) in enumerate(result.scores.items())
                ],
            )
            for name, record in result.records.items():
                self._add_record(database, index, name, record)
            voids = [(index, name, count) for name, count in sorted(result.voids.items())]
            database.executemany("INSERT OR REPLACE INTO voids VALUES (?, ?, ?)", voids)
            database.execute('DELETE FROM aside WHERE "match" = ?', (index,))
        return row

    def _add_record(self, database: sqlite3.Connection, index: int, name: str, record: Record) -> None:
        database.executemany(
            "INSERT OR REPLACE INTO faults VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (index, name, kind, t.count, t.turn, t.text, t.end, t.asked, t.said)
                for kind, t in sorted(record.troubles.items())
            ],
        )
        database.executemany(
            "INSERT OR REPLACE INTO moments VALUES (?, ?, ?, ?, ?, ?)",
            [(index, name, kind, t.stderr, t.wall, t.charged) for kind, t in sorted(record.troubles.items())],
        )
        if len(record.times) or record.start_seconds:
            each = record.times.table().astype("<f4")
            costs = each[:, 1].tolist() or [0.0]
            sums = (sum(column) for column in each[:, 1:].T.tolist())
            row = (index, name, record.start_seconds, record.memory, len(each), *sums)
            last = (median(costs), max(costs), zlib.compress(each.tobytes()))
            database.execute("INSERT OR REPLACE INTO timings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*row, *last))

    # --- matches that could not be played, and keys

    def put_aside(self, match: int, tries: int, reason: str, bot: str) -> None:
        """Note that a match could not be played, so often by now."""
        with self._told(), self._database as database:
            database.execute("INSERT OR REPLACE INTO aside VALUES (?, ?, ?, ?)", (match, tries, reason, bot))

    def aside(self) -> list[Aside]:
        """The matches that could not be played, by number."""
        return [Aside(*row) for row in self._ask("iitt", 'SELECT * FROM aside ORDER BY "match"')]

    def told_blocks(self) -> set[int]:
        """The blocks whose replays have their key."""
        return {block for (block,) in self._ask("i", "SELECT block FROM told")}

    def tell_key(self, block: int, key: Key) -> None:
        """The last match of a block is over: its replays get their key."""
        for (replay,) in self._ask("t", 'SELECT replay FROM matches WHERE block = ? ORDER BY "index"', block):
            if replay and (self.folder / replay).is_file():
                add_key(self.folder / replay, key)
        with self._told(), self._database as database:
            database.execute("INSERT OR REPLACE INTO told VALUES (?)", (block,))

    # --- reading

    def __len__(self) -> int:
        """How many matches are on record."""
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
        return self._ask("itttiittbbbrr", query, bot, match)

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

    def voids(self) -> dict[str, int]:
        """By bot, how many tries were void because the machine kept it from its work."""
        return dict(self._ask("ti", "SELECT bot, sum(count) FROM voids GROUP BY bot ORDER BY bot"))

    def _ask(self, kinds: str, query: str, *values: Any) -> list[Any]:
        """The rows of an answer, whose values are of these kinds: a letter of `KINDS` for each column."""
        wanted = tuple(KINDS[letter] for letter in kinds)
        with self._told(), self._steps:
            rows = self._database.execute(query, values).fetchall()
            for row in rows:
                if tuple(map(type, row)) != wanted:  # SQLite does not look what it keeps in a column
                    raise ValueError(f"a row that makes no sense: {visible(repr(row)[:80])}")
            return rows

    def _rows(self, where: str, values: tuple[Any, ...]) -> Iterator[MatchRow]:
        scores: dict[int, dict[str, float]] = {}
        faults: dict[int, dict[str, dict[str, int]]] = {}
        of_match = where.format("match")
        rows = self._ask("iiitti", f'SELECT * FROM matches {where.format("index")} ORDER BY "index"', *values)
        query = f'SELECT "match", bot, score FROM scores {of_match} ORDER BY place'
        for match, bot, score in self._ask("itr", query, *values):
            scores.setdefault(match, {})[bot] = score
        query = f'SELECT "match", bot, kind, count FROM faults {of_match} ORDER BY bot, kind'
        for match, bot, kind, count in self._ask("itti", query, *values):
            faults.setdefault(match, {}).setdefault(bot, {})[kind] = count
        for index, block, turns, replay, digest, void in rows:
            yield MatchRow(index, block, turns, replay, digest, void, scores.get(index, {}), faults.get(index, {}))


def fault_counts(rows: Sequence[MatchRow]) -> dict[str, dict[str, int]]:
    """Everybody's faults by kind."""
    counts: dict[str, dict[str, int]] = {}
    for row in rows:
        for bot, kinds in row.faults.items():
            of_bot = counts.setdefault(bot, {})
            for kind, count in kinds.items():
                of_bot[kind] = of_bot.get(kind, 0) + count
    return counts


def scores_of(rows: list[MatchRow]) -> Scores:
    """The matches as the standings want them."""
    return Scores.of((row.block, row.scores) for row in rows)


@contextlib.contextmanager
def only_run(folder: Path) -> Iterator[None]:
    """Hold the folder for one process. Raises KothError when another one runs this contest."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / ".lock", os.O_CREAT | os.O_RDWR)
    except OSError as error:
        raise KothError(f"{error.filename or folder}: {error.strerror}") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise KothError(f"{folder}: another koth is running this contest") from None
    try:
        yield
    finally:
        os.close(handle)
