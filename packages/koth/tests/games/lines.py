"""Lines of words: what the small boards of all games' tests are read from and written as."""

from __future__ import annotations

from collections.abc import Sequence

NOTHING = "."
"""A square of which there is nothing to say."""


def words_of(text: str) -> list[list[str]]:
    """The words of each line that is not blank."""
    return [line.split() for line in text.splitlines() if line.split()]


def halves(text: str) -> tuple[str, str]:
    """Return what stands on the left of the bars of a drawing, and what stands on the right."""
    left, _, right = zip(*(line.partition("|") for line in text.splitlines()), strict=True)
    return "\n".join(left), "\n".join(right)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """A board's rows as lines with its columns below one another."""
    width = max((len(square) for row in rows for square in row), default=0)
    return [" ".join(square.ljust(width) for square in row).rstrip() for row in rows]


def seat_of(letters: str) -> int:
    """Return the seat of these capital letters, as `koth.seat_labels` gives them out."""
    seat = 0
    for letter in letters:
        seat = seat * 26 + ord(letter) - 64
    return seat - 1
