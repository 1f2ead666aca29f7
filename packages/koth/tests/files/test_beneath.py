"""Files below a stranger's folder: whatever lies on the way to them, no file stays open."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from koth.discovery.archives import Allowance, unpack_zip
from koth.discovery.digest import check_size, content_digest
from koth.files.beneath import (
    change_beneath,
    make_beneath,
    open_beneath,
    read_beneath,
    remove_beneath,
    write_beneath,
)
from koth.files.bounded_read import open_plain, read_plain
from koth.sandbox import copies
from koth.sandbox.copies import copy_bot, folder_size
from koth.sandbox.seal import Seal


def write(top: Path, place: str) -> None:
    with write_beneath(top, place) as file:
        file.write(b"x")


HOSTILE = (
    "link/file",
    "file/file",
    "shut/../file",
    "a/b/link/c/file",
    "a/b/file/c",
    "a/pipe",
    "a/b",
    "none/none",
    "a/two",
)


@pytest.fixture
def top(tmp_path: Path) -> Path:
    top = tmp_path / "top"
    (top / "a" / "b").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    for place in ("file", "a/b/file", "a/one"):
        (top / place).write_text("some text")
    for place in ("link", "a/b/link"):
        (top / place).symlink_to(tmp_path / "elsewhere")
    os.mkfifo(top / "a" / "pipe")
    os.link(top / "a" / "one", top / "a" / "two")
    return top


def stays_closed(action: Callable[[], object]) -> None:
    """Call it, and look at the descriptors while its error still holds all that the frames knew."""
    before, raised = os.listdir("/proc/self/fd"), None
    try:
        action()
    except Exception as error:
        raised = error
    assert os.listdir("/proc/self/fd") == before, raised


linux = pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="the system does not list descriptors")


@linux
@pytest.mark.parametrize("place", HOSTILE)
@pytest.mark.parametrize(
    "action",
    [
        lambda top, place: open_beneath(top, place).close(),
        read_beneath,
        lambda top, place: read_beneath(top, place, 3),
        lambda top, place: change_beneath(top, place).close(),
        write,
        remove_beneath,
        make_beneath,
        lambda top, place: open_plain(top / place).close(),
        lambda top, place: read_plain(top / place, 3),
    ],
)
def test_no_way_through_a_hostile_folder_leaves_a_file_open(
    action: Callable[[Path, str], object], place: str, top: Path
) -> None:
    stays_closed(lambda: action(top, place))


@linux
@pytest.mark.parametrize(
    "action",
    [
        check_size,
        content_digest,
        lambda top: copy_bot(top, top.parent / "copy"),
        lambda top: copy_bot(top / "a" / "pipe", top.parent / "copy"),
        lambda top: folder_size(top, 5),
        lambda top: next(copies.entries(top)),
        lambda top: Seal.make([top / "a", top / "none"]),
    ],
)
@pytest.mark.parametrize("files", [2, 20_000])
def test_no_look_at_a_hostile_bot_leaves_a_file_open(
    action: Callable[[Path], object], files: int, top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "FILES", files)
    stays_closed(lambda: action(top))


@linux
@pytest.mark.parametrize("kind", ["cut", "text", "odd", "twice"])
def test_no_zip_leaves_a_file_open(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../out" if kind == "odd" else "a/bot.py", "print()" * 100)
        if kind == "twice":
            archive.writestr("a", "a file where a folder is")
    if kind == "cut":
        path.write_bytes(path.read_bytes()[:-30])
    if kind == "text":
        path.write_text("PK")
    stays_closed(lambda: unpack_zip(path, Allowance()))
