"""The page on rounds is true: its commands run, and it names every file that authors and hosts find."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import koth as koth
from tests.cli.program import SMALL, Koth
from tests.docs.pages import DOCS

TEXT = (DOCS / "rounds.md").read_text(encoding="utf-8")


def test_its_commands_run_and_what_it_tells_is_there(
    koth: Koth, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)
    for line in block.replace("\\\n", " ").replace("$PWD", str(DOCS.parent)).splitlines():
        _, *words = shlex.split(line)
        shorter = SMALL if words[1] == "init" else ("--matches", 2, "--rounds", 1) if words[1] == "rounds" else ()
        done = koth(*words, *shorter)
        assert done.code == 0, done.err
    (compare,) = re.findall(r"^ +(koth compare .*)$", TEXT, re.MULTILINE)
    words = shlex.split(compare.replace("rounds/6", "rounds/1").replace("rounds/1/", "rounds/0/", 1))[1:]
    assert koth(*words, "--matches", 2).code in (0, 1, 3, 4)
    arena = tmp_path / "hill" / "rounds" / "authors" / "mender" / "arena"
    for place in arena.iterdir():
        assert place.name in TEXT or f"`{place.suffix}`" in TEXT
        assert f"arena/{place.name}" in (arena / "README.md").read_text() or place.name == "README.md"
    for place in (tmp_path / "hill" / "rounds" / "1" / "mender").iterdir():
        assert place.name in TEXT
