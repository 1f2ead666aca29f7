"""The shared libraries of a program, found as the loader finds them, by reading files only."""

from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass

MAGIC = b"\x7fELF"
"""The first bytes of a program for Linux."""
LOAD, DYNAMIC, INTERPRETER = 1, 2, 3
NEEDED, STRTAB, RPATH, RUNPATH = 1, 5, 15, 29
MOST_LIBRARIES = 400
"""The largest number of a program's libraries that are read."""
MOST_BYTES = 1 << 16
"""The largest number of bytes that are read of a table or a name."""


@dataclass(frozen=True)
class Linked:
    """The dynamic section of a file: names of libraries, folders to search for them, and the loader."""

    needed: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    loader: str = ""


def find_libraries(program: str) -> list[str]:
    """Return the paths of a program's loader and of all needed libraries, except paths in the system's own folders.

    The list is empty for a file that can't be read or is not a 64-bit ELF file: filters refuse such programs' calls.
    """
    found: dict[str, None] = {}
    waiting: list[tuple[str, tuple[str, ...]]] = [(program, ())]
    seen = {program}
    while waiting and len(seen) < MOST_LIBRARIES:
        file, inherited = waiting.pop()
        section = read_dynamic(file)
        paths = (*section.paths, *inherited)
        for path in filter(None, (section.loader, *(_find_library(name, paths) for name in section.needed))):
            if path not in seen:
                seen.add(path)
                waiting.append((path, paths))
                found[path] = None
                found[os.path.realpath(path)] = None
    return [path for path in found if not path.startswith(("/lib/", "/lib64/", "/usr/"))]


def _find_library(name: str, paths: tuple[str, ...]) -> str:
    """Return the path of a library; empty for libraries that only the system's loader finds."""
    if "/" in name:
        return name
    return next((path for folder in paths if os.path.isfile(path := os.path.join(folder, name))), "")


def read_dynamic(file: str) -> Linked:
    """Return the dynamic section of an ELF file; empty for other files."""
    with contextlib.suppress(OSError, struct.error, ValueError, IndexError, OverflowError), open(file, "rb") as data:
        head = data.read(64)
        if head[:6] != MAGIC + b"\2\1":
            return Linked()
        parts = list(_program_headers(data.fileno(), head))
        loader = next((_read_text(data.fileno(), at, size) for kind, at, _, size in parts if kind == INTERPRETER), "")
        return _read_section(data.fileno(), parts, os.path.dirname(os.path.abspath(file)), loader)
    return Linked()


def _program_headers(fd: int, head: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Yield the program headers: kind, offset in the file, address in memory, size in the file."""
    (table,), (size, count) = struct.unpack_from("<Q", head, 32), struct.unpack_from("<HH", head, 54)
    data = os.pread(fd, min(size * count, MOST_BYTES), table)
    for at in range(0, len(data) - size + 1, size):
        kind, _, place, address, _, length = struct.unpack_from("<IIQQQQ", data, at)
        yield kind, place, address, length


def _read_section(fd: int, parts: list[tuple[int, int, int, int]], origin: str, loader: str) -> Linked:
    form = struct.Struct("<qQ")
    entries: list[tuple[int, int]] = []
    for kind, at, _, size in parts:
        if kind == DYNAMIC:
            data = os.pread(fd, min(size, MOST_BYTES), at)
            entries += form.iter_unpack(data[: len(data) // form.size * form.size])
    strings = next((value for tag, value in entries if tag == STRTAB), 0)
    table = next(
        (
            at + strings - address
            for kind, at, address, size in parts
            if kind == LOAD and address <= strings < address + size
        ),
        0,
    )
    if not table:
        return Linked(loader=loader)
    words = [
        (tag, _read_text(fd, table + value, MOST_BYTES)) for tag, value in entries if tag in (NEEDED, RPATH, RUNPATH)
    ]
    paths = [path for tag, word in words if tag != NEEDED for path in word.split(":") if path]
    places = tuple(path.replace("${ORIGIN}", origin).replace("$ORIGIN", origin) for path in paths)
    return Linked(tuple(word for tag, word in words if tag == NEEDED), places, loader)


def _read_text(fd: int, at: int, most: int) -> str:
    return os.pread(fd, min(most, 4096), at).split(b"\0", 1)[0].decode("utf-8", "surrogateescape")
