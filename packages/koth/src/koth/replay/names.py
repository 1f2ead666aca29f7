"""Names of the files and folders that hold replays."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

SUFFIX = ".koth.gz"
PART = ".part"
"""The suffix of a replay that is being written."""
REPLAYS, RUN_FILE = "replays", "run.json"
"""A run's folder of replays, and the file that records the run in the same folder."""


def match_name(number: int) -> str:
    """Return the name of a match's files, such as `match-0003`."""
    return f"match-{number:04d}"


def replay_name(number: int) -> str:
    """Return the name of a match's replay, such as `match-0003.koth.gz`."""
    return f"{match_name(number)}{SUFFIX}"


def match_number(name: str) -> int | None:
    """Return the number of the match whose files have this name; None for any other name."""
    number = name.removeprefix("match-")
    if not (number.isascii() and number.isdigit() and len(number) < 19 and name == match_name(int(number))):
        return None
    return int(number)


def find_unfinished(folder: Path) -> Mapping[int, Path]:
    """Return the replays that are being written below the folder of a run or a hill, by number."""
    found = sorted((folder / REPLAYS).glob(f"*{SUFFIX}{PART}"))
    numbers = (match_number(part.name.removesuffix(SUFFIX + PART)) for part in found)
    return {number: part for number, part in zip(numbers, found, strict=True) if number is not None}
