"""Errors in a person's input, each one line that names the file, the key and the valid choices."""

from __future__ import annotations

import difflib
import re
import shutil
import textwrap
import unicodedata
from collections.abc import Iterable
from typing import TextIO

LONGEST_SUGGESTED = 100
"""The longest name, in characters, that gets suggestions: the time grows with the square of the length."""


class KothError(Exception):
    """Raised for an error that koth shows as one line; the command line then ends with exit code 2."""


class BotError(KothError):
    """Raised when a bot can't be loaded or started; the text is for the bot's host."""


class GameError(KothError):
    """Raised when a game does not exist, or its code has a mistake."""


class SettingsError(KothError, ValueError):
    """Raised when settings can't be played."""


def choices(word: str, valid: Iterable[str]) -> str:
    """Return the end of a message about an unknown word: the nearest valid word, and all valid words."""
    valid = list(valid)
    close = difflib.get_close_matches(
        word[:LONGEST_SUGGESTED], [name for name in valid if len(name) <= LONGEST_SUGGESTED], 1
    )
    return (f"; did you mean {close[0]}?" if close else "") + f" (there are: {', '.join(valid)})"


def visible(text: str, keep: str = "") -> str:
    """Return a stranger's text with control, format, bidirectional and line-breaking characters as escapes."""
    if text.isprintable():
        return text
    return "".join(
        c if c in keep or (unicodedata.category(c)[0] != "C" and c not in "\u2028\u2029") else repr(c)[1:-1]
        for c in text
    )


def at_words(text: str, out: TextIO) -> str:
    """Return the text with lines broken between words, if `out` is a terminal; indents are kept."""
    if not out.isatty():
        return text
    width = shutil.get_terminal_size().columns
    return "\n".join(_wrap(line, width) if len(line) > width else line for line in text.split("\n"))


QUOTED_WORD = re.compile(r"""(?<!\S)'[^']*'(?:"'"'[^']*')*""")
"""A word that is quoted for a shell, as `shlex.quote` does it."""


def _wrap(line: str, width: int) -> str:
    indent = line[: len(line) - len(line.lstrip())]
    whole = QUOTED_WORD.sub(lambda word: word[0].replace(" ", "\0"), line)  # a command must stay whole
    wrapped = textwrap.fill(
        whole,
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
    )
    return wrapped.replace("\0", " ")
