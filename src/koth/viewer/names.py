"""Strangers' text, made fit to be shown in a terminal."""

from __future__ import annotations

import unicodedata


def visible(text: str) -> str:
    """The text with every control, format and line-breaking character written out as an escape."""
    return "".join(
        c if unicodedata.category(c)[0] != "C" and c not in "\u2028\u2029" else repr(c)[1:-1] for c in text
    )
