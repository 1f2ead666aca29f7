"""The files that mark a folder as a bot, and the limit on reading sources."""

from __future__ import annotations

from codecs import BOM_UTF8
from pathlib import Path

MANIFEST, COMMANDS = "koth.toml", "command.txt"
MARKS = (MANIFEST, COMMANDS)
"""Files that mark the folder that holds them as a bot."""
BEGINNING = 1 << 20
"""Bytes of a source or a script in which koth looks for declarations."""


def read_beginning(file: Path) -> str:
    """Return the text of a file up to `BEGINNING` bytes, without a byte order mark. Raises OSError."""
    with open(file, "rb") as data:
        return data.read(BEGINNING).removeprefix(BOM_UTF8).decode("utf-8", "replace")


def remove_mark(file: Path) -> None:
    """Remove a byte order mark from koth's own copy of a source: compilers and shells read the mark as a letter."""
    with open(file, "rb") as data:
        if data.read(len(BOM_UTF8)) != BOM_UTF8:
            return
        rest = data.read()
    file.write_bytes(rest)
