"""Staged folders are made once, again when a source changes, and reveal nothing of the host."""

from __future__ import annotations

import importlib.util
import marshal
import os
from pathlib import Path

import pytest

from koth.sandbox import staging as module
from koth.sandbox.mounts import KOTH, PACKAGE, Mount
from koth.sandbox.staging import stage


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOTH_CACHE_DIR", str(tmp_path / "cache"))
    module._digest_sources.cache_clear()


def test_it_holds_files_folders_and_links(tmp_path: Path) -> None:
    (tmp_path / "some" / "inner").mkdir(parents=True)
    (tmp_path / "some" / "inner" / "a").write_text("a")
    (tmp_path / "some" / "link").symlink_to("inner/a")
    (tmp_path / "b").symlink_to("some/inner/a")
    mounts = [Mount(str(tmp_path / "some"), "/etc/some"), Mount(str(tmp_path / "b"), "/etc/x/b")]
    made = stage(mounts, "/")
    assert (made / "etc" / "some" / "inner" / "a").read_text() == "a"
    assert os.readlink(made / "etc" / "some" / "link") == "inner/a"
    assert not (made / "etc" / "x" / "b").is_symlink()
    assert (made / "etc" / "x" / "b").read_text() == "a"
    assert [folder.name for folder in made.parent.iterdir()] == [made.name]


def test_it_is_made_once_and_anew_after_a_change(tmp_path: Path) -> None:
    mount = Mount(str(tmp_path / "a"), "/etc/a")
    (tmp_path / "a").write_text("1")
    first = stage([mount], "/")
    before = first.stat().st_ino
    module._digest_sources.cache_clear()  # as another koth would
    assert stage([mount], "/") == first
    assert first.stat().st_ino == before
    (tmp_path / "a").write_text("22")
    module._digest_sources.cache_clear()
    assert (stage([mount], "/") / "etc" / "a").read_text() == "22"


def test_it_is_made_again_after_it_was_removed(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    made = stage([Mount(str(tmp_path / "a"), "/etc/a")], "/")
    made.rename(tmp_path / "elsewhere")
    assert (stage([Mount(str(tmp_path / "a"), "/etc/a")], "/") / "etc" / "a").read_text() == "1"


def test_compiled_code_names_no_place_of_the_host() -> None:
    """It is that of Python as koth compiles it: what a bot's Python takes instead of compiling it in each match."""
    source = str(PACKAGE / "adapter" / "kit.py")
    made = stage([Mount(source, f"{KOTH}/adapter/kit.py")], KOTH)
    compiled = Path(importlib.util.cache_from_source(str(made / "adapter" / "kit.py"))).read_bytes()
    assert marshal.loads(compiled[16:]).co_filename == f"{KOTH}/adapter/kit.py"
    assert str(PACKAGE).encode() not in compiled
    assert str(made).encode() not in compiled
