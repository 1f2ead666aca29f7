"""Documents are read in the terminal; shells complete its words; no language is turned away."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from rich.console import Console

from koth.cli import pages
from koth.cli.pages import strip_links
from koth.games import GAMES, load
from koth.services.guide import DOCS, make_guide
from tests.cli.program import Koth

ROOT = Path(__file__).resolve().parents[4]


@pytest.mark.parametrize("game", GAMES)
def test_rules_are_shown_as_they_are_written(koth: Koth, game: str) -> None:
    rules = ROOT / "packages/koth/src/koth/games" / game / "RULES.md"
    assert koth("docs", f"{game}/rules").out == rules.read_text()


def test_docs_are_listed_and_shown(koth: Koth) -> None:
    listed = koth("docs").out
    for file in (ROOT / "docs").glob("*.md"):
        assert f"  {file.stem} " in listed
        assert koth("docs", file.stem).out == file.read_text()
    assert listed.splitlines()[1].split() == ["Start", "index", "Start"]
    assert koth("docs", "jvm.md").code == 0
    assert "did you mean standings?" in koth.refused("docs", "standing")
    assert "there is no page" in koth.refused("docs", "chess/rules")


@pytest.mark.parametrize("game", GAMES)
def test_the_messages_of_a_game_are_shown_from_hello_to_bye(koth: Koth, game: str) -> None:
    schema = json.loads(koth("docs", f"{game}/messages", "--json").out)
    page = koth("docs", f"{game}/messages").out
    named = re.findall(r"^## ([\w.]+)$", page, re.M)
    assert (named[:2], named[-1]) == (["hello", "ready"], "bye")
    assert sorted(named) == sorted(schema["$defs"].keys() - {"to-bot", "from-bot"})
    for name in named:
        part = page.partition(f"## {name}\n")[2].partition("\n## ")[0]
        assert schema["$defs"][name]["description"] in part
        for key in schema["$defs"][name]["properties"]:
            assert f"\n| {key} | " in part, (name, key)
    assert ("\n## The protocol text\n" in page) == ("text" in load(game).protocols)
    assert "leave out --json" in koth.refused("docs", game, "--json")


def test_a_game_without_a_field_names_no_opponent(
    koth: Koth, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = load("zombies")
    assert f"koth run zombies my_bot @{game.default_entrants[0]} --matches 1" in make_guide(game)
    assert '```json\n{"ask":1,"moves":{"0":"STAY"}}\n```' in make_guide(game)
    monkeypatch.setattr(type(game), "default_entrants", ())
    assert "koth run zombies my_bot --matches 1" in make_guide(game)
    made = koth("new", "zombies", tmp_path / "mine").out
    assert f"run zombies {tmp_path / 'mine'} --matches 1\n" in made


def test_a_terminal_shows_a_set_page(koth: Koth, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "console", Console(force_terminal=True, width=80, height=10_000))
    shown = koth("docs", "zombies").out
    assert "```" not in shown
    assert "Write a bot for zombies" in shown
    assert "koth docs python" in " ".join(shown.split())
    assert "%C2" not in shown
    assert all(len(Console().render_str(line).plain) < 400 for line in shown.splitlines())


def test_links_become_commands() -> None:
    text = "see [the rules](../packages/koth/src/koth/games/zombies/RULES.md) and [jvm](jvm.md#start), ![x](images/x.png)\n[web](https://x.org)"
    told = strip_links(text)
    assert told == "see the rules (`koth docs zombies/rules`) and jvm (`koth docs jvm`), [web](https://x.org)"


def test_all_links_of_the_docs_lead_to_pages() -> None:
    for file in DOCS.glob("*.md"):
        for link in pages.LINK.finditer(file.read_text()):
            assert (DOCS / f"{link[2]}.md").is_file() or link[2] in GAMES, (file, link[0])


def test_a_language_without_a_start_is_told_of_json_lines(koth: Koth, tmp_path: Path) -> None:
    assert koth.refused("new", "zombies", tmp_path / "x", "--lang", "cobol").endswith("koth docs zombies")
    assert "any language can play by JSON lines" in koth.refused("new", "pacman", "x", "--lang", "cobol")
