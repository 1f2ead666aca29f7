"""Replays for spectators: complete after a match; during the match, the written part."""

from __future__ import annotations

import functools
import io
import zlib

import orjson

from koth.contest.results import replay_place
from koth.errors import KothError
from koth.files.beneath import read_beneath
from koth.replay.gzip_members import members
from koth.replay.names import PART, match_name
from koth.viewer.frame_cache import read_with_frames
from koth.viewer.summary import MatchSummary, read_match
from koth_hill.connection import Hill
from koth_hill.models import Match

WATCHED_STATES = (Match.State.PLAYING, Match.State.PLAYED, Match.State.VOID)
"""States of matches whose replays may be seen."""


def can_be_watched(hill: Hill, match: Match) -> bool:
    """Return whether spectators may see a replay of this match."""
    found = summary_at(hill, match.pk) if match.state in WATCHED_STATES else None
    return found is not None and found.can_be_shown


def summary_at(hill: Hill, number: int) -> MatchSummary | None:
    """Return header and result of a replay in a hill's folder; None if there is no readable replay yet."""
    try:
        return read_match(match_name(number), hill.folder / replay_place(number), hill.folder)
    except (KothError, OSError):
        return None


def replay_of(hill: Hill, match: Match) -> bytes | None:
    """Return the part of a match's replay that spectators may see; None if there is no such part."""
    if match.state not in WATCHED_STATES:
        return None
    return replay_at(hill, replay_place(match.pk), match.state == Match.State.PLAYING)


def replay_at(hill: Hill, place: str, may_be_in_play: bool = True) -> bytes | None:
    """Return the part of a replay that spectators may see, by the replay's path below the hill's folder."""
    if may_be_in_play and (found := _stat(hill, place + PART)) is not None:
        return _read_begun(hill, place + PART, *found)
    found = _stat(hill, place)
    return None if found is None else _read_whole(hill, place, *found)


def _stat(hill: Hill, place: str) -> tuple[int, int] | None:
    """Return the modification time and size of a file; None if the file does not exist."""
    try:
        stat = (hill.folder / place).lstat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size


@functools.lru_cache(16)
def _read_whole(hill: Hill, place: str, changed: int, size: int) -> bytes | None:
    """Return a replay with its frames; None if that fails. `changed` and `size` only key the cache."""
    try:
        if read_match(place, hill.folder / place, hill.folder).has_frames:
            return read_beneath(hill.folder, place)
        return read_with_frames(hill.folder / place, hill.folder)
    except (KothError, OSError):
        return None


@functools.lru_cache(16)
def _read_begun(hill: Hill, place: str, changed: int, size: int) -> bytes | None:
    """Return the replay of a match in play; None if the replay is missing, empty, or without frames."""
    try:
        data = read_beneath(hill.folder, place)
    except OSError:
        return None
    header = next(members(io.BytesIO(data)), None)
    if header is None or orjson.loads(zlib.decompress(data[: header[1]], 31)).get("frames") is False:
        return None
    return data
