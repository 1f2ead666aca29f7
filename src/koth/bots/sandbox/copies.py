"""Private copies of bots: what a run plays with can't be changed, nor reach anything, behind its back."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from pathlib import Path

from koth.errors import KothError

FILES, BYTES = 20_000, 1 << 30
"""More than this is no bot."""
BLOCK = 4096
"""Bytes that a file takes at least."""
RUN = "results.sqlite"
"""What lies in the folder of a run: people start contests where their bot is."""


class CopyError(KothError):
    """Files that can't be a bot's."""


def is_left_out(folder: Path) -> bool:
    """Not the bot's: compiled files, which might say something else than the sources, and the folders of runs."""
    return folder.name == "__pycache__" or (folder / RUN).exists()


def is_plain(file: Path) -> bool:
    """Whether it is a file and no link: what a stranger's folder links to is not looked at."""
    return stat.S_ISREG(file.lstat().st_mode)


def take(path: Path, to: Path) -> None:
    """Copy a bot's folder, or its one file, into the new folder `to`. Links and devices raise CopyError."""
    unfinished = to.with_name(f"{to.name}.{os.getpid()}.part")
    remove(unfinished)
    unfinished.mkdir(parents=True)
    unfinished.chmod(0o755)
    try:
        if path.is_dir():
            _take_folder(path, unfinished)
        else:
            _take_file(path, unfinished / path.name, follow=True)
        remove(to)
        unfinished.rename(to)
    except OSError as error:
        raise CopyError(f"{error.filename or path}: {error.strerror or error}") from None
    finally:
        remove(unfinished)


def _take_folder(path: Path, to: Path) -> None:
    files = size = 0
    for place, folders, names in os.walk(path, onerror=_raised):
        folders[:] = sorted(name for name in folders if not is_left_out(Path(place, name)))
        inside = to / os.path.relpath(place, path)
        for name in folders:
            _check(Path(place, name))
            (inside / name).mkdir(mode=0o755)
            (inside / name).chmod(0o755)
        for name in sorted(names):
            size += _take_file(Path(place, name), inside / name)
            files += 1
            if files > FILES or size > BYTES:
                raise CopyError(f"{path}: more than {FILES} files or {BYTES >> 20} MB; that is no bot")


def _raised(error: OSError) -> None:
    raise error


def _check(path: Path) -> None:
    if path.is_symlink():
        raise CopyError(f"{path} is a link; a bot's folder must hold its files themselves")


def _take_file(path: Path, to: Path, *, follow: bool = False) -> int:
    """Copy one file; its size. It is opened once, so it can't become something else in between."""
    if not follow:
        _check(path)
    source = os.open(path, os.O_RDONLY | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW))
    with os.fdopen(source, "rb") as data:
        told = os.fstat(source)
        if not stat.S_ISREG(told.st_mode):
            raise CopyError(f"{path} is no file")
        with open(to, "xb") as copy:
            shutil.copyfileobj(data, copy, 1 << 20)
    to.chmod(0o755 if told.st_mode & 0o100 else 0o644)
    return told.st_size


def give(folder: Path, user: int) -> None:
    """Make this user the owner of a copy and of all that is in it (only root can). Links are not followed."""
    for place, _, names in os.walk(folder):
        for path in (place, *(os.path.join(place, name) for name in names)):
            os.chown(path, user, user, follow_symlinks=False)


def remove(folder: Path) -> None:
    """Remove a folder, if it is there, even where programs have closed parts of it; of a link, the link."""
    if folder.is_symlink() or folder.is_file():
        folder.unlink()
        return
    with contextlib.suppress(OSError):
        folder.chmod(0o700)
    for place, folders, _ in os.walk(folder):
        for name in folders:
            inner = os.path.join(place, name)
            if not os.path.islink(inner):
                with contextlib.suppress(OSError):
                    os.chmod(inner, 0o700)
    shutil.rmtree(folder, ignore_errors=True)


def size(folder: Path) -> int:
    """How many bytes its files take, at least a block each. Raises CopyError when a part of it can't be seen."""

    def unseen(error: OSError) -> None:
        if isinstance(error, PermissionError):
            raise CopyError(f"{error.filename} can't be looked into")

    total = 0
    for place, folders, names in os.walk(folder, onerror=unseen):
        total += BLOCK * len(folders)
        for name in names:
            with contextlib.suppress(OSError):  # gone in the meantime
                total += max(BLOCK, os.lstat(os.path.join(place, name)).st_size)
    return total
