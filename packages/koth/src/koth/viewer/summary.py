"""Summaries of replays for lists of matches, without frames: the header and, if complete, the result."""

from __future__ import annotations

import contextlib
import os
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from koth.contest.reading import MatchReader
from koth.files.bounded_read import LINK
from koth.replay.gzip_members import LARGEST_MEMBER, members
from koth.replay.names import PART, REPLAYS, RUN_FILE, SUFFIX, match_name
from koth.replay.reader import ReplayError, check_header, open_replay, read_end, read_header

LAST_MEMBERS = 3
"""The number of a replay's last whole gzip members to search for the last turn: the last two may be result and
key."""


@dataclass(frozen=True)
class MatchSummary:
    """The summary of one replay. `result` is None during the match, and if the match was interrupted."""

    name: str
    path: Path
    header: dict[str, Any]
    result: dict[str, Any] | None
    top: Path | None = None
    """The folder in which the replay was found; links below this folder are not followed."""

    @property
    def file(self) -> Path:
        """The replay's current path, which loses the ending `.part` after the match."""
        part = self.path.with_name(self.path.name + PART)
        return part if not self.path.exists() and part.exists() else self.path

    @property
    def has_frames(self) -> bool:
        """True if the replay has frames; otherwise frames can be restored after the match."""
        return self.header.get("frames") is not False

    @property
    def can_be_shown(self) -> bool:
        """True if the replay has frames, or frames can be restored now."""
        return self.has_frames or self.result is not None


def find_matches(path: Path, known: Mapping[str, MatchSummary] | None = None) -> list[MatchSummary]:
    """Return the matches of one replay or of a run's folder, sorted by name.

    Matches that are `known` to be over are not read again. In a folder, matches that can't be read (such as matches
    that have just begun), or whose names are not UTF-8, are left out. Raises ReplayError if there is nothing to
    watch; a run may have no match yet.
    """
    if not path.is_dir():
        whole = path.with_name(path.name.removesuffix(PART))
        return [read_match(whole.name.removesuffix(SUFFIX), whole)]
    top, is_run = path, os.path.lexists(path / RUN_FILE)
    path = path / REPLAYS if os.path.lexists(path / REPLAYS) else path
    if path.is_symlink() and path != top:
        raise ReplayError(f"{path}: {LINK}")
    names = {found.relative_to(path).as_posix().removesuffix(PART) for found in path.rglob(f"*{SUFFIX}*")}
    replays = sorted((name for name in names if name.endswith(SUFFIX) and _is_text(name)), key=_order)
    if not replays and not is_run:
        raise ReplayError(f"{path}: no replay (*{SUFFIX}) in this folder")
    matches, problems = [], []
    for name in replays:
        before = (known or {}).get(name.removesuffix(SUFFIX))
        try:
            is_over = before is not None and before.result is not None
            matches.append(before if is_over and before else read_match(name.removesuffix(SUFFIX), path / name, top))
        except ReplayError as error:
            problems.append(error)
    if problems and not matches and not is_run:
        raise problems[0]
    return matches


def read_recorded(reader: MatchReader, known: Mapping[str, MatchSummary] | None = None) -> list[MatchSummary]:
    """Return a reader's recorded matches with a replay, by number.

    `known` matches are not read again; matches that can't be read are left out.
    """
    matches = []
    for number in [row.number for row in reader.matches() if row.replay]:
        match = (known or {}).get(match_name(number))
        with contextlib.suppress(ReplayError):
            if match is None and (path := reader.replay(number)) is not None:
                match = read_match(match_name(number), path)
        matches += [] if match is None or match.result is None else [match]
    return matches


def _is_text(name: str) -> bool:
    """Return whether a file's name is UTF-8: pages can't refer to other names."""
    return os.fsencode(name) == name.encode("utf-8", "replace")


def _order(name: str) -> list[tuple[int, str]]:
    """Return a sort key that compares numbers in names as numbers: match-9 comes before match-10."""
    return [(int(word), "") if word.isdecimal() else (0, word) for word in re.split(r"(\d+)", name)]


def read_match(name: str, path: Path, top: Path | None = None) -> MatchSummary:
    """Read the header and result of a replay, finished or not; for `top` see `open_replay`. Raises ReplayError."""
    part = path.with_name(path.name + PART)
    try:
        with open_replay(path if path.exists() or not part.exists() else part, top) as file:
            header = read_header(file, list(islice(members(file), 1)))
            result, _ = read_end(file)
    except OSError as error:
        raise ReplayError(f"{path}: {error.strerror}") from None
    return MatchSummary(name, path, check_header(header, path), result, top)


def last_turn(file: Path) -> int | None:
    """Return the last turn of a replay, finished or not; None without a turn."""
    try:
        with open_replay(file) as replay:
            whole = list(members(replay))
            rest = (sum(whole[-1]) if whole else 0, LARGEST_MEMBER)
            for start, size in reversed([*whole[-LAST_MEMBERS:], rest]):
                replay.seek(start)
                turn = _turn_of(replay.read(size))
                if turn is not None:
                    return turn
    except OSError:
        pass  # the replay has just been renamed
    return None


def _turn_of(member: bytes) -> int | None:
    """Return the turn of the last whole line in a gzip member, which may be incomplete."""
    try:
        lines = zlib.decompressobj(31).decompress(member, LARGEST_MEMBER).rpartition(b"\n")[0]
        line = orjson.loads(lines.rpartition(b"\n")[2])
    except (zlib.error, ValueError):
        return None
    turn = line.get("turn") if isinstance(line, dict) else None
    return turn if isinstance(turn, int) else None
