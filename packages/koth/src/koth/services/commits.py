"""Bots at a commit of a git repository, extracted to a folder without touching the working tree.

The repository may be a stranger's, and a repository's settings can make git start programs (filters, hooks, other
repositories). So koth reads objects only, without attributes, working tree or fetching.
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

from koth.discovery.digest import reading
from koth.errors import BotError
from koth.files.bounded_read import read_plain
from koth.sandbox.copies import DEPTH, limits

GIT_SECONDS = 60.0
"""The time limit for a git command in seconds."""
LARGEST_LIST = 16 << 20
"""The largest size of a list of files in bytes."""
LONGEST_PATH = 4096
"""The length of the longest path in bytes."""
NOT_READ = ("annex", "hooks", "lfs", "modules", "worktrees")
"""Folders of a repository that koth does not read."""
SUBMODULE = 0o160000
GIT_SETTINGS = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
GIT_ENVIRONMENT = {"GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0"}


@dataclass(frozen=True)
class _File:
    """A file of a commit: mode, name of the git object, size, and path."""

    mode: int
    name: str
    size: int
    place: str


def find_tree(place: Path) -> Path | None:
    """Return the git working tree that contains a file or folder, if any. Raises BotError.

    The repository must be in the working tree, or name this working tree: otherwise a stranger's folder could give
    access to the host's repositories.
    """
    folder = place if place.is_dir() else place.parent
    if shutil.which("git") is None or not folder.is_dir():
        return None
    found = _ask_paths(folder, "--show-toplevel", "--absolute-git-dir", "--git-common-dir")
    if found is None:
        return None
    tree, own, common = found
    if not (common.is_relative_to(tree.resolve()) or _is_named_by(own, common, tree)):
        raise BotError(f"{tree}: its .git leads to {common}, which does not name this folder as a working tree")
    _check_borrows_nothing(common, tree)
    return tree


def _ask_paths(folder: Path, *words: str) -> list[Path] | None:
    """Return the paths that git prints: the first as printed, the others absolute and without links."""
    said = _run_git(folder, "rev-parse", *words)
    lines = [] if said is None else os.fsdecode(said).splitlines()
    if len(lines) != len(words):
        return None
    first, *others = (Path(folder, line) for line in lines)
    return [first, *(path.resolve() for path in others)]


def _is_named_by(own: Path, common: Path, tree: Path) -> bool:
    """Return whether a repository elsewhere names `tree` as a working tree, or as a submodule's."""
    try:
        if own.parent == common / "worktrees":
            link = own / read_plain(own / "gitdir", LONGEST_PATH).decode().rstrip("\n")
            return link.name == ".git" and link.parent.resolve() == tree.resolve()
        said = _run_git(tree, "config", "--file", str(own / "config"), "core.worktree")
        return said is not None and (own / os.fsdecode(said).rstrip("\n")).resolve() == tree.resolve()
    except (OSError, UnicodeDecodeError):
        return False


def _check_borrows_nothing(common: Path, tree: Path) -> None:
    """Raise BotError for a repository that uses other repositories' objects or refs, by alternates or links."""
    borrowed = common / "objects" / "info" / "alternates"
    if borrowed.exists():
        raise BotError(f"{tree}: its repository borrows from others ({borrowed}); use a full clone")
    for place, folders, files in os.walk(common):
        folders[:] = [name for name in folders if Path(place, name) not in {common / part for part in NOT_READ}]
        for name in (*folders, *files):
            if os.path.islink(os.path.join(place, name)):
                raise BotError(f"{os.path.join(place, name)}: a link; git's files must lie in the repository itself")
        if len(Path(place).parts) - len(common.parts) > DEPTH:
            raise BotError(f"{place}: more than {DEPTH} folders within each other; that is not a repository")


def is_commit(tree: Path, word: str) -> bool:
    """Return whether a word names a commit in git: a hash, a branch, a tag, HEAD~1."""
    return _find_commit(tree, word) is not None


def extract_commit(word: str, place: Path, tree: Path, into: Path) -> Path:
    """Write a commit's files at the path `place` to the folder `into`. Raises BotError."""
    commit = _find_commit(tree, word)
    if commit is None or not place.resolve().is_relative_to(tree.resolve()):
        raise BotError(f"{tree}: there is no commit {word}" if commit is None else f"{place} is not in {tree}")
    path = place.resolve().relative_to(tree.resolve())
    files = _list_files(tree, commit, word, path.as_posix())
    root = into / tree.name
    try:
        root.mkdir(parents=True)
        _write(tree, files, root)
    except (OSError, ValueError) as error:
        raise BotError(f"{path.as_posix()} at {word} can't be extracted: {error}") from None
    return root / path


def _find_commit(tree: Path, word: str) -> str | None:
    found = _run_git(tree, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{word}^{{commit}}")
    return None if found is None else found.decode().strip()


def _list_files(tree: Path, commit: str, word: str, path: str) -> list[_File]:
    """Return a commit's files at a path, without submodules. Raises BotError."""
    listed = _run_git(
        tree, "ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--", *([] if path == "." else [path])
    )
    if not listed:
        raise BotError(f"{tree}: there is " + (f"nothing at {word}" if path == "." else f"no {path} at {word}"))
    files = [_parse_file(line) for line in listed.split(b"\0") if line]
    with reading(tree):
        limits().count(f"{tree} at {word}", {file.place: file.size for file in files})
    for file in files:
        parts = file.place.split("/")
        if {"", ".", ".."} & set(parts) or ".git" in (part.lower() for part in parts):
            raise BotError(f"{tree}: {file.place!r} at {word} is not the name of a file")
        if stat.S_ISLNK(file.mode):
            raise BotError(f"{tree}: {file.place} at {word} is a link, which a bot may not contain")
    return [file for file in files if file.mode != SUBMODULE]


def _parse_file(line: bytes) -> _File:
    head, _, place = line.partition(b"\t")
    mode, _, name, size = head.split()
    return _File(int(mode, 8), name.decode(), int(size) if size.isdigit() else 0, os.fsdecode(place))


def _write(tree: Path, files: list[_File], root: Path) -> None:
    """Write files below `root`. Raises OSError, and ValueError if git's objects contradict the list of files."""
    with tempfile.TemporaryFile() as wanted:
        wanted.writelines(f"{file.name}\n".encode() for file in files)
        wanted.seek(0)
        with _start_git(tree, "cat-file", "--batch", stdin=wanted) as process:
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


def _run_git(folder: Path, *words: str) -> bytes | None:
    """Return git's output; None if git fails. Raises BotError, also for more than `LARGEST_LIST` bytes."""
    with _start_git(folder, *words) as process:
        assert process.stdout is not None
        said = process.stdout.read(LARGEST_LIST + 1)
        if len(said) > LARGEST_LIST:
            raise BotError(f"{folder}: git {words[0]} prints more than {LARGEST_LIST >> 20} MB of names")
        return None if process.wait() else said


@contextmanager
def _start_git(
    folder: Path, *words: str, stdin: IO[bytes] | int = subprocess.DEVNULL
) -> Iterator[subprocess.Popen[bytes]]:
    """Start git, and kill it after `GIT_SECONDS` or at the end of this context. Raises BotError."""
    try:
        process = subprocess.Popen(
            ["git", *GIT_SETTINGS, *words],
            cwd=folder,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **GIT_ENVIRONMENT},
        )
    except OSError as error:
        raise BotError(f"git {words[0]}: {error}") from None
    with process:
        end = threading.Timer(GIT_SECONDS, process.kill)
        end.start()
        try:
            yield process
        finally:
            end.cancel()
            process.kill()
