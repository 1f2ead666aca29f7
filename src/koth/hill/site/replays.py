"""Replays for spectators: whole when a match is over, delayed while it is played."""

from __future__ import annotations

import functools
import io
import zlib

import orjson

from koth.contest.results import replay_place
from koth.errors import KothError
from koth.files.beneath import open_beneath, read_beneath
from koth.hill.connection import Hill
from koth.hill.models import Match
from koth.replay.gzip_members import members
from koth.replay.names import PART, match_name
from koth.viewer.restored import bytes_with_frames
from koth.viewer.summary import MatchSummary, read_match

FLUSHED = b"\x00\x00\xff\xff"
"""The end of what can be read of a member that is being written."""
WATCHED = (Match.State.PLAYING, Match.State.PLAYED, Match.State.VOID)
"""States of matches whose replays may be seen."""


def can_be_watched(hill: Hill, match: Match) -> bool:
    """Return whether there is a replay that spectators may see, now or after their delay."""
    found = summary_at(hill, match.pk) if match.state in WATCHED else None
    return found is not None and found.can_be_shown


def summary_at(hill: Hill, number: int) -> MatchSummary | None:
    """Return header and result of a replay in a hill's folder; None if it can't be read, or is not there yet."""
    try:
        return read_match(match_name(number), hill.folder / replay_place(number), hill.folder)
    except (KothError, OSError):
        return None


def replay_of(hill: Hill, match: Match, delay: int) -> bytes | None:
    """Return the part of a replay that spectators may see; None if there is none, or none yet."""
    if match.state not in WATCHED:
        return None
    return replay_at(hill, match.pk, match.state == Match.State.PLAYING, delay)


def replay_at(hill: Hill, number: int, is_playing: bool, delay: int = 0) -> bytes | None:
    """Return a replay in a hill's folder, or its beginning while the match is played; None if there is none yet."""
    place = replay_place(number)
    if is_playing:
        found = _stat(hill, place + PART)
        if found is not None:
            return _late(hill, place + PART, delay, *found)
    found = _stat(hill, place)
    return None if found is None else _whole(hill, place, *found)


def _stat(hill: Hill, place: str) -> tuple[int, int] | None:
    """Return the time of a file's last change and its size; None where there is none."""
    try:
        stat = (hill.folder / place).lstat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size


@functools.lru_cache(16)
def _whole(hill: Hill, place: str, changed: int, size: int) -> bytes | None:
    """Return a replay with its frames; None if they can't be made. `changed` and `size` are of the file."""
    try:
        if read_match(place, hill.folder / place, hill.folder).has_frames:
            return read_beneath(hill.folder, place)
        return bytes_with_frames(hill.folder / place, hill.folder)
    except (KothError, OSError):
        return None


@functools.lru_cache(16)
def _late(hill: Hill, place: str, delay: int, changed: int, size: int) -> bytes | None:
    """Return the part of a match in play that may be seen; None while it is empty, or if it has no frames."""
    try:
        with open_beneath(hill.folder, place) as file:
            data = file.read()
    except OSError:
        return None
    parts = [data[start : start + size] for start, size in members(io.BytesIO(data))]
    if not parts or orjson.loads(zlib.decompress(parts[0], 31)).get("frames") is False:
        return None
    return until_turn(data, delay)


def until_turn(data: bytes, delay: int) -> bytes:
    """Return an unfinished replay without its last `delay` turns; a few more may be missing."""
    if not delay:
        return data
    places = list(members(io.BytesIO(data)))
    ends = [start + size for start, size in places]
    header, starts = ends[0], [*(start for start, _ in places[1:]), *(ends[-1:] if ends[-1] < len(data) else [])]
    last = max((turn for start in starts[-2:] for _, turn in _flushed(data, start)), default=0)
    for start in reversed(starts):
        seen = [end for end, turn in _flushed(data, start) if turn <= last - delay]
        if seen:
            return data[: seen[-1]]
    return data[:header]


def _flushed(data: bytes, start: int) -> list[tuple[int, int]]:
    """Return the places at which the member that begins at `start` can be cut, each with its last turn."""
    inflate, text, at, found = zlib.decompressobj(31), b"", start, []
    while not inflate.eof and (end := data.find(FLUSHED, at)) >= 0:
        end += len(FLUSHED)
        text += inflate.decompress(data[at:end])
        at = end
        if text.endswith(b"\n") and not inflate.eof:
            line = orjson.loads(text[text.rfind(b"\n", 0, -1) + 1 :])
            found.append((end, int(line["turn"])))
    return found
