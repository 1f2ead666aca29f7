"""Escaping of strangers' text (names of bots and files, texts of faults), by the place that shows the text.

`koth.errors.visible` escapes text for terminals; the functions here use it too.
"""

from __future__ import annotations

import csv
import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import quote

from koth.errors import visible

FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")
"""First characters that make a spreadsheet's cell a formula."""
MARKDOWN_SIGNS = re.compile(r"[\\`*_\[\]<>|&~]")
"""Characters that have a meaning in Markdown."""
QUOTED = re.compile(r"[^ -~]|['\\]")
"""Characters that become `\\xNN` in a word that is quoted as `$'...'`."""


def csv_cell(value: Any) -> Any:
    """Return a value as a spreadsheet's cell, never as a formula; numbers stay numbers."""
    if not isinstance(value, str):
        return value
    return f"'{visible(value)}" if FORMULA.match(value) else visible(value)


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    """Return rows as CSV; the first row has the names of the columns."""
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(csv_cell, row) for row in rows)
    return text.getvalue()


def csv_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV, with a column for each key."""
    keys = dict.fromkeys(key for row in rows for key in row)
    return csv_text([keys, *([row.get(key) for key in keys] for row in rows)])


def markdown(text: str) -> str:
    """Return text for a line or a cell of Markdown, without marks, tags, entities or links."""
    return MARKDOWN_SIGNS.sub(r"\\\g<0>", visible(text))


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table in Markdown."""

    def row(cells: Sequence[str]) -> str:
        return "| " + " | ".join(map(markdown, cells)) + " |"

    return [row(head), "| " + " | ".join("---" for _ in head) + " |", *map(row, rows)]


def address(place: str, base: str = "./") -> str:
    """Return the address of a file below `base`: the file's name can add no scheme, host, query or fragment."""
    return f"{base}{quote(os.fsencode(place))}"


def path_word(path: Path) -> str:
    """Return a path as a command's argument that never begins with `-`."""
    return f"./{path}" if str(path).startswith("-") else str(path)


def shell_word(text: str | Path) -> str:
    """Return a word quoted for a shell, as a person can type it; a path never begins with `-`."""
    plain = path_word(text) if isinstance(text, Path) else text
    if visible(plain) == plain:
        return shlex.quote(plain)
    return f"$'{''.join(map(_of_shell, os.fsencode(plain).decode('latin-1')))}'"


def positional(text: str) -> str:
    """Return a word that is never taken for an option; if the word begins with `-`, options must precede it."""
    return f"-- {shell_word(text)}" if text.startswith("-") else shell_word(text)


def _of_shell(byte: str) -> str:
    return f"\\x{ord(byte):02x}" if QUOTED.match(byte) else byte
