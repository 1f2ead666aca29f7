"""Letters for seats, used in text notations and terminals."""

from __future__ import annotations


def seat_letters(seat: int) -> str:
    """Return A, B, ... Z, AA, AB ... for seats from 0 on."""
    letters = ""
    seat += 1
    while seat:
        seat, letter = divmod(seat - 1, 26)
        letters = chr(65 + letter) + letters
    return letters
