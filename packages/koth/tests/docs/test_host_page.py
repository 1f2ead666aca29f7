"""The page for hosts is true: it has every key and language, and its contest plays."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from koth.cli import cli
from koth.discovery.folder import load_bot
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
    bot = load_bot(load_game("zombies"), tmp_path, Interpreters())
    assert (bot.name, bot.protocol, bot.policy.memory >> 20) == ("Reynard", "json", 256)
    assert bot.environment == {"MODE": "fast"}
    assert bot.build == (("cc", "-O2", "-o", "fast", "fast.c"),)


def test_a_knockout_ends_with_one_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    *_, told = [CliRunner().invoke(cli, shlex.split(line)[1:]).stdout for line in BLOCKS["knockout"].splitlines()]
    semifinals, (final,) = (
        re.findall(rf"^{name}: .* - .*: (\w+)", told, re.MULTILINE) for name in ("semifinals", "final")
    )
    assert len(semifinals) == 2
    assert final in semifinals
