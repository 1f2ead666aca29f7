"""An author's folder: what is kept of it after a turn, and when it can't be."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from koth.files.folders import FolderLimits, remove
from koth_studies.author_folder import AuthorFolder
from koth_studies.turns import Turn


@pytest.fixture
def folder(tmp_path: Path) -> AuthorFolder:
    """A folder with a bot, which was kept in `before`."""
    (tmp_path / "start.py").write_text("bot")
    folder = AuthorFolder(tmp_path / "ann", FolderLimits(10, 1 << 20, 3))
    folder.begin(tmp_path / "start.py", "zombies")
    folder.keep(tmp_path / "before")
    return folder


def names(path: Path) -> set[bytes]:
    return {os.fsencode(file.relative_to(path)) for file in path.rglob("*")}


def deep(path: Path) -> None:
    (path / "/".join(5 * "d")).mkdir(parents=True)


def many(path: Path) -> None:
    for number in range(11):
        (path / str(number)).touch()


EXCESS: dict[str, tuple[Callable[[Path], None], str]] = {
    "large": (lambda path: os.truncate(path / "bot" / "bot.py", 2 << 20), "more than 10 files or 1 MB"),
    "deep": (deep, "more than 3 folders within each other"),
    "many": (many, "more than 10 files or 1 MB"),
    "gone": (remove, "No such file or directory"),
}


@pytest.mark.parametrize("kind", EXCESS)
def test_a_folder_that_can_not_be_kept_is_its_authors_problem(
    kind: str, folder: AuthorFolder, tmp_path: Path
) -> None:
    change, problem = EXCESS[kind]
    change(folder.path)
    turn = folder.keep_after(Turn(1.0, ""), tmp_path / "after", tmp_path / "before")
    assert turn.problem.startswith("its folder can't be kept: ")
    assert problem in turn.problem
    assert turn.kind == "excessive"
    assert names(tmp_path / "after") == {b"bot", b"bot/bot.py"}
    assert folder.restore(tmp_path / "before") is None
    assert (folder.path / "bot" / "bot.py").read_text() == "bot"


def test_regular_files_alone_are_kept(folder: AuthorFolder, tmp_path: Path) -> None:
    (folder.path / "all").symlink_to(tmp_path)
    (folder.path / "bot" / "one").symlink_to(tmp_path / "start.py")
    os.mkfifo(folder.path / "pipe")
    (folder.path / "arena").mkdir()
    (folder.path / "arena" / "rules.md").touch()
    Path(os.fsdecode(os.fsencode(folder.path) + b"/a\nb\xffc")).write_text("odd")
    assert folder.keep_after(Turn(1.0, ""), tmp_path / "after", tmp_path / "before").problem == ""
    assert names(tmp_path / "after") == {b"a\nb\xffc", b"bot", b"bot/bot.py"}


def test_it_is_closed_to_others_and_keeps_no_set_user_id_bit(folder: AuthorFolder, tmp_path: Path) -> None:
    other = AuthorFolder(tmp_path / "authors" / "ben", folder.limits)
    other.begin(tmp_path / "start.py", "zombies")
    assert stat.S_IMODE(other.path.parent.stat().st_mode) == 0o700
    file = other.path / "bot" / "bot.py"
    if os.getuid() == 0:
        os.chown(file, 60700, 60700)
    file.chmod(0o6755)
    other.keep(tmp_path / "after")
    assert stat.S_IMODE((tmp_path / "after" / "bot" / "bot.py").stat().st_mode) & 0o7000 == 0
    if os.getuid() == 0:
        assert (file.stat().st_uid, stat.S_IMODE(file.stat().st_mode)) == (0, 0o755)
