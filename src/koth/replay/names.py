"""Names of the files and folders that hold replays."""

from __future__ import annotations

SUFFIX = ".koth.gz"
REPLAYS, RUN_FILE = "replays", "run.json"
"""The folder of a run that holds its replays, and the record of the run, beside it."""


def match_name(index: int) -> str:
    """Return the name of a match's files, such as `match-0003`."""
    return f"match-{index:04d}"
