"""The page for hosts is true: it has every key and language, and its contest plays."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from koth.discovery.folder import load
from koth.discovery.interpreters import Interpreters
from koth.discovery.languages import LANGUAGES
from koth.discovery.manifest import KEYS
from koth.games import load as load_game
from tests.docs.pages import BLOCK, DOCS

TEXT = (DOCS / "host.md").read_text(encoding="utf-8")
BLOCKS = {name: text for name, _, text in BLOCK.findall(TEXT)}


def test_every_key_is_told() -> None:
    table = TEXT[TEXT.index("| key |") : TEXT.index("A key that has no effect")]
    told = set(re.findall(r"`(\w+)`", " ".join(line.split("|")[1] for line in table.splitlines() if "|" in line)))
    assert told == {*KEYS}


def test_every_language_is_told() -> None:
    untold = {ending for ending in LANGUAGES if f"`{ending}`" not in TEXT}
    assert untold == {".R", ".jl"}, "of these the page says in words that they were not tried"


def test_the_manifest_is_taken(tmp_path: Path) -> None:
    (tmp_path / "koth.toml").write_text(BLOCKS["manifest"])
    (tmp_path / "main.py").write_text("")
    bot = load(load_game("zombies"), tmp_path, Interpreters())
    assert (bot.name, bot.protocol, bot.policy.memory >> 20) == ("Reynard", "json", 256)
    assert bot.environment == {"MODE": "fast"}
    assert bot.build == (("cc", "-O2", "-o", "fast", "fast.c"),)


def test_a_knockout_ends_with_one_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(BLOCKS["knockout"], names)
    said = [line for line in capsys.readouterr().out.splitlines() if " -> " in line]
    assert [len(names["places"](count)) for count in (1, 2, 8)] == [1, 2, 8]
    assert names["places"](8) == [0, 7, 3, 4, 1, 6, 2, 5]
    assert len(said) == 3
    assert said[-1].endswith(names["players"][0])
