"""The record of a study: files in the study's folder, written atomically."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from koth.errors import KothError
from koth.files.beneath import read_beneath, write_beneath
from koth.files.shape import find_mismatch, read_json

AUTHORS, ARENA, BOT, FILES = "authors", "arena", "bot", "files"
CONTEST, MEASURES = "contest", "measures"
STUDY, BOTS, ROUND, TURN, LOG, WHY = "study.json", "bots.json", "round.json", "turn.json", "log.txt", "why.txt"
ATTEMPTS = "attempts.json"
LARGEST_FILE = 1 << 26
"""The largest size of a JSON file in bytes."""
STUDY_SHAPE: Mapping[str, Any] = {"secret": str, "begun": str, "constants": {}}
ROUND_SHAPE: Mapping[str, Any] = dict.fromkeys(("koth", "isolation", "author_isolation", "begun", "ended"), str)
"""The types of values in the files (see `koth.files.shape`)."""


def write_file(folder: Path, place: str, content: Mapping[str, Any] | list[Any]) -> None:
    """Write a JSON file. Raises OSError."""
    with write_beneath(folder, place) as file:
        file.write(f"{json.dumps(content, indent=2)}\n".encode())


def read_file(folder: Path, place: str, shape: Mapping[Any, Any]) -> Any:
    """Read a JSON file, and check its content against `shape`. Raises KothError."""
    try:
        found = read_json(read_beneath(folder, place, LARGEST_FILE))
    except OSError as error:
        raise KothError(f"{error.filename or folder / place}: {error.strerror}") from None
    except ValueError as error:
        raise KothError(f"{folder / place}: {error}") from None
    if wrong := find_mismatch(found, shape):
        raise KothError(f"{folder / place}: not what koth has written there: {wrong}")
    return found
