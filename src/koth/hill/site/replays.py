"""Replays for spectators: whole when a match is over, as far as they are written while it is played."""

from __future__ import annotations

import functools
import io
import zlib

import orjson

from koth.contest.results import replay_place
from koth.errors import KothError
from koth.files.beneath import read_beneath
from koth.hill.connection import Hill
from koth.hill.models import Match
from koth.replay.gzip_members import members
from koth.replay.names import PART
from koth.viewer.restored import bytes_with_frames
from koth.viewer.summary import read_match

WATCHED = (Match.State.PLAYING, Match.State.PLAYED, Match.State.VOID)
"""States of matches whose replays may be seen."""


def can_be_watched(hill: Hill, match: Match) -> bool:
    """Return whether there is a replay that spectators may see."""
    place = replay_place(match.pk)
    try:
        return match.state in WATCHED and read_match(place, hill.folder / place, hill.folder).can_be_shown
    except (KothError, OSError):
        return False


def replay_of(hill: Hill, match: Match) -> bytes | None:
    """Return the part of a replay that spectators may see; None if there is none, or none yet."""
    if match.state not in WATCHED:
        return None
    return replay_at(hill, replay_place(match.pk), match.state == Match.State.PLAYING)


def replay_at(hill: Hill, place: str, may_be_in_play: bool = True) -> bytes | None:
    """Return the same of the replay at a place below the hill's folder."""
    if may_be_in_play and (found := _stat(hill, place + PART)) is not None:
        return _begun(hill, place + PART, *found)
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
def _begun(hill: Hill, place: str, changed: int, size: int) -> bytes | None:
    """Return the replay of a match in play; None while it is empty, or if it has no frames."""
    try:
        data = read_beneath(hill.folder, place)
    except OSError:
        return None
    header = next(members(io.BytesIO(data)), None)
    if header is None or orjson.loads(zlib.decompress(data[: header[1]], 31)).get("frames") is False:
        return None
    return data
