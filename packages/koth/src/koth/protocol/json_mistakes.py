"""Mistakes in messages that should be JSON: why a line is not valid JSON.

Descriptions are for the bot's author and name the position. `kind` is the key of its remedy in
`diagnostics/hints.py`.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple, NoReturn

SHOWN = 40
"""Characters of a message that are shown around a mistake."""


class Mistake(NamedTuple):
    """A mistake in a message: its kind, and plain words."""

    kind: str
    text: str


class _Syntax(NamedTuple):
    """A kind of mistake, found by a pattern of the text from the first position that is not valid JSON.

    `before` is a pattern for the end of the text before that position.
    """

    kind: str
    here: str
    text: str
    before: str = ""


LITERALS = "True|False|TRUE|FALSE|None|nil|null|undefined|NULL|Null"
VALUE = r"[:\[,]\s*"
"""A pattern of what precedes a value."""
SYNTAX = (
    _Syntax("trailing comma", r",\s*[}\]]", "a comma stands before a closing bracket"),
    _Syntax("trailing comma", r"[}\]]", "a comma stands before a closing bracket", r",\s*"),
    _Syntax("line break", r'("[^"]*)?$', "it ends in the middle, and a message is one line"),
    _Syntax("two messages", r"[{\[]", "two messages are in one line", r"[}\]]\s*"),
    _Syntax("comment", r"//|/\*|#", "it has a comment, and JSON has none"),
    _Syntax("single quotes", r"'", "a key or text has single quotes, and JSON has double ones"),
    _Syntax("curly quotes", "[\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb]", 'its quotes are not the plain ones (")'),
    _Syntax("escaped", r'\\+"', "its quotes have a backslash: it was written as a text within a text"),
    _Syntax("backslash", r"\\", "a backslash in a text begins an escape that JSON lacks"),
    _Syntax("key", r"[\w.$][\w.$-]*\s*[:=]", "a key has no double quotes", r"[{,]\s*"),
    _Syntax("constant", r"(?i)[-+]?(?:nan|inf(?:inity)?)\b", "it has NaN or Infinity, which JSON lacks"),
    _Syntax("literal", rf"(?:{LITERALS})\b", "JSON's words are true, false and null, in small letters", VALUE),
    _Syntax("colon", r"=>?", "no colon stands between a key and its value", r'"\s*'),
    _Syntax("number", r"[+.]?\d|\.|[xX][\da-fA-F]", "a number is not written as in JSON", rf"(?:{VALUE}[-+]?|\d)"),
    _Syntax("control", r"[\x00-\x1f]", "a text holds a line end, a tab or another control character as it is"),
    _Syntax("text", r"\w+", "a text has no double quotes", VALUE),
    _Syntax("behind", r".", "more stands behind the message", r"[}\]]\s*"),
)
"""Mistakes in order: the first that fits counts."""
HUGE = Mistake("huge", "not JSON that can be read: a number is larger than 1.8e308")
MOST_BEFORE = 64
"""The number of characters before a mistake that are examined."""
COLOUR = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")


def find_mistake(message: bytes) -> Mistake | None:
    """Return the mistake in a line that is not JSON; None if no known mistake explains it."""
    if (mistake := find_mistake_in_bytes(message)) is not None:
        return mistake
    text = message.decode("utf-8").strip()
    if not text.startswith(("{", "[")):
        return None
    try:
        json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        return _find_syntax_mistake(text, error.pos)
    except _Constant as error:
        return Mistake("constant", f"not JSON: it has {error}, which JSON lacks")
    except RecursionError:
        return Mistake("deep", "not JSON that can be read: too many lists or objects within each other")
    except ValueError:
        return HUGE
    if re.search(r"\\u[dD][89a-fA-F]", text):
        return Mistake("half", r"not JSON: it has half a character: \ud800 to \udfff stand in pairs only")
    return HUGE if re.search(r"\d{300}|\d[eE]\+?\d{3}", text) else None


def find_mistake_in_bytes(message: bytes) -> Mistake | None:
    """Return the problem with the bytes of a line in any protocol: another encoding, colours; None if none."""
    if message.startswith((b"\xff\xfe", b"\xfe\xff")) or message.count(0) * 3 > len(message) > 1:
        return Mistake("UTF-16", "not UTF-8 but UTF-16")
    if 0 in message:
        return Mistake("NUL", f"it has the character U+0000, after {_end(message[: message.index(0)])}")
    if (found := COLOUR.search(message)) is not None:
        return Mistake("colours", f"it has codes for colours, such as {found[0].decode()!r}")
    try:
        message.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = message[error.start]
        return Mistake("Latin-1", f"not UTF-8: the byte 0x{byte:02X} after {_end(message[: error.start])}")
    return None


def describe_type(value: Any) -> str:
    """Return the type of a JSON value, in the words of messages."""
    if isinstance(value, str):
        return f"the text {_shorten(json.dumps(value, ensure_ascii=False))}"
    if isinstance(value, list):
        return "a list"
    return "an object" if isinstance(value, dict) else _shorten(json.dumps(value))


def _find_syntax_mistake(text: str, at: int) -> Mistake | None:
    before = text[max(0, at - MOST_BEFORE) : at]
    for mistake in SYNTAX:
        if re.match(mistake.here, text[at:]) and re.search(f"(?:{mistake.before})$", before):
            return Mistake(mistake.kind, f"not JSON: {mistake.text}, after {_end(text[:at].encode())}")
    return None


class _Constant(Exception):
    """Raised when a word such as NaN is not JSON."""


def _refuse(word: str) -> NoReturn:
    raise _Constant(word)


def _end(before: bytes) -> str:
    """Return the end of the text before a mistake."""
    text = before.decode("utf-8", "replace")
    return repr(text if len(text) <= SHOWN else f"...{text[-SHOWN:]}") if text.strip() else "its beginning"


def _shorten(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
