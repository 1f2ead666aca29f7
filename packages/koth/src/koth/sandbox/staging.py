"""Copies of the host's files in one folder, so that a sandbox needs a single mount for all of them.

A mount or a copy for each file would take longer than the rest of a start. The folder is in the cache under a digest
of its sources, so that changed sources get a new folder.
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
from koth.sandbox.cached_folders import fill_once
from koth.sandbox.mounts import Mount


def stage(mounts: Sequence[Mount], root: str) -> Path:
    """Return a folder with copies of these mounts, arranged as in the sandbox below `root`. Raises OSError.

    Python files are compiled for the Python that runs koth.
    """
    return fill_once(
        cache_folder("staged"), _digest_sources(tuple(mounts), root), lambda new: _fill(new, mounts, root)
    )


@functools.cache
def _digest_sources(mounts: tuple[Mount, ...], root: str) -> str:
    """Return a digest of the sources as they were at the first call in this process."""
    total = hashlib.blake2b(f"{root} {sys.implementation.cache_tag}".encode(), digest_size=16)
    for mount in mounts:
        for path in _walk(mount.source):
            found = os.stat(path) if path == mount.source else os.lstat(path)
            look = (mount.inside, path, found.st_mode, found.st_ino, found.st_size, found.st_mtime_ns)
            total.update(repr(look).encode())
    return total.hexdigest()


def _walk(mount: str) -> Iterator[str]:
    yield mount
    for folder, folders, files in os.walk(mount):
        folders.sort()
        for name in sorted((*folders, *files)):
            yield os.path.join(folder, name)


def _fill(folder: Path, mounts: Sequence[Mount], root: str) -> None:
    for mount in mounts:
        to = folder / os.path.relpath(mount.inside, root)
        to.parent.mkdir(parents=True, exist_ok=True)
        _copy(mount.source, to, mount.inside)


def _copy(source: str, to: Path, inside: str) -> None:
    if os.path.isdir(source):
        with contextlib.suppress(shutil.Error):  # files that koth's user may not read are hidden from bots too
            shutil.copytree(source, to, symlinks=True)
        return
    shutil.copy2(source, to)
    if to.suffix == ".py":
        checked = py_compile.PycInvalidationMode.UNCHECKED_HASH
        py_compile.compile(str(to), dfile=inside, invalidation_mode=checked, quiet=1)
