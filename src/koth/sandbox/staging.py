"""Files and folders of the host as one folder of koth's, so that a room needs one mount to show them all.

A mount or a copy for each of them would take longer than all else that a start costs. The folder lies in the cache,
and its name tells of what it was made: what changes is gathered anew.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import py_compile
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from koth.files.cache import cache_folder
from koth.sandbox.made import made_once
from koth.sandbox.mounts import Shown


def gathered(places: Sequence[Shown], root: str) -> Path:
    """A folder with copies of these places, as they lie below `root` inside. Raises OSError.

    What is written in Python is compiled beside it, for the Python that runs koth.
    """
    return made_once(cache_folder("gathered"), _name(tuple(places), root), lambda new: _fill(new, places, root))


@functools.cache
def _name(places: tuple[Shown, ...], root: str) -> str:
    """A digest of what lies there: koth looks once, and keeps to what it saw."""
    total = hashlib.blake2b(f"{root} {sys.implementation.cache_tag}".encode(), digest_size=16)
    for place in places:
        for path in _all_of(place.source):
            told = os.stat(path) if path == place.source else os.lstat(path)
            look = (place.inside, path, told.st_mode, told.st_ino, told.st_size, told.st_mtime_ns)
            total.update(repr(look).encode())
    return total.hexdigest()


def _all_of(place: str) -> Iterator[str]:
    yield place
    for folder, folders, files in os.walk(place):
        folders.sort()
        for name in sorted((*folders, *files)):
            yield os.path.join(folder, name)


def _fill(folder: Path, places: Sequence[Shown], root: str) -> None:
    for place in places:
        to = folder / os.path.relpath(place.inside, root)
        to.parent.mkdir(parents=True, exist_ok=True)
        _copy(place.source, to, place.inside)


def _copy(source: str, to: Path, inside: str) -> None:
    if os.path.isdir(source):
        with contextlib.suppress(shutil.Error):  # what this user may not read is not there for bots either
            shutil.copytree(source, to, symlinks=True)
        return
    shutil.copy2(source, to)
    if to.suffix == ".py":
        checked = py_compile.PycInvalidationMode.UNCHECKED_HASH
        py_compile.compile(str(to), dfile=inside, invalidation_mode=checked, quiet=1)
