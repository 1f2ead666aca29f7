"""Files that appear whole, whatever lies there."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from koth.files.atomic_write import replace_file


def half_written(path: Path) -> None:
    """Begin to write, and fail."""
    with contextlib.suppress(RuntimeError), replace_file(path) as part:
        part.write_text("hal")
        raise RuntimeError


def test_a_file_appears_whole_or_stays(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("before")
    half_written(path)
    assert (path.read_text(), [*tmp_path.iterdir()]) == ("before", [path])
    with replace_file(path) as part:
        part.write_text("after")
        assert path.read_text() == "before"
    assert (path.read_text(), [*tmp_path.iterdir()]) == ("after", [path])


def test_a_link_goes_on_leading_where_it_does(tmp_path: Path) -> None:
    path, link = tmp_path / "page.html", tmp_path / "latest"
    path.write_text("before")
    link.symlink_to(path.name)
    with replace_file(link) as part:
        part.write_text("after")
    assert link.is_symlink()
    assert path.read_text() == "after"


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with replace_file(pipe) as part:
        part.write_text("a page")
    assert os.read(reader, 100) == b"a page"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
