"""A contest's folder: results in SQLite, replays, what the bots wrote to stderr, and how it was run."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from koth.bots.stderr import lines_of, pieces
from koth.contest.schedule import Pairing
from koth.contest.scores import Scores
from koth.errors import KothError
from koth.match import Record, Result
from koth.replay import SUFFIX

SCHEMA = """
CREATE TABLE IF NOT EXISTS matches (
    "index" INTEGER PRIMARY KEY, block INTEGER NOT NULL, seed TEXT NOT NULL, turns INTEGER NOT NULL,
    replay TEXT NOT NULL, void INTEGER NOT NULL  -- tries that failed for the arena's fault
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


@dataclass(frozen=True)
class MatchRow:
    """One finished match as it is stored; `replay` is relative to the run's folder."""

    index: int
    block: int
    seed: int
    turns: int
    replay: str
    void: int
    scores: dict[str, float]
    faults: dict[str, dict[str, int]]


class Store:
    """The folder of one run. Raises KothError where it can't be written or is no run's folder."""

    def __init__(self, folder: Path, read_only: bool = False) -> None:
        self.folder = folder
        file = folder / "results.sqlite"
        try:
            if read_only:  # whoever runs the contest is not disturbed
                self._database = sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
                return
            self.replays.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(file)
            self._database.execute("PRAGMA synchronous = FULL")
            self._database.executescript(SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise KothError(f"{folder}: {getattr(error, 'strerror', None) or error}") from None

    @property
    def replays(self) -> Path:
        return self.folder / "replays"

    def close(self) -> None:
        self._database.close()

    def replay_path(self, index: int) -> Path:
        """Where the replay of match `index` belongs."""
        return self.replays / f"match-{index:04d}{SUFFIX}"

    def write_run(self, run: Mapping[str, Any]) -> None:
        """Write `run.json`: what was played, and on what."""
        part = self.folder / "run.json.part"
        try:
            part.write_text(json.dumps(run, indent=2) + "\n", encoding="utf-8")
            part.replace(self.folder / "run.json")
        except OSError as error:
            raise KothError(f"{self.folder / 'run.json'}: {error.strerror}") from None

    def remove_parts(self) -> None:
        """Remove what an interrupted run left half-written."""
        for part in self.folder.rglob("*.part"):
            part.unlink(missing_ok=True)

    def add(self, pairing: Pairing, names: Mapping[int, str], result: Result, void: int) -> MatchRow:
        """Put one match on record; it counts from here on."""
        replay = self.replay_path(pairing.index).relative_to(self.folder).as_posix()
        self._write_stderr(pairing.index, result.records)
        seats = {names[bot]: seat for seat, bot in enumerate(pairing.seats)}
        try:
            with self._database as database:
                database.execute(
                    "INSERT OR REPLACE INTO matches VALUES (?, ?, ?, ?, ?, ?)",
                    (pairing.index, pairing.block, str(result.seed), result.turns, replay, void),
                )
                database.executemany(
                    "INSERT OR REPLACE INTO scores VALUES (?, ?, ?, ?, ?)",
                    [
                        (pairing.index, place, seats.get(name), name, score)
                        for place, (name, score) in enumerate(result.scores.items())
                    ],
                )
                for name, record in result.records.items():
                    self._add_record(database, pairing.index, name, record)
                voids = [(pairing.index, name, count) for name, count in sorted(result.voids.items())]
                database.executemany("INSERT OR REPLACE INTO voids VALUES (?, ?, ?)", voids)
        except sqlite3.Error as error:
            raise KothError(f"{self.folder / 'results.sqlite'}: {error}") from None
        return self.match(pairing.index)

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

    def _write_stderr(self, index: int, records: Mapping[str, Record]) -> None:
        """What bots wrote: `NAME.txt`, and in `NAME.turns` a line for each turn in which they did: turn, byte."""
        folder = self.folder / "stderr" / f"match-{index:04d}"
        try:
            for name, record in records.items():
                if record.stderr:
                    folder.mkdir(parents=True, exist_ok=True)
                    (folder / f"{file_name(name)}.txt").write_bytes(record.stderr)
                    (folder / f"{file_name(name)}.turns").write_text(lines_of(record.marks), encoding="ascii")
        except OSError as error:
            raise KothError(f"{error.filename or folder}: {error.strerror}") from None

    def match(self, index: int) -> MatchRow:
        """One match on record."""
        return next(self._rows('WHERE "index" = ?', (index,)))

    def __len__(self) -> int:
        """How many matches are on record."""
        return int(self._ask("SELECT count(*) FROM matches")[0][0])

    def latest_faults(self, most: int) -> list[tuple[int, str, str, int, int, str]]:
        """Match, bot, kind, count, and turn and text of the first one; the latest matches come first."""
        order = 'ORDER BY "match" DESC, bot, kind LIMIT ?'
        return self._ask(f'SELECT "match", bot, kind, count, turn, text FROM faults {order}', most)

    def faults_of(self, index: int) -> list[tuple[str, str, int, int, str, bytes]]:
        """Bot, kind, count, and turn, text and stderr of the first one, of one match."""
        query = (
            "SELECT bot, kind, count, turn, text, coalesce(stderr, x'') FROM faults "
            'LEFT JOIN moments USING ("match", bot, kind) WHERE "match" = ? ORDER BY bot, kind'
        )
        return self._ask(query, index)

    def _ask(self, query: str, *values: Any) -> list[Any]:
        try:
            return self._database.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise KothError(f"{self.folder / 'results.sqlite'}: {error}") from None

    def matches(self) -> list[MatchRow]:
        """All matches on record, by index."""
        try:
            return list(self._rows("", ()))
        except sqlite3.Error as error:
            raise KothError(f"{self.folder / 'results.sqlite'}: {error}") from None

    def voids(self) -> dict[str, int]:
        """By bot, how many tries were void because the machine kept it from its work."""
        return dict(self._database.execute("SELECT bot, sum(count) FROM voids GROUP BY bot ORDER BY bot"))

    def _rows(self, where: str, values: tuple[Any, ...]) -> Iterator[MatchRow]:
        for index, *rest in self._database.execute(f'SELECT * FROM matches {where} ORDER BY "index"', values):
            block, seed, turns, replay, void = rest
            scores = dict(
                self._database.execute('SELECT bot, score FROM scores WHERE "match" = ? ORDER BY place', (index,))
            )
            faults: dict[str, dict[str, int]] = {}
            query = 'SELECT bot, kind, count FROM faults WHERE "match" = ? ORDER BY bot, kind'
            for bot, kind, count in self._database.execute(query, (index,)):
                faults.setdefault(bot, {})[kind] = count
            yield MatchRow(index, block, int(seed), turns, replay, void, scores, faults)


def written(folder: Path, index: int, bot: str) -> list[tuple[int | None, bytes]]:
    """What a bot wrote to stderr in a match of the run in `folder`, by turn (finished turns, -1: while starting).

    None where the turn is not on record; nothing where it wrote nothing. Raises KothError.
    """
    place = folder / "stderr" / f"match-{index:04d}"
    text, marks = place / f"{file_name(bot)}.txt", place / f"{file_name(bot)}.turns"
    try:
        if not text.is_file():
            return []
        return pieces(
            text.read_bytes(), marks.read_text(encoding="ascii", errors="replace") if marks.is_file() else ""
        )
    except OSError as error:
        raise KothError(f"{error.filename}: {error.strerror}") from None


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


RECORD = {
    "game": str,
    "ruleset": str,
    "settings": dict,
    "seed": int,
    "games": int,
    "budgets": dict,
    "bots": list,
    "skipped": list,
}
"""What every `run.json` has, among other things."""


def read_run(folder: Path) -> dict[str, Any]:
    """The `run.json` of a run's folder. Raises KothError."""
    file = folder / "run.json"
    try:
        run = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise KothError(f"{file}: {error.strerror}; {folder} is not the folder of a run") from None
    except ValueError as error:
        raise KothError(f"{file}: {error}") from None
    for key, kind in RECORD.items():
        if not isinstance(run, dict) or not isinstance(run.get(key), kind):
            raise KothError(f"{file}: not the record of a run: it has no {key!r} that can be read")
    if not all(isinstance(bot, dict) and {"name", "path", "hash"} <= bot.keys() for bot in run["bots"]):
        raise KothError(f"{file}: not the record of a run: its bots can't be read")
    record: dict[str, Any] = run
    return record


def file_name(name: str) -> str:
    """A bot's name as a file name: letters, digits, dot, dash and underscore stay, the rest is %-escaped.

    A name that gets too long for a file is cut, and told apart by its digest.
    """
    safe = re.sub(r"[^A-Za-z0-9._-]", lambda m: "".join(f"%{b:02X}" for b in m[0].encode()), name)
    if len(safe) > 120:
        safe = safe[:100] + "-" + hashlib.blake2b(name.encode(), digest_size=8).hexdigest()
    return "%2E" + safe[1:] if safe.startswith(".") else safe


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
