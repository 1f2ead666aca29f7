"""The stderr of a bot: its beginning and its end, and the turn of each part."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

TurnOffset = tuple[int, int]
"""A turn (from 1; 0: while starting), and the position of the turn's first byte in stderr."""
MOST_OFFSETS = 4096
"""The largest number of offsets; beyond this number, offsets in the middle are dropped."""


class Stderr:
    """The beginning and the end of a bot's stderr, `kept` bytes of both, with the offset of each turn."""

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._written = 0
        self._offsets: list[TurnOffset] = []  # positions in everything written, dropped bytes included
        self.head = bytearray()
        self.tail = bytearray()

    def add(self, data: bytes, turn: int = 0) -> None:
        """Add bytes that came in a turn; bytes written after an answer belong to the bot's next turn."""
        if not self._offsets or self._offsets[-1][0] != turn:
            self._offsets.append((turn, self._written))
            if len(self._offsets) > MOST_OFFSETS:
                del self._offsets[MOST_OFFSETS // 2]
        self._written += len(data)
        room = self._kept - len(self.head)
        if room > 0:
            self.head += data[:room]
            data = data[room:]
        self.tail += data
        if len(self.tail) > 2 * self._kept:
            del self.tail[: -self._kept]

    def text(self) -> bytes:
        """Return the kept bytes, with a line where bytes are missing."""
        tail = self.tail[-self._kept :]
        return bytes(self.head) + self._gap() + bytes(tail)

    def _gap(self) -> bytes:
        missing = self._written - len(self.head) - min(len(self.tail), self._kept)
        return f"\n[... {missing} bytes left out ...]\n".encode() if missing else b""

    def turn_offsets(self) -> list[TurnOffset]:
        """Return the turns of `text()`, in order, each with the position of its first byte in `text()`."""
        head, gap = len(self.head), len(self._gap())
        begins = self._written - min(len(self.tail), self._kept)  # the first byte behind the gap
        placed: dict[int, int] = {}  # the last turn of the missing bytes gets the beginning of the tail
        for turn, at in self._offsets:
            placed[at if at < head else head + gap + max(at - begins, 0)] = turn
        return [(turn, place) for place, turn in placed.items()]


def format_turn_offsets(offsets: Sequence[TurnOffset]) -> str:
    """Return offsets as the text of their file: a line each, turn and byte."""
    return "".join(f"{turn} {place}\n" for turn, place in offsets)


def split_by_turn(text: bytes, offsets: str) -> list[tuple[int | None, bytes]]:
    """Cut a text at the offsets of its turns; return the pieces with their turns (None: unknown).

    Inconsistent offsets are ignored.
    """
    try:
        pairs = [(int(turn), int(place)) for turn, place in (line.split() for line in offsets.splitlines())]
    except ValueError:
        pairs = []
    places = [place for _, place in pairs]
    if places != sorted(places) or not all(0 <= place <= len(text) for place in places):
        pairs = []
    ends: list[tuple[int | None, int]] = [(None, 0), *pairs, (None, len(text))]
    return [(turn, text[begin:end]) for (turn, begin), (_, end) in pairwise(ends) if end > begin]
