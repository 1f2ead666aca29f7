"""Strangers' folders: copied within limits, without links, whatever changes meanwhile; removed at any depth."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from koth.files import folders
from koth.files.folders import CopyError, FolderLimits, copy_folder, remove, walk

FEW = FolderLimits(10, 5000, 3)
SECRET = "SECRET OF THE HOST"


@pytest.fixture
def top(tmp_path: Path) -> Iterator[Path]:
    """A folder with two files, of which one can be executed, beside a secret; pytest can't remove deep ones."""
    (tmp_path / "secret").write_text(SECRET)
    (tmp_path / "top" / "inner").mkdir(parents=True)
    (tmp_path / "top" / "inner" / "run").write_text("#!/bin/sh\n")
    (tmp_path / "top" / "inner" / "run").chmod(0o700)
    (tmp_path / "top" / "one").write_text("1")
    yield tmp_path / "top"
    remove(tmp_path / "top")


def copied(top: Path, limits: FolderLimits = FEW) -> dict[str, bytes]:
    to = top.parent / "copy"
    copy_folder(top, to, limits, skips_odd=True)
    return {str(file.relative_to(to)): file.read_bytes() for file in to.rglob("*") if not file.is_dir()}


OWN = {"one": b"1", "inner/run": b"#!/bin/sh\n"}


def test_regular_files_alone_are_copied(top: Path) -> None:
    (top / "link").symlink_to(top.parent / "secret")
    (top / "inner" / "folder").symlink_to(top.parent)
    (top / "nowhere").symlink_to("nowhere")
    os.mkfifo(top / "pipe")
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(top / "door"))
        assert copied(top) == OWN
    assert os.access(top.parent / "copy" / "inner" / "run", os.X_OK)
    with pytest.raises(CopyError, match=r"door is not a file|link is a link"):
        copy_folder(top, top.parent / "again", FEW)


def becomes_link(path: Path, target: Path) -> None:
    path.rename(path.with_name(f"{path.name}.old"))
    path.symlink_to(target)


@pytest.mark.parametrize("name", ["one", "inner"])
def test_what_becomes_a_link_meanwhile_is_not_followed(name: str, top: Path) -> None:
    (top.parent / "elsewhere").mkdir()
    (top.parent / "elsewhere" / "run").write_text(SECRET)
    target = top.parent / ("secret" if name == "one" else "elsewhere")
    found = []

    def leaves_out(entry: folders.Entry) -> bool:
        if entry.place == name and not (top / name).is_symlink():  # it was listed, and found to be no link
            becomes_link(top / name, target)
        return False

    copy_folder(top, top.parent / "copy", FEW, leaves_out, skips_odd=True)
    found = [file.read_text() for file in (top.parent / "copy").rglob("*") if file.is_file()]
    assert SECRET not in found
    assert len(found) == 1


def test_what_becomes_a_pipe_is_not_waited_for(top: Path) -> None:
    def leaves_out(entry: folders.Entry) -> bool:
        if entry.place == "one":
            (top / "one").unlink()
            os.mkfifo(top / "one")
        return False

    copy_folder(top, top.parent / "copy", FEW, leaves_out, skips_odd=True)
    assert not (top.parent / "copy" / "one").exists()


def test_names_are_bytes(top: Path) -> None:
    name = os.fsdecode(b"a\n\xff\x1b[31m")
    (top / name).write_text("odd")
    assert copied(top) == {**OWN, name: b"odd"}


def many(top: Path) -> None:
    for number in range(11):
        (top / f"{number}").touch()


def large(top: Path) -> None:
    (top / "large").write_bytes(b"x" * 4000)
    (top / "more").write_bytes(b"x" * 4000)


def sparse(top: Path) -> None:
    with open(top / "sparse", "wb") as file:
        file.truncate(1 << 40)


def deep(top: Path) -> None:
    (top / "1/2/3/4").mkdir(parents=True)


def abyss(top: Path) -> None:
    here = os.open(top, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d" * 50, dir_fd=here)
        inner = os.open("d" * 50, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)


@pytest.mark.parametrize("exceed", [many, large, sparse, deep, abyss])
def test_a_folder_beyond_the_limits_is_refused(exceed: Callable[[Path], None], top: Path) -> None:
    exceed(top)
    with pytest.raises(CopyError, match="more than"):
        copied(top)
    remove(top)
    assert not top.exists()


def test_a_file_that_grows_is_read_up_to_the_limit(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Growing:
        """A file that has another piece at every read."""

        def __init__(self, file: int) -> None:
            self.fileno = lambda: file

        def read(self, size: int) -> bytes:
            return b"x" * size

    with open(top / "one", "rb") as file:
        assert folders.copy_open_file(Growing(file.fileno()), top / "two", 3 << 20) > 3 << 20  # type: ignore[arg-type]
    assert (top / "two").stat().st_size <= 3 << 20


def test_a_hole_stays_a_hole(top: Path) -> None:
    with open(top / "sparse", "wb") as file:
        file.truncate((100 << 20) + 7)
        file.write(b"begin")
    assert copied(top, FolderLimits(10, 1 << 30, 3))["sparse"][:5] == b"begin"
    made = (top.parent / "copy" / "sparse").stat()
    assert (made.st_size, made.st_blocks < 1 << 13) == ((100 << 20) + 7, True)


def test_removing_follows_no_link_and_needs_no_rights(top: Path) -> None:
    (top / "inner" / "link").symlink_to(top.parent)
    (top / "shut").mkdir()
    (top / "shut" / "file").touch()
    (top / "shut" / "more").mkdir(mode=0)
    (top / "shut").chmod(0)
    remove(top)
    assert not top.exists()
    assert (top.parent / "secret").read_text() == SECRET
    (top.parent / "link").symlink_to("secret")
    remove(top.parent / "link")
    remove(top.parent / "nothing")
    assert [path.name for path in top.parent.iterdir()] == ["secret"]


def test_walking_leaves_nothing_open(top: Path) -> None:
    before = os.listdir("/proc/self/fd")
    next(walk(top, FEW))
    abyss(top)
    with pytest.raises(CopyError):
        list(walk(top, FEW))
    assert os.listdir("/proc/self/fd") == before
