"""Files that only a bot's author may read: the stderr and notes of each bot and match."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from koth.contest.reading import BotLog
from koth.errors import KothError
from koth.files.beneath import read_beneath, remove_beneath, write_beneath
from koth.files.shape import read_json
from koth.match import BotReport
from koth.replay.names import match_name
from koth.sandbox.failures import check_shortage
from koth.session.stderr import format_turn_offsets, split_by_turn

PRIVATE_FILES = (("stderr", ".txt"), ("stderr", ".turns"), ("notes", ".jsonl"))
"""The folder and ending of each private file."""
LARGEST_PRIVATE_FILE = 1 << 28
"""The largest size of a private file in bytes."""


def write_private(folder: Path, number: int, records: Mapping[str, BotReport]) -> None:
    """Write stderr and notes of the bots of one match to the run's folder.

    In `stderr/MATCH/`: `NAME.txt`, and `NAME.turns` with a line for each turn in which the bot wrote: turn, byte. In
    `notes/MATCH/`: `NAME.jsonl`, with a line for each note, `{"turn": t, "note": JSON}`, and each answer's drawings,
    `{"turn": t, "draw": [...]}` (see `koth.protocol.drawings`), plus a text `"lost"` if drawings were dropped. Raises
    KothError.
    """
    try:
        for name, record in records.items():
            if record.stderr:
                _write(folder, _place("stderr", number, name, ".txt"), record.stderr)
                _write(
                    folder,
                    _place("stderr", number, name, ".turns"),
                    format_turn_offsets(record.turn_offsets).encode("ascii"),
                )
            if lines := [orjson.dumps(line) for line in _note_lines(record)]:
                _write(folder, _place("notes", number, name, ".jsonl"), b"\n".join([*lines, b""]))
    except OSError as error:
        check_shortage(error)
        raise KothError(f"{error.filename or folder}: {error.strerror}") from None


def _note_lines(record: BotReport) -> list[dict[str, Any]]:
    notes: list[dict[str, Any]] = [{"turn": turn, "note": note} for turn, note in record.notes]
    drawn = [{"turn": turn, "draw": kept, **({"lost": lost} if lost else {})} for turn, kept, lost in record.drawings]
    return sorted([*notes, *drawn], key=lambda line: line["turn"])


def _place(kind: str, number: int, bot: str, ending: str) -> str:
    return f"{kind}/{match_name(number)}/{file_name(bot)}{ending}"


def _write(folder: Path, place: str, data: bytes) -> None:
    with write_beneath(folder, place) as file:
        file.write(data)


def _read(folder: Path, place: str) -> bytes | None:
    """Return the content of a file; None if it does not exist. Raises OSError."""
    try:
        return read_beneath(folder, place, LARGEST_PRIVATE_FILE)
    except FileNotFoundError:
        return None


def read_notes(folder: Path, number: int, bot: str) -> list[dict[str, Any]]:
    """Return a bot's notes and drawings in a match, by line (see `write_private`); `folder` is the run's.

    Raises KothError.
    """
    place = _place("notes", number, bot, ".jsonl")
    file = folder / place
    try:
        found = [read_json(line) for line in (_read(folder, place) or b"").splitlines()]
    except OSError as error:
        raise KothError(f"{error.filename or file}: {error.strerror}") from None
    except ValueError as error:
        raise KothError(f"{file}: {error}") from None
    for line in found:
        is_turn = isinstance(line, dict) and isinstance(line.get("turn"), int)
        if not is_turn or not ("note" in line or isinstance(line.get("draw"), list)):
            raise KothError(f"{file}: a line that is not a note")
    return found


def read_stderr(folder: Path, number: int, bot: str) -> list[tuple[int | None, bytes]]:
    """Return a bot's stderr in a match, by turn (from 1; 0: while starting); `folder` is the run's.

    The turn is None if unknown; the list is empty without stderr. Raises KothError.
    """
    try:
        text = _read(folder, _place("stderr", number, bot, ".txt"))
        if text is None:
            return []
        offsets = _read(folder, _place("stderr", number, bot, ".turns")) or b""
        return split_by_turn(text, offsets.decode("ascii", "replace"))
    except OSError as error:
        raise KothError(f"{error.filename or folder}: {error.strerror}") from None


def read_log(folder: Path, number: int, bot: str) -> BotLog:
    """Return a bot's stderr, notes and drawings in a match; `folder` is the run's. Raises KothError."""
    return BotLog(read_stderr(folder, number, bot), read_notes(folder, number, bot))


def copy_private(folder: Path, to: Path, number: int, bot: str) -> None:
    """Copy a bot's private files of a match from the run's folder to another folder. Raises OSError."""
    for kind, ending in PRIVATE_FILES:
        place = _place(kind, number, bot, ending)
        if (data := _read(folder, place)) is not None:
            _write(to, place, data)


def remove_private(folder: Path, number: int, bot: str) -> None:
    """Remove a bot's stderr and notes of a match; `folder` is the run's. Raises KothError."""
    try:
        for kind, ending in PRIVATE_FILES:
            remove_beneath(folder, _place(kind, number, bot, ending))
    except OSError as error:
        raise KothError(f"{error.filename or folder}: {error.strerror}") from None


def file_name(name: str) -> str:
    """Return a bot's name as a file name: escape characters with %, except letters, digits, dot, dash and underscore.

    A name that is too long for a file is cut, and a digest appended.
    """
    safe = re.sub(r"[^A-Za-z0-9._-]", lambda m: "".join(f"%{b:02X}" for b in m[0].encode()), name)
    if len(safe) > 120:
        safe = safe[:100] + "-" + hashlib.blake2b(name.encode(), digest_size=8).hexdigest()
    return "%2E" + safe[1:] if safe.startswith(".") else safe
