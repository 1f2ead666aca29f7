"""The public part of a finished run in one file, for `koth verify`, without the bots' private files."""

from __future__ import annotations

import json
import sqlite3
import tempfile
import zipfile
from contextlib import closing
from pathlib import Path

from koth.contest.reading import PUBLIC
from koth.contest.record import RecordedEntrant, RunRecord
from koth.contest.results import RESULTS, replay_place
from koth.contest.run_reader import RunReader
from koth.contest.season import SEASON_FILE
from koth.errors import KothError
from koth.files.beneath import open_beneath, write_beneath
from koth.replay.names import RUN_FILE

PUBLIC_FILE = "public.zip"
"""The file for the public part, in the run's folder."""
REMOVE_PRIVATE = """
UPDATE faults SET text = '', ended = '', asked = x'', said = x'';
DELETE FROM moments; DELETE FROM alarms; DELETE FROM unplayed; DELETE FROM machines;
VACUUM;
"""


def write_public(folder: Path) -> None:
    """Write the public part of the run in `folder` to its file `public.zip`. Raises KothError."""
    reader = RunReader(folder, PUBLIC)
    try:
        with write_beneath(folder, PUBLIC_FILE) as file, zipfile.ZipFile(file, "w") as archive:
            archive.writestr(f"{folder.name}/{RUN_FILE}", json.dumps(_public_record(reader), indent=2))
            archive.writestr(f"{folder.name}/{RESULTS}", _public_results(folder))
            for row in reader.matches():
                if row.replay:
                    _add(archive, folder, replay_place(row.number))
            if reader.season_file() is not None:
                _add(archive, folder, SEASON_FILE)
    except (OSError, sqlite3.Error) as error:
        raise KothError(f"{folder / PUBLIC_FILE}: {error}") from None


def _public_record(reader: RunReader) -> RunRecord:
    """Return the run's record without details of the host's machine."""
    record = reader.plan()
    bots: list[RecordedEntrant] = [{**bot, "path": None} for bot in record["bots"]]
    return {**record, "bots": bots, "interpreters": {}, "machine": {}}


def _public_results(folder: Path) -> bytes:
    """Return the run's database without the texts of faults and messages."""
    with tempfile.TemporaryDirectory(prefix="koth-public-") as place:
        copy = Path(place) / RESULTS
        with closing(sqlite3.connect(f"{(folder / RESULTS).absolute().as_uri()}?mode=ro", uri=True)) as database:
            database.execute("VACUUM INTO ?", [str(copy)])
        with closing(sqlite3.connect(copy)) as database:
            database.executescript(REMOVE_PRIVATE)
        return copy.read_bytes()


def _add(archive: zipfile.ZipFile, folder: Path, place: str) -> None:
    with open_beneath(folder, place) as source, archive.open(f"{folder.name}/{place}", "w") as out:
        while piece := source.read(1 << 20):
            out.write(piece)
