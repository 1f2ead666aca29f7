"""A contest's results in SQLite, and replays: no other code writes these files."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple
from pathlib import Path

from koth.contest import sqlite_limits
from koth.contest.job import Report
from koth.contest.private import write_private
from koth.contest.reading import MatchRow
from koth.contest.results import Results, replay_place
from koth.contest.schedule import ScheduledMatch
from koth.contest.stages import Entrants
from koth.engine.secret import Key
from koth.files.beneath import make_beneath, read_beneath, remove_beneath, write_beneath
from koth.match import BotReport
from koth.replay.names import REPLAYS, SUFFIX
from koth.replay.writer import add_key

WRITER_PATIENCE = 60
"""Seconds to wait for another writer; readers do not wait."""
INSERT_MATCH = "INSERT INTO schedule VALUES (?, ?, ?, ?, ?, ?)"


def _schedule_row(match: ScheduledMatch) -> tuple[object, ...]:
    seats = " ".join(map(str, match.seats))
    return match.number, match.block, match.seed_group, match.stage, seats, match.round


def _faults(report: Report) -> dict[str, dict[str, int]]:
    return {name: record.faults for name, record in sorted(report.result.records.items()) if record.faults}


class Store(Results):
    """The folder of one run. Raises KothError if the folder can't be written or is not a run's.

    The database has a write-ahead log: readers and writers don't wait for each other.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        with self._one_line_errors():
            sqlite_limits.check_beside(self.file, reads_only=False)
            make_beneath(folder, REPLAYS)
            self._database, self._steps = self._open("mode=rwc", WRITER_PATIENCE)

    @contextlib.contextmanager
    def _opened(self) -> Iterator[tuple[sqlite3.Connection, sqlite_limits.Steps]]:
        yield self._database, self._steps

    @property
    def replays(self) -> Path:
        return self.folder / REPLAYS

    def close(self) -> None:
        self._database.close()

    def remove_parts(self) -> None:
        """Remove half-written replays of an interrupted run; the bots' private files stay."""
        with self._one_line_errors():
            for part in self.replays.glob(f"*{SUFFIX}.part"):
                remove_beneath(self.folder, f"{REPLAYS}/{part.name}")

    def merge_log(self) -> None:
        """Merge the write-ahead log into the database's file at the end of a run.

        Without effect while another process reads the database.
        """
        with self._one_line_errors(), contextlib.suppress(sqlite3.OperationalError):
            self._database.execute("PRAGMA busy_timeout = 1000")
            self._database.execute("PRAGMA journal_mode = DELETE")

    # --- the schedule

    def keep_stage(self, stage: int, size: int, entrants: Entrants, matches: Iterable[ScheduledMatch]) -> None:
        """Store a new stage: its number of seats per match, entrants, and drawn matches."""
        with self._one_line_errors(), self._database as database:
            database.execute("INSERT INTO stages VALUES (?, ?)", (stage, size))
            database.executemany(
                "INSERT INTO entrants VALUES (?, ?, ?, ?)",
                [(stage, place, name, digest) for place, (name, digest) in enumerate(entrants)],
            )
            database.executemany(INSERT_MATCH, map(_schedule_row, matches))

    def keep_round(self, matches: Iterable[ScheduledMatch]) -> None:
        """Store the matches drawn for a round of the knockout, in the present stage."""
        with self._one_line_errors(), self._database as database:
            database.executemany(INSERT_MATCH, map(_schedule_row, matches))

    def drop(self, matches: Iterable[int]) -> None:
        """Remove matches from the schedule, so that they are not played."""
        with self._one_line_errors(), self._database as database:
            database.executemany('DELETE FROM schedule WHERE "match" = ?', [(match,) for match in matches])
            database.execute('DELETE FROM unplayed WHERE "match" NOT IN (SELECT "match" FROM schedule)')

    # --- matches

    def add(self, match: ScheduledMatch, seats: Mapping[str, int], report: Report, void: int) -> MatchRow | None:
        """Record one match from a report; from now on the match counts. `seats` maps the bots' names to seats.

        Only the first report counts: for a second report, return None, and record an alarm if the reports differ.
        """
        number, result = match.number, report.result
        replay = replay_place(number) if result.digest else ""
        row = MatchRow(
            number, match.block, result.turns, replay, result.digest, void,
            report.job, match.seed_group, match.stage, dict(result.scores), _faults(report),
        )  # fmt: skip
        if self.compare(report):
            return None
        self._write_replay(number, report.replay)
        write_private(self.folder, number, result.records)
        with self._one_line_errors(), self._database as database:
            database.execute(
                "INSERT INTO matches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (number, row.block, row.turns, replay, row.digest, void, row.job, row.seed_group, row.stage),
            )
            database.executemany(
                "INSERT OR REPLACE INTO scores VALUES (?, ?, ?, ?, ?)",
                [
                    (number, place, seats.get(name), name, score)
                    for place, (name, score) in enumerate(result.scores.items())
                ],
            )
            for name, record in result.records.items():
                self._add_record(database, number, name, record)
            for name, cost in report.costs.items():
                values = (number, name, *astuple(cost))
                database.execute("INSERT OR REPLACE INTO timings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
            database.execute("INSERT OR REPLACE INTO machines VALUES (?, ?)", (number, report.machine))
            voids = [(number, name, count) for name, count in sorted(result.voids.items())]
            database.executemany("INSERT OR REPLACE INTO voids VALUES (?, ?, ?)", voids)
            database.execute('DELETE FROM unplayed WHERE "match" = ?', (number,))
        return row

    def _write_replay(self, number: int, replay: bytes) -> None:
        """Write a match's replay to the run's folder, unless the same replay is there."""
        place = replay_place(number)
        with self._one_line_errors():
            with contextlib.suppress(FileNotFoundError):
                if not replay or read_beneath(self.folder, place) == replay:
                    return
            with write_beneath(self.folder, place) as file:
                file.write(replay)
                file.flush()
                os.fsync(file.fileno())

    def compare(self, report: Report) -> bool:
        """Return whether the match of a report is recorded; record an alarm if this report differs from the first."""
        first, result = self.match(report.match), report.result
        if first is None:
            return False
        second = {"job": report.job, "turns": result.turns, "digest": result.digest}
        second |= {"scores": dict(result.scores), "faults": _faults(report)}
        if differ := [name for name, value in second.items() if getattr(first, name) != value]:
            text = f"{differ[0]}: {getattr(first, differ[0])}, then {second[differ[0]]}"
            with self._one_line_errors(), self._database as database:
                database.execute("INSERT INTO alarms VALUES (?, ?, ?)", (report.match, report.machine, text))
        return True

    def _add_record(self, database: sqlite3.Connection, number: int, name: str, record: BotReport) -> None:
        database.executemany(
            "INSERT OR REPLACE INTO faults VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (number, name, kind, t.count, t.turn, t.text, t.end, t.asked, t.said)
                for kind, t in sorted(record.fault_reports.items())
            ],
        )
        database.executemany(
            "INSERT OR REPLACE INTO moments VALUES (?, ?, ?, ?, ?, ?)",
            [(number, name, kind, t.stderr, t.wall, t.charged) for kind, t in sorted(record.fault_reports.items())],
        )

    # --- matches that could not be played, and keys

    def mark_failed(self, match: int, tries: int, reason: str, bot: str) -> None:
        """Record that a match could not be played, and after how many tries."""
        with self._one_line_errors(), self._database as database:
            database.execute("INSERT OR REPLACE INTO unplayed VALUES (?, ?, ?, ?)", (match, tries, reason, bot))

    def reveal_key(self, seed_group: int, key: Key) -> None:
        """Write the key to all replays of a seed group, after the group's last match."""
        query = 'SELECT "match", replay FROM matches WHERE seed_group = ? ORDER BY "match"'
        rows = self._query("it", query, seed_group)
        self._check_replays(rows)
        for number, replay in rows:
            if replay and os.path.lexists(self.folder / replay_place(number)):
                add_key(self.folder, replay_place(number), key)
        with self._one_line_errors(), self._database as database:
            database.execute("INSERT OR REPLACE INTO revealed VALUES (?)", (seed_group,))
