"""Paths of the host are in no text that strangers read."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from koth.files.cache import cache_folder
from koth_hill.host_paths import hide_folder, remove_all_paths, remove_host_paths
from koth_hill.models import Version
from tests.hill.conftest import Place
from tests.hill.conftest import hill as hill


def test_authors_files_keep_their_names_and_the_hosts_have_no_folder(tmp_path: Path) -> None:
    temporary, zips = tempfile.gettempdir(), cache_folder("zips")
    hide_folder(tmp_path / "contest")
    assert remove_host_paths(f"{zips}/0a1b/fox/koth.toml: unknown key") == "fox/koth.toml: unknown key"
    assert remove_host_paths(f"{temporary}/koth-upload-x1/two.zip#a") == "two.zip#a"
    assert remove_host_paths(f'File "{sys.prefix}/lib/x.py", line 3') == 'File "x.py", line 3'
    assert remove_host_paths(f"{tmp_path}/contest/hill.sqlite: locked") == "hill.sqlite: locked"
    assert remove_host_paths(f"no {Path.home()}/a/b, or ({zips.parent}/kernels/q)") == "no b, or (q)"
    for path in (
        Path.home(),
        Path(sys.prefix),
        zips,
        "/home/guess",
        "/root",
        "/srv/koth",
        "/home/guess/.cache/koth/zips",
    ):
        if not str(path).startswith("/usr/"):  # a guess of it is answered
            assert remove_all_paths(f"{path}/a/b/c, {path}/x") == ("b/c, x" if Path(path).name == "zips" else "c, x")
    for text in ("1/2 and a/b", "/usr/bin/python3 bot.py", "https://x.example/tmp/koth-a/b", f"x{sys.prefix}y"):
        assert remove_all_paths(text) == remove_host_paths(text) == text


def test_no_reason_has_a_path_of_the_host(hill: Place) -> None:
    hill.submit("fox", "anna")
    Version.objects.update(reason=f"{cache_folder('zips')}/0a1b/fox/bot.py is gone")
    assert Version.objects.get().reason == "fox/bot.py is gone"
