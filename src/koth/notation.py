"""Text notations of matches: what those of all games share, and the one of games that have none of their own.

A notation is lines: of words and numbers, and of boards, a word for each square. What can't be read is told with
the number of its line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from koth.question import Array

NOTHING = "."
"""A square of which there is nothing to say."""


class Line(NamedTuple):
    """A line that is not blank: its number, from 1 on, its words, and all of it."""

    number: int
    words: list[str]
    text: str


def lines_of(text: str) -> list[Line]:
    """The lines of a text, blank ones left out."""
    numbered = (Line(number, line.split(), line) for number, line in enumerate(text.splitlines(), 1))
    return [line for line in numbered if line.words]


@contextmanager
def reading(line: int, words: str = "") -> Iterator[None]:
    """What can't be read in here stands in this line: raises ValueError that says so, in these words first."""
    try:
        yield
    except (ValueError, LookupError, OverflowError) as error:
        raise ValueError(f"line {line}: {words}{error}") from None


def numbers(words: Sequence[str], count: int | None = 1, below: int = 2**31) -> list[int]:
    """The whole numbers behind the first of these words, so many of them (None: any). Raises ValueError."""
    if any(not word.isdecimal() or int(word) >= below for word in words[1:]):
        raise ValueError(f"{words[0]!r} takes whole numbers below {below}")
    if count is not None and len(words) != count + 1:
        raise ValueError(f"{words[0]!r} takes {count} number{'s'[: count != 1]}, not {len(words) - 1}")
    return [int(word) for word in words[1:]]


def same_width(row: Sequence[Any], rows: Sequence[Sequence[Any]]) -> None:
    """Raises ValueError for a row of a board that is not as long as the first one."""
    if rows and len(row) != len(rows[0]):
        raise ValueError(f"{len(row)} squares, the first row has {len(rows[0])}")


def side_of(rows: Sequence[Sequence[Any]]) -> int:
    """Squares along one edge of a board. Raises ValueError if it is no square."""
    if not rows or len(rows) != len(rows[0]):
        raise ValueError(f"the board must be square, not {len(rows)} rows of {len(rows[0]) if rows else 0}")
    return len(rows)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """A board's rows as lines with its columns below one another."""
    width = max((len(square) for row in rows for square in row), default=0)
    return [" ".join(square.ljust(width) for square in row).rstrip() for row in rows]


# --- games without a notation of their own


def show_state(state: Any, match: int) -> str:
    """Every array of one match: a line with its name and values; a board's shape, and a line for each of its rows."""
    lines = []
    for name, array in zip(state._fields, state, strict=True):
        values = array[match]
        if values.ndim < 2:
            lines.append(" ".join([name, *map(str, np.atleast_1d(values + 0 if values.dtype == bool else values))]))
            continue
        rows = (values + 0).reshape(-1, values.shape[-1]).tolist()
        lines.append(" ".join([name, *map(str, values.shape)]))
        lines += aligned([["", *(NOTHING if value == 0 else str(value) for value in row)] for row in rows])
    return "\n".join(lines) + "\n"


def parse_state(text: str, like: Any) -> Any:
    """A state of one match, as `show_state` wrote it; fields and dtypes are those of `like`.

    Raises ValueError that names the line, or what is missing.
    """
    rest = lines_of(text)
    found: dict[str, Array] = {}
    while rest:
        line = rest.pop(0)
        name = line.words[0]
        with reading(line.number):
            if name not in like._fields or name in found:
                raise ValueError(f"{name!r} is there twice, or none of {', '.join(like._fields)}")
            old = getattr(like, name)
            shape = tuple(numbers(line.words, old.ndim - 1)) if old.ndim > 2 else ()
        rows = [rest.pop(0) for _ in range(min(len(rest), int(np.prod(shape[:-1]))))] if shape else [line]
        values = [_values(row.number, row.words[0 if shape else 1 :], old.dtype) for row in rows]
        with reading(line.number):
            array = np.array(values, old.dtype).reshape(shape or ((-1,) if old.ndim == 2 else ()))
        found[name] = array[None]
    missing = [name for name in like._fields if name not in found]
    if missing:
        raise ValueError(f"there is no {', '.join(missing)}")
    return type(like)(**found)


def _values(line: int, words: Sequence[str], dtype: np.dtype[Any]) -> list[Any]:
    with reading(line):
        plain = [0 if word == NOTHING else float(word) if dtype.kind == "f" else int(word) for word in words]
        return np.array(plain, dtype).tolist()  # type: ignore[no-any-return]
