"""Gzip members that know their size, one after another in a file: how a replay lies on a disk.

Each header has an extra field `KH` with the size of its member (0 while it is being written), so that a reader can
cut a file into members, and inflate any of them, without inflating the others.
"""

from __future__ import annotations

import contextlib
import os
import struct
import zlib
from collections.abc import Iterator
from typing import BinaryIO

LEVEL = 8
"""Of compression: 9 takes half as much time again for files that are half a percent smaller."""
LARGEST = 1 << 28
"""Bytes of text that a member can have: no replay of koth's comes near, a file made to do harm may."""
MOST = 1 << 17
"""Members of a file: a match of a million turns has fewer."""
LONGEST = 1 << 25
"""Bytes of a line: what JSON stands for takes up to thirty times its room."""

PIECE = 1 << 16
"""Bytes that are inflated at a time where the end of a line is looked for."""

_HEAD = struct.Struct("<4B I 2B H 2B H I")


def _head(size: int) -> bytes:
    """A gzip header with the extra field; its time is 0, its system unknown."""
    return _HEAD.pack(0x1F, 0x8B, 8, 4, 0, 0, 255, 8, ord("K"), ord("H"), 4, size)


class Member:
    """One new member at the end of a file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._start = file.seek(0, os.SEEK_END)
        self._deflate = zlib.compressobj(LEVEL, zlib.DEFLATED, -15, 8, zlib.Z_FILTERED)
        self._crc = 0
        self._size = 0
        file.write(_head(0))

    def write(self, data: bytes) -> None:
        self._crc = zlib.crc32(data, self._crc)
        self._size += len(data)
        self._file.write(self._deflate.compress(data))

    def flush(self) -> None:
        """Make everything written so far readable from the file."""
        self._file.write(self._deflate.flush(zlib.Z_SYNC_FLUSH))
        self._file.flush()

    def close(self) -> None:
        """End the member and fill in its size."""
        self._file.write(self._deflate.flush())
        self._file.write(struct.pack("<II", self._crc, self._size & 0xFFFFFFFF))
        size = self._file.tell() - self._start
        self._file.seek(self._start)
        self._file.write(_head(size))
        self._file.seek(0, os.SEEK_END)
        self._file.flush()


def write_member(file: BinaryIO, data: bytes) -> None:
    """A whole member."""
    member = Member(file)
    member.write(data)
    member.close()


def members(file: BinaryIO) -> Iterator[tuple[int, int]]:
    """Start and size of every whole member, up to the first that is not; no more than `MOST`."""
    end = file.seek(0, os.SEEK_END)
    at = 0
    for _ in range(MOST):
        if at + _HEAD.size > end:
            return
        file.seek(at)
        head = file.read(_HEAD.size)
        size = _HEAD.unpack(head)[-1]
        if head != _head(size) or size <= _HEAD.size or at + size > end:
            return
        yield at, size
        at += size


def first_line(file: BinaryIO, start: int, size: int) -> bytes | None:
    """The first line of a member; None when it can't be read, or is longer than any of koth's."""
    parts: list[bytes] = []
    for piece in _pieces(file, start, size, LONGEST):
        line, end, _ = piece.partition(b"\n")
        parts.append(line)
        if end:
            return b"".join(parts)
    return None


def beginning(file: BinaryIO, start: int, size: int, most: int) -> bytes:
    """Return the first `most` bytes of a member's text, as far as they can be read."""
    return b"".join(_pieces(file, start, size, most))


def _pieces(file: BinaryIO, start: int, size: int, most: int) -> Iterator[bytes]:
    """The text of a member in pieces, up to `most` bytes; it ends where the member is damaged."""
    file.seek(start)
    inflate, packed = zlib.decompressobj(31), b""
    with contextlib.suppress(zlib.error):
        while most > 0 and (packed or size > 0):
            if not packed:
                packed = file.read(min(size, 1 << 12))
                size -= 1 << 12
            piece = inflate.decompress(packed, min(most, PIECE))
            packed = inflate.unconsumed_tail
            most -= len(piece)
            yield piece
            if inflate.eof:
                return


def inflated(data: bytes) -> bytes | None:
    """The text of exactly one whole member; None when it is none."""
    inflate = zlib.decompressobj(31)
    try:
        text = inflate.decompress(data, LARGEST)
    except zlib.error:
        return None
    return text if inflate.eof and not inflate.unused_data else None
