"""A bot's log for the author: everything that the bot received, answered and printed, in one file."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import orjson

from koth.contest.reading import BotLog, MatchReader, MatchRow
from koth.diagnostics.explain import MARKS, transcript_lines
from koth.diagnostics.rerun import Rerun, find_recorded_bot
from koth.diagnostics.why import time_text
from koth.errors import KothError
from koth.files.atomic_write import replace_file
from koth.games import load
from koth.replay.names import match_name
from koth.replay.reader import Replay


def write_log(
    reader: MatchReader,
    bot: str,
    out: Path,
    match: int | None = None,
    on_match: Callable[[int, int, int], None] = lambda match, done, total: None,
) -> int:
    """Write a bot's log of every match, or of one match, to the zip `out`; return the number of matches.

    `out` appears when the file is complete; only one line of a match is in memory. `on_match` is called with a
    match's number, the count of written matches, and the count of all matches. Raises KothError.
    """
    rows = [row for row in reader.matches() if bot in row.scores and match in (None, row.number)]
    if not rows:
        raise KothError(f"{reader.where}: {bot} has played no match{'' if match is None else f' {match}'}")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with replace_file(out) as part, zipfile.ZipFile(part, "w") as archive:
            for done, row in enumerate(rows):
                on_match(row.number, done, len(rows))
                _write_match(archive, reader, row, bot)
    except OSError as error:
        culprit = error.filename2 or error.filename or out
        raise KothError(f"{str(culprit).removesuffix('.part')}: {error.strerror}") from None
    return len(rows)


def _write_match(archive: zipfile.ZipFile, reader: MatchReader, row: MatchRow, bot: str) -> None:
    path = reader.replay(row.number) if row.replay else None
    if path is None:
        raise KothError(f"{reader.where}: match {row.number} has no replay, so its questions are unknown")
    name, log = match_name(row.number), reader.logs(row.number, bot)
    with _open_member(archive, f"{name}.txt") as file:
        for line in _match_lines(reader, row, Replay(path), bot, log):
            file.write(f"{line}\n".encode("utf-8", "backslashreplace"))
    if log.notes:
        with _open_member(archive, f"{name}-notes.jsonl") as file:
            file.writelines(orjson.dumps(note) + b"\n" for note in log.notes)
    if log.stderr:
        with _open_member(archive, f"{name}-stderr.txt") as file:
            file.writelines(text for _, text in log.stderr)


def _open_member(archive: zipfile.ZipFile, name: str) -> IO[bytes]:
    info = zipfile.ZipInfo(name)  # of no time: the same logs are the same file
    info.compress_type = zipfile.ZIP_DEFLATED
    return archive.open(info, "w", force_zip64=True)


def _match_lines(reader: MatchReader, row: MatchRow, replay: Replay, bot: str, log: BotLog) -> Iterator[str]:
    record = reader.plan()
    game = load(record["game"])
    turns = f"{row.turns:,} turn{'s'[: row.turns != 1]}"
    yield f"# {bot} in match {row.number} of {game.name}: {turns}, score {row.scores[bot]:g}"
    yield MARKS
    for f in reader.faults(bot, row.number):
        yield f"! first {f.kind}, {time_text(f)}: {f.text}{f' ({f.ended})' if f.ended else ''}"
    yield from transcript_lines(Rerun(game, replay, bot), find_recorded_bot(record, bot), log.stderr)
