"""The files by which a folder says that it is a bot, and how far koth reads what authors have written."""

from __future__ import annotations

from pathlib import Path

MANIFEST, COMMANDS = "koth.toml", "command.txt"
MARKS = (MANIFEST, COMMANDS)
"""A folder with one of these says by itself that it is a bot."""
BEGINNING = 1 << 20
"""Bytes of a source or a script within which it must say what it is."""


def read_beginning(file: Path) -> str:
    """Return the text of a file as far as koth reads it. Raises OSError."""
    with open(file, "rb") as data:
        return data.read(BEGINNING).decode("utf-8", "replace")
