"""The languages that koth knows how to start, and the programs that run them."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from koth.bots.manifest import BotError, is_there


@dataclass(frozen=True)
class Language:
    """How a main file of this ending is run."""

    name: str
    program: str
    package: str


LANGUAGES = {
    ".py": Language("python", "python", "python3"),
    ".js": Language("javascript", "node", "nodejs"),
    ".mjs": Language("javascript", "node", "nodejs"),
}
"""Recognised main files: `bot` and one of these endings, or the only such file of a folder."""


@dataclass(frozen=True)
class Interpreters:
    """What `python` in a command means."""

    python: str = sys.executable


def program_of(word: str, folder: Path, interpreters: Interpreters) -> str:
    """The program a word of a command means. Raises BotError when there is none."""
    if word in ("python", "python3"):
        return interpreters.python
    if "/" in word:
        return str(folder / word) if not os.path.isabs(word) else word
    found = shutil.which(word)
    if found:
        return found
    if is_there(folder / word):
        return str(folder / word)
    package = next((f" (Debian: {lang.package})" for lang in LANGUAGES.values() if lang.program == word), "")
    raise BotError(f"{folder}: the program {word!r} is not installed{package}")
