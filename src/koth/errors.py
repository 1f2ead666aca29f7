"""What a person did that can't work, told in one line that names the file, the key and the valid choices."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable


class KothError(Exception):
    """Shown as one line; the command line then ends with exit code 2."""


class SettingsError(KothError, ValueError):
    """Settings that can't be played."""


def choices(word: str, valid: Iterable[str]) -> str:
    """The end of a message about a word that is not among the valid ones: the nearest, and all of them."""
    valid = list(valid)
    close = difflib.get_close_matches(word, valid, 1)
    return (f"; did you mean {close[0]}?" if close else "") + f" (there are: {', '.join(valid)})"


def visible(text: str, keep: str = "") -> str:
    """Text of a stranger's, with control, format, bidirectional and line-breaking characters as escapes."""
    return "".join(
        c if c in keep or (unicodedata.category(c)[0] != "C" and c not in "\u2028\u2029") else repr(c)[1:-1]
        for c in text
    )
