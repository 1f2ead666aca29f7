"""Bots as they were at a commit of a git repository: taken out of it into a folder, the working tree left alone."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
from pathlib import Path

from koth.bots.folders.manifest import BotError

SECONDS = 60.0
"""For git to answer."""


def tree_of(place: Path) -> Path | None:
    """The working tree that a file or folder lies in, if it is one of git's."""
    folder = place if place.is_dir() else place.parent
    if shutil.which("git") is None or not folder.is_dir():
        return None
    found = _git(folder, "rev-parse", "--show-toplevel")
    return None if found.returncode else Path(found.stdout.decode().rstrip("\n"))


def is_commit(tree: Path, word: str) -> bool:
    """Whether git knows a commit by this word: a hash, a branch, a tag, HEAD~1."""
    return not _git(tree, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{word}^{{commit}}").returncode


def as_of(word: str, place: Path, tree: Path, into: Path) -> Path:
    """What lay at `place` of a working tree at a commit, written to the folder `into`. Raises BotError."""
    path = place.resolve().relative_to(tree.resolve())
    told = path.as_posix()
    found = _git(tree, "archive", "--format=tar", f"{word}^{{commit}}", *([] if told == "." else ["--", told]))
    if found.returncode:
        said = found.stderr.decode(errors="replace").strip().splitlines()
        why = f"there is no {told} at {word}" if b"did not match" in found.stderr else f"{word}: {said[-1:]}"
        raise BotError(f"{tree}: {why}")
    root = into / tree.name
    try:
        root.mkdir(parents=True)
        with tarfile.open(fileobj=io.BytesIO(found.stdout)) as archive:
            archive.extractall(root, filter="data")
    except tarfile.ReadError:
        raise BotError(f"{tree}: there is nothing at {word}") from None
    except (OSError, tarfile.TarError) as error:
        raise BotError(f"{told} at {word} can't be written out: {error}") from None
    return root / path


def _git(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            ["git", *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BotError(f"git {words[0]}: {error}") from None
