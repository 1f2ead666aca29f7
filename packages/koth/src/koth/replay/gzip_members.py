"""Gzip members that hold their size, one after another in a file: the file format of replays.

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

LEVEL = 7
"""The level of compression: 8 takes three times as long for files that are 3 % smaller."""
LARGEST_MEMBER = 1 << 28
"""Bytes of text of the largest member: replays of koth are far smaller, a malicious file may not be."""
MOST_MEMBERS = 1 << 17
"""The largest number of members of a file: a match of a million turns has fewer."""
LONGEST_LINE = 1 << 25
"""Bytes of the longest line: decoded JSON takes up to thirty times its size."""

PIECE = 1 << 16
"""Bytes that are inflated at once in search of the end of a line."""

_HEAD = struct.Struct("<4B I 2B H 2B H I")


def _head(size: int) -> bytes:
    """Return a gzip header with the extra field; its time is 0, its system unknown."""
    return _HEAD.pack(0x1F, 0x8B, 8, 4, 0, 0, 255, 8, ord("K"), ord("H"), 4, size)


class Member:
    """A new member at the end of a file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._start = file.seek(0, os.SEEK_END)
        self._deflate = zlib.compressobj(LEVEL, zlib.DEFLATED, -15, 8, zlib.Z_FILTERED)
        self._crc = 0
        self._size = 0
        file.write(_head(0))

    def write(self, data: bytes) -> int:
        """Add bytes; return the number of bytes so far."""
        self._crc = zlib.crc32(data, self._crc)
        self._size += len(data)
        self._file.write(self._deflate.compress(data))
        return self._size

    def flush(self) -> None:
        """Make all bytes written so far readable from the file."""
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
    """Write a whole member."""
    member = Member(file)
    member.write(data)
    member.close()


def members(file: BinaryIO) -> Iterator[tuple[int, int]]:
    """Yield start and size of every whole member, up to the first incomplete one, or up to `MOST_MEMBERS`."""
    end = file.seek(0, os.SEEK_END)
    at = 0
    for _ in range(MOST_MEMBERS):
        if at + _HEAD.size > end:
            return
        file.seek(at)
        head = file.read(_HEAD.size)
        size = _HEAD.unpack(head)[-1]
        if head != _head(size) or size <= _HEAD.size or at + size > end:
            return
        yield at, size
        at += size


def read_first_line(file: BinaryIO, start: int, size: int) -> bytes | None:
    """Return the first line of a member; None if it can't be read or is too long."""
    parts: list[bytes] = []
    for piece in _pieces(file, start, size, LONGEST_LINE):
        line, end, _ = piece.partition(b"\n")
        parts.append(line)
        if end:
            return b"".join(parts)
    return None


def read_beginning(file: BinaryIO, start: int, size: int, most: int) -> bytes:
    """Return the first `most` bytes of a member's text, as far as koth can read the member."""
    return b"".join(_pieces(file, start, size, most))


def _pieces(file: BinaryIO, start: int, size: int, most: int) -> Iterator[bytes]:
    """Yield the text of a member in pieces, up to `most` bytes or the first damage."""
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


def inflate_member(data: bytes) -> bytes | None:
    """Return the text of exactly one whole member; None for any other bytes."""
    inflate = zlib.decompressobj(31)
    try:
        text = inflate.decompress(data, LARGEST_MEMBER)
    except zlib.error:
        return None
    return text if inflate.eof and not inflate.unused_data else None
