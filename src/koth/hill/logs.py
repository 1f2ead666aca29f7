"""Transcripts of bots in matches of a hill, for their authors: all that a bot received and answered."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence

from koth.contest.private import written
from koth.contest.results import replay_place
from koth.diagnostics.rerun import RecordedBot, Rerun
from koth.diagnostics.transcript import MARKS, transcript
from koth.errors import KothError
from koth.games import load
from koth.hill.connection import Hill
from koth.hill.models import Match, Seat
from koth.replay.reader import Replay

LARGEST = 4 << 20
"""Characters of a transcript; it ends there."""


def match_words(match: Match) -> str:
    """Return a match in words."""
    return f"{'trial' if match.season_id is None else 'match'} {match.pk}"


def transcript_of(hill: Hill, seat: Seat) -> str:
    """Return all that a bot received and answered in a match, which is asked again. Raises KothError."""
    try:
        changed = (hill.folder / replay_place(seat.match_id)).stat().st_mtime_ns
    except OSError:
        raise KothError(f"{match_words(seat.match)}: its replay is not kept") from None
    return _transcript(hill, seat, changed, tuple(written(hill.folder, seat.match_id, seat.name)))


@functools.lru_cache(8)
def _transcript(hill: Hill, seat: Seat, changed: int, stderr: tuple[tuple[int | None, bytes], ...]) -> str:
    """Return a transcript; `changed` is the time of the replay's last change. Raises KothError."""
    return "".join(_cut(_lines(hill, seat, stderr)))


def _lines(hill: Hill, seat: Seat, stderr: Sequence[tuple[int | None, bytes]]) -> Iterator[str]:
    record, what = Replay(hill.folder / replay_place(seat.match_id), top=hill.folder), match_words(seat.match)
    if record.key is None:
        raise KothError(f"{what}: it can be asked again once the match is over")
    yield f"# {seat.name} in {what} of {hill.game}\n"
    yield f"{MARKS}\n"
    how = RecordedBot(seat.version.protocol, seat.version.options)
    for line in transcript(Rerun(load(hill.game), record, seat.name), how, stderr):
        yield f"{line}\n"


def _cut(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines until they are too many."""
    size = 0
    for line in lines:
        size += len(line)
        if size > LARGEST:
            yield f"# the rest is left out: there is more than {LARGEST >> 20} MB\n"
            return
        yield line
