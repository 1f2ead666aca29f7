"""Python files that define a class `Bot` for koth's adapter, as opposed to programs.

Only the text of a file decides, so Python versions and errors do not matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from koth.build.bot_files import MANIFEST, read_beginning
from koth.errors import BotError

BOT_CLASS = "Bot"
TEXT_PATTERN = re.compile(
    r"""(?P<quotes>"{3}|'{3})(?:\\.|(?!(?P=quotes)).)*+(?P=quotes)?|"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])*+'?|\#[^\n]*""",
    re.DOTALL,
)
"""String literals and comments."""
GOES_ON = re.compile(r"\s|[)\]}]|(?:else|elif|except|finally|case)\b|$")
"""The beginning of a line that continues the previous statement."""
DEFINED = re.compile(r"(?:async +)?(?:def|class) +(\w+)")
IMPORTED = re.compile(r"(?:import|from)\b[^;]*")
IMPORTED_NAMES = re.compile(r"from\b[^;]*?\bimport\b([^;]*)")
ENTRY_NAME = re.compile(rf"\b{BOT_CLASS}\b(?!\s+as\b)")
READS = re.compile(r"\b(?:stdin|fileinput)\b|\binput\s*\(|\b(?:open|read)\s*\(\s*0\b")
"""Code that reads koth's messages."""
RUNS = re.compile(rf"\b{BOT_CLASS}\b|\b__name__\s*==")
"""Names in a statement that may start a program."""


def is_class(file: Path) -> bool:
    """Return whether a file defines a class `Bot`, or only imports `Bot`, and is not a program.

    Raises BotError if the text is ambiguous.
    """
    text = TEXT_PATTERN.sub(
        lambda found: "''" + "\n" * found[0].count("\n"), read_beginning(file).replace("\r\n", "\n")
    )
    defined, run, is_imported = {}, [], False
    for line, statement in _statements(text):
        if definition := DEFINED.match(statement):
            defined[definition[1]] = statement
        else:
            names = IMPORTED_NAMES.match(statement)
            is_imported = is_imported or (names is not None and ENTRY_NAME.search(names[1]) is not None)
            run.append((line, IMPORTED.sub("", statement, count=1)))
    if BOT_CLASS not in defined:
        return is_imported and not any(statement.strip("' \n") for _, statement in run)
    left, starts = dict(defined), []
    for line, statement in run:
        text = _take_definitions(statement, left)
        if READS.search(text):
            return False
        starts += [line] if RUNS.search(text) else []
    if starts:
        raise BotError(
            f"{file}: koth's adapter could call its class {BOT_CLASS}, but line {starts[0]} runs something by "
            f"itself; the {MANIFEST} in its folder must say which is meant: "
            f'protocol = "python" or command = "python {file.name}"'
        )
    return True


def is_program(file: Path) -> bool:
    """Return whether a file reads koth's messages and defines no class."""
    text = TEXT_PATTERN.sub("", read_beginning(file))
    return READS.search(text) is not None and not re.search(r"^[^\S\n]*class\b", text, re.MULTILINE)


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Yield the number of the first line, and the text, of each top-level statement."""
    begun, lines = 1, list[str]()
    for number, line in enumerate(text.split("\n"), 1):
        if lines and not GOES_ON.match(line):
            yield begun, "\n".join(lines)
            lines = []
        if not lines:
            begun = number
        lines.append(line)
    yield begun, "\n".join(lines)


def _take_definitions(text: str, left: dict[str, str]) -> str:
    """Return a text and all definitions that it mentions, directly or indirectly; remove these from `left`."""
    parts = [text]
    for part in parts:
        parts += [left.pop(name) for name in dict.fromkeys(re.findall(r"\w+", part)) if name in left]
    return "\n".join(parts)
