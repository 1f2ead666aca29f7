"""The files that mark a folder as a bot, and the limit on reading sources."""

from __future__ import annotations

from pathlib import Path

MANIFEST, COMMANDS = "koth.toml", "command.txt"
MARKS = (MANIFEST, COMMANDS)
"""Files that each mark their folder as a bot."""
BEGINNING = 1 << 20
"""Bytes of a source or a script in which koth looks for declarations."""


def read_beginning(file: Path) -> str:
    """Return the text of a file up to the limit. Raises OSError."""
    with open(file, "rb") as data:
        return data.read(BEGINNING).decode("utf-8", "replace")
