"""`koth list FOLDER --game G`: what was found and how it will be started, before anything plays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.program import Koth
from tests.discovery.test_entrants import CLONE, written


def test_options_of_bots_are_for_folders(koth: Koth) -> None:
    for words in (("zombies", "--exclude", "x"), ("--game", "zombies")):
        assert koth.refused("list", *words).startswith("these options are for the bots in a folder")


def test_the_game_of_a_folder_of_bots_is_the_one_that_they_name(koth: Koth, tmp_path: Path) -> None:
    good = "from koth.games.zombies.bot import Move\nclass Good:\n    def do_turn(self, context):\n        pass\n"
    written(tmp_path / "field", {"ann/bot.py": good, "bob/bot.py": "print()\n"})
    assert "2 bots found" in koth("list", "field").out
    written(tmp_path / "field", {"bob/koth.toml": 'game = "pacman"\n'})
    assert "it may be zombies or pacman" in koth.refused("list", "field")


@pytest.mark.needs("node")
def test_koth_bots_shows_what_there_is(koth: Koth, tmp_path: Path) -> None:
    written(tmp_path / "field", {**CLONE, "broken/koth.toml": "nmae = 1\n"})
    done = koth("list", "field", "--game", "pacman")
    assert done.code == 1
    assert "3 bots found and not started (koth check BOT tries one), 1 more can't be read" in done.out
    assert "passed over: deep: no koth.toml, command.txt, build file or main file; name it to look inside" in done.out
    assert "broken: " in done.out
    done = koth("list", "field", "--game", "pacman", "--exclude", "broken", "--json")
    told = json.loads(done.out)
    assert done.code == 0
    assert [(bot["name"], bot["protocol"], bot["language"]) for bot in told["bots"]] == [
        ("ann", "text", ""),
        ("bob", "text", "javascript"),
        ("cid", "text", ""),
    ]
