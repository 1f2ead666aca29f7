"""Bots as they were at a commit of a git repository: taken out of it into a folder, the working tree left alone.

The repository may be a stranger's, and its settings name programs for much of what git does (filters, hooks, other
repositories). So objects are read as they lie, and only those: no attributes, no working tree, nothing fetched.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from koth.bots.folders.manifest import BotError
from koth.bots.sandbox.copies import BYTES, FILES

SECONDS = 60.0
"""For git to answer."""
LISTED = 16 << 20
"""Bytes of a list of files that are read."""
SUBMODULE = 0o160000
SETTINGS = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
ENVIRONMENT = {"GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0"}


@dataclass(frozen=True)
class _File:
    """A file of a commit: its mode, the name of its object, its size, and where it lay."""

    mode: int
    name: str
    size: int
    place: str


def tree_of(place: Path) -> Path | None:
    """The working tree that a file or folder lies in, if it is one of git's."""
    folder = place if place.is_dir() else place.parent
    if shutil.which("git") is None or not folder.is_dir():
        return None
    found = _said(folder, "rev-parse", "--show-toplevel")
    return None if found is None else Path(os.fsdecode(found.rstrip(b"\n")))


def is_commit(tree: Path, word: str) -> bool:
    """Whether git knows a commit by this word: a hash, a branch, a tag, HEAD~1."""
    return _commit(tree, word) is not None


def as_of(word: str, place: Path, tree: Path, into: Path) -> Path:
    """What lay at `place` of a working tree at a commit, written to the folder `into`. Raises BotError."""
    commit = _commit(tree, word)
    if commit is None or not place.resolve().is_relative_to(tree.resolve()):
        raise BotError(f"{tree}: there is no commit {word}" if commit is None else f"{place} is not in {tree}")
    path = place.resolve().relative_to(tree.resolve())
    files = _files(tree, commit, word, path.as_posix())
    root = into / tree.name
    try:
        root.mkdir(parents=True)
        _write(tree, files, root)
    except (OSError, ValueError) as error:
        raise BotError(f"{path.as_posix()} at {word} can't be written out: {error}") from None
    return root / path


def _commit(tree: Path, word: str) -> str | None:
    found = _said(tree, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{word}^{{commit}}")
    return None if found is None else found.decode().strip()


def _files(tree: Path, commit: str, word: str, told: str) -> list[_File]:
    """The files at this place of a commit; submodules are not among them. Raises BotError."""
    listed = _said(tree, "ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--", *([] if told == "." else [told]))
    if not listed:
        raise BotError(f"{tree}: there is " + (f"nothing at {word}" if told == "." else f"no {told} at {word}"))
    files = [_file(line) for line in listed.split(b"\0") if line]
    if len(files) > FILES or sum(file.size for file in files) > BYTES:
        raise BotError(f"{tree}: more than {FILES} files or {BYTES >> 20} MB at {word}; that is no bot")
    for file in files:
        parts = file.place.split("/")
        if {"", ".", ".."} & set(parts) or ".git" in (part.lower() for part in parts):
            raise BotError(f"{tree}: {file.place!r} at {word} is no name of a file")
        if stat.S_ISLNK(file.mode):
            raise BotError(f"{tree}: {file.place} at {word} is a link; bots have none")
    return [file for file in files if file.mode != SUBMODULE]


def _file(line: bytes) -> _File:
    head, _, place = line.partition(b"\t")
    mode, _, name, size = head.split()
    return _File(int(mode, 8), name.decode(), int(size) if size.isdigit() else 0, os.fsdecode(place))


def _write(tree: Path, files: list[_File], root: Path) -> None:
    """Write them below a folder. Raises OSError, and ValueError where git does not give what it has told of."""
    with tempfile.TemporaryFile() as wanted:
        wanted.writelines(f"{file.name}\n".encode() for file in files)
        wanted.seek(0)
        with _git(tree, "cat-file", "--batch", stdin=wanted) as process:
            output = process.stdout
            assert output is not None
            for file in files:
                if output.readline(200).split()[1:] != [b"blob", b"%d" % file.size]:
                    raise ValueError(f"git lacks {file.place}")
                data = output.read(file.size + 1)
                if len(data) != file.size + 1:
                    raise ValueError(f"git ended within {file.place}")
                to = root / file.place
                to.parent.mkdir(parents=True, exist_ok=True)
                to.write_bytes(data[:-1])
                to.chmod(0o755 if file.mode & 0o111 else 0o644)


def _said(folder: Path, *words: str) -> bytes | None:
    """What git says, which is not much; None where it fails. Raises BotError."""
    with _git(folder, *words) as process:
        assert process.stdout is not None
        said = process.stdout.read(LISTED + 1)
        if len(said) > LISTED:
            raise BotError(f"{folder}: git {words[0]} tells of more than {LISTED >> 20} MB of names")
        return None if process.wait() else said


@contextmanager
def _git(folder: Path, *words: str, stdin: IO[bytes] | int = subprocess.DEVNULL) -> Iterator[subprocess.Popen[bytes]]:
    """Git at work, for so long; it ends with the block. Raises BotError."""
    try:
        process = subprocess.Popen(
            ["git", *SETTINGS, *words],
            cwd=folder,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **ENVIRONMENT},
        )
    except OSError as error:
        raise BotError(f"git {words[0]}: {error}") from None
    with process:
        end = threading.Timer(SECONDS, process.kill)
        end.start()
        try:
            yield process
        finally:
            end.cancel()
            process.kill()
