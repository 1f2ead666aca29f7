"""Text of strangers (names of bots and files, words of faults) as text and nothing else, by where it is shown.

What goes to a terminal is made by `koth.errors.visible`, which the functions here use, too.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import Any
from urllib.parse import quote

from koth.errors import visible

FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")
"""First characters that make a formula of a spreadsheet's cell."""
MARKS = re.compile(r"[\\`*_\[\]<>|&~]")
"""Characters that Markdown takes for its own."""
QUOTED = re.compile(r"[^ -~]|['\\]")
"""Characters that stand as `\\xNN` in a word that is quoted as `$'...'`."""


def csv_cell(value: Any) -> Any:
    """Return a value as a spreadsheet's cell that is no formula; numbers stay numbers."""
    if not isinstance(value, str):
        return value
    return f"'{visible(value)}" if FORMULA.match(value) else visible(value)


def markdown(text: str) -> str:
    """Return text for a line or a cell of Markdown, in which nothing is a mark, a tag, an entity or a link."""
    return MARKS.sub(r"\\\g<0>", visible(text))


def address(place: str, base: str = "./") -> str:
    """Return the address of a file below `base`: its name adds no scheme, host, query or fragment to it."""
    return f"{base}{quote(os.fsencode(place))}"


def shell_word(text: str | Path) -> str:
    """Return a word of a shell's command line, which can be typed as it is printed; a path never begins with `-`."""
    plain = f"./{text}" if isinstance(text, Path) and str(text).startswith("-") else str(text)
    if visible(plain) == plain:
        return shlex.quote(plain)
    return f"$'{''.join(map(_of_shell, os.fsencode(plain).decode('latin-1')))}'"


def positional(text: str) -> str:
    """Return a word that is no option, whatever it begins with; options have to stand before it where it does."""
    return f"-- {shell_word(text)}" if text.startswith("-") else shell_word(text)


def _of_shell(byte: str) -> str:
    return f"\\x{ord(byte):02x}" if QUOTED.match(byte) else byte
