"""What a person did that can't work, told in one line that names the file, the key and the valid choices."""

from __future__ import annotations

import difflib
import shutil
import textwrap
import unicodedata
from collections.abc import Iterable
from typing import TextIO

NAME = 100
"""Characters of the longest name that a word may have been meant for: to compare two takes their squares."""


class KothError(Exception):
    """Shown as one line; the command line then ends with exit code 2."""


class SettingsError(KothError, ValueError):
    """Settings that can't be played."""


def choices(word: str, valid: Iterable[str]) -> str:
    """The end of a message about a word that is not among the valid ones: the nearest, and all of them."""
    valid = list(valid)
    close = difflib.get_close_matches(word[:NAME], [name for name in valid if len(name) <= NAME], 1)
    return (f"; did you mean {close[0]}?" if close else "") + f" (there are: {', '.join(valid)})"


def visible(text: str, keep: str = "") -> str:
    """Text of a stranger's, with control, format, bidirectional and line-breaking characters as escapes."""
    if text.isprintable():
        return text
    return "".join(
        c if c in keep or (unicodedata.category(c)[0] != "C" and c not in "\u2028\u2029") else repr(c)[1:-1]
        for c in text
    )


def at_words(text: str, out: TextIO) -> str:
    """The text with lines that end between words where `out` is a terminal; words stay whole, indents are kept."""
    if not out.isatty():
        return text
    width = shutil.get_terminal_size().columns
    return "\n".join(_filled(line, width) if len(line) > width else line for line in text.split("\n"))


def _filled(line: str, width: int) -> str:
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.fill(
        line,
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
    )
