"""Private copies of bots: what a run plays with can't be changed, nor reach anything, behind its back."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

from koth.errors import KothError

FILES, BYTES = 20_000, 1 << 30
"""More than this is no bot."""
RUN = "results.sqlite"
"""What lies in the folder of a run: people start contests where their bot is."""


class CopyError(KothError):
    """Files that can't be a bot's."""


def is_left_out(folder: Path) -> bool:
    """Not the bot's: compiled files, which might say something else than the sources, and the folders of runs."""
    return folder.name == "__pycache__" or (folder / RUN).exists()


def take(path: Path, to: Path) -> None:
    """Copy a bot's folder, or its one file, into the new folder `to`. Links and devices raise CopyError."""
    unfinished = to.with_name(f"{to.name}.{os.getpid()}.part")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    unfinished.chmod(0o755)
    try:
        if path.is_dir():
            _take_folder(path, unfinished)
        else:
            _take_file(path, unfinished / path.name, follow=True)
        shutil.rmtree(to, ignore_errors=True)
        unfinished.rename(to)
    except OSError as error:
        raise CopyError(f"{error.filename or path}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _take_folder(path: Path, to: Path) -> None:
    files = size = 0
    for place, folders, names in os.walk(path):
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


def size(folder: Path) -> int:
    """How many bytes its files hold."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_size
            except OSError:
                continue  # gone in the meantime
    return total
