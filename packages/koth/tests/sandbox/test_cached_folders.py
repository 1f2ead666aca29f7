"""Parts of the cache have an end, and let bots read them."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from koth.sandbox import cached_folders
from koth.sandbox.cached_folders import IN_USE, fill_once, mark_used


def filled(root: Path, key: str) -> Path:
    """Return a folder of 40 kB."""
    return fill_once(root, key, lambda to: [(to / "data").write_bytes(b"\0" * 40_000)].clear())


def long_ago(folder: Path, hours: float) -> None:
    then = time.time() - hours * IN_USE
    os.utime(folder, (then, then))


def test_the_folders_that_were_not_used_for_the_longest_time_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cached_folders, "LARGEST_CACHE", 100_000)
    for hours, key in ((2, "a"), (4, "b")):
        long_ago(filled(tmp_path, key), hours)
    filled(tmp_path, "c")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "c"]
    mark_used(tmp_path, [tmp_path / "a" / "data", Path("/elsewhere"), tmp_path])
    filled(tmp_path, "d")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "c", "d"], "a process may read them"
    for key in "acd":
        long_ago(tmp_path / key, 2)
    filled(tmp_path, "a")
    filled(tmp_path, "e")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "e"]


def test_bots_may_read_what_is_made_under_any_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        folder = fill_once(tmp_path, "a", lambda to: [(to / "b").mkdir(), (to / "b" / "c").write_text("")].clear())
    finally:
        os.umask(before)
    modes = [path.stat().st_mode & 0o777 for path in (folder, folder / "b", folder / "b" / "c")]
    assert modes == [0o755, 0o755, 0o644]
