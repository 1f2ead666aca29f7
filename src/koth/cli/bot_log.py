"""`koth why --bundle`: what a bot received, answered and printed, in one file for its author."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, BinaryIO

import orjson

from koth.cli.compiling import open_game
from koth.cli.screen import counted, echo, said_so_far
from koth.contest.private import noted, written
from koth.contest.record import read_run
from koth.contest.results import MatchRow
from koth.contest.store import Store
from koth.diagnostics.rerun import RecordedBot, Rerun, recorded_bot
from koth.diagnostics.transcript import MARKS, transcript
from koth.diagnostics.why import findings
from koth.errors import KothError
from koth.files.atomic_write import replaced
from koth.game import Game
from koth.replay.names import match_name
from koth.replay.reader import Replay


def write_log(run: Path, bot: str, out: Path, match: int | None) -> None:
    """Write what the bot had in every match of the run, or in one, to the zip `out`.

    The file has its name once it is whole, and never more of a match in memory than a line.
    """
    record = read_run(run)
    game = open_game(record["game"])
    with closing(Store(run, read_only=True)) as store:
        rows = [row for row in store.matches() if bot in row.scores and match in (None, row.index)]
    if not rows:
        raise KothError(f"{run}: {bot} has played no match{'' if match is None else f' {match}'}")
    try:
        with _written(out) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for row in said_so_far(rows, "writing", lambda row: f"match {row.index}"):
                _write(archive, game, run, row, bot, recorded_bot(record, bot))
    except OSError as error:
        culprit = error.filename2 or error.filename or out
        raise KothError(f"{str(culprit).removesuffix('.part')}: {error.strerror}") from None
    echo(f"{out}: {counted(len(rows), 'match', 'matches')} of {bot}")


@contextmanager
def _written(out: Path) -> Iterator[BinaryIO]:
    """Open `out` for writing; it gets its name at the end. Raises OSError."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with replaced(out) as part, open(part, "wb") as file:
        yield file


def _write(archive: zipfile.ZipFile, game: Game, run: Path, row: MatchRow, bot: str, how: RecordedBot) -> None:
    """Write the files of one match: the messages, the bot's notes, and its stderr."""
    if not row.replay:
        raise KothError(f"{run}: it was run with --replays none: nobody knows what its bots were asked")
    name = match_name(row.index)
    stderr, notes = written(run, row.index, bot), noted(run, row.index, bot)
    with _member(archive, f"{name}.txt") as file:
        for line in _log(game, run, row, bot, how, stderr):
            file.write(f"{line}\n".encode("utf-8", "backslashreplace"))
    if notes:
        with _member(archive, f"{name}-notes.jsonl") as file:
            file.writelines(orjson.dumps(note) + b"\n" for note in notes)
    if stderr:
        with _member(archive, f"{name}-stderr.txt") as file:
            file.writelines(text for _, text in stderr)


def _member(archive: zipfile.ZipFile, name: str) -> IO[bytes]:
    info = zipfile.ZipInfo(name)  # of no time: the same logs are the same file
    info.compress_type = zipfile.ZIP_DEFLATED
    return archive.open(info, "w", force_zip64=True)


def _log(
    game: Game, run: Path, row: MatchRow, bot: str, how: RecordedBot, stderr: Iterable[tuple[int | None, bytes]]
) -> Iterator[str]:
    """Yield the lines of one match."""
    turns = counted(row.turns, "turn", "turns")
    yield f"# {bot} in match {row.index} of {game.name}: {turns}, score {row.scores[bot]:g}"
    yield MARKS
    for f in findings(run, bot, row.index):
        yield f"! first {f.kind}, {f.when}: {f.text}{f' ({f.ended})' if f.ended else ''}"
    yield from transcript(Rerun(game, Replay(run / row.replay), bot), how, stderr)
