"""A check-up plays against rivals that play: built and kept apart like the bot, and named when they are missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from koth.cli import cli
from koth.diagnostics import checkup
from koth.diagnostics.checkup import CheckStep, Checkup, Problem
from koth.discovery.entrants import find_entrants
from koth.discovery.interpreters import Interpreters
from koth.discovery.plays import find_game
from koth.errors import KothError
from koth.games import GAMES, home, load
from koth.match import Result
from koth.sandbox.levels import choose_level

RULES = ("--set", "players=3", "--set", "vision=2", "--set", "shoot_range=2", "--set", "density=0.02")


@pytest.mark.slow
@pytest.mark.needs("bwrap")
@pytest.mark.parametrize("level", ["none", "strong"])
@pytest.mark.parametrize("game", GAMES)
def test_samples_come_up_as_rivals(game: str, level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules, isolation = load(game), choose_level(level)
    most = (rules.contest_defaults.seats or 3) - 1
    found = find_entrants(
        rules, [f"@{name}" for name in rules.default_entrants[: most + 1]], Interpreters(), isolation
    )
    (bot, *rivals), errors = found.bots, found.problems
    assert errors == []
    results: list[Result] = []

    def watched(*args: Any, **keywords: Any) -> Result:
        results.append(play(*args, **keywords))
        return results[-1]

    play = checkup.play
    monkeypatch.setattr(checkup, "play", watched)
    ruleset, settings = next(iter(rules.rulesets.items()))
    steps = checkup.check(
        Checkup(
            game=rules,
            ruleset=ruleset,
            settings=settings,
            max_turns=3,
            seed=1,
            folder=tmp_path,
            time_control=rules.time_control,
            isolation=isolation,
        ),
        bot,
        rivals,
    )
    assert [step.name for step in steps if step.ok] == ["found", "alone", "samples"]
    assert set(results[-1].records) == {bot.name, *(rival.name for rival in rivals)}
    assert all("crash" not in record.faults for record in results[-1].records.values())


def test_a_rival_of_the_name_of_the_bot_gets_another_one() -> None:
    code, text = koth("check", "@runner", "--against", "@runner")
    assert code == 0, text
    assert "against @runner" in text


def koth(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(cli, [*map(str, words), "--game", "zombies", "--max-turns", "3", *RULES])
    return result.exit_code, result.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rival", "told"),
    [
        ("import sys\nprint('no table', file=sys.stderr)\nsys.exit(3)", "rival: crash"),
        ("build = \"sh -c 'echo no compiler; exit 2'\"", "rival: its build failed (exit status 2)"),
    ],
)
def test_a_rival_that_does_not_come_up_is_told_of(rival: str, told: str, tmp_path: Path) -> None:
    folder = tmp_path / "rival"
    folder.mkdir()
    builds = rival.startswith("build")
    (folder / "bot.py").write_text("" if builds else rival)
    (folder / "koth.toml").write_text(f'protocol = "json"\n{rival if builds else ""}\n')
    words = ("check", "@runner", "--against", folder)
    code, text = koth(*words)
    assert code == 1
    assert told in text
    assert ("no table" if not builds else "no compiler") in text
    assert "samples: " in text
    assert "not fine" in text
    assert text.splitlines()[-1].startswith("no fault of this bot, but rivals are missing (tried: 3 turns alone")
    code, text = koth(*words, "--json")
    assert (code, json.loads(text)["ok"]) == (1, False)
    assert [problem["kind"] for step in json.loads(text)["steps"] for problem in step["problems"]] == ["rival"]


GAMES_OF = {
    "ann/bot.py": ("import sys\nfrom koth.games.metalman.atlas import act\n", "metalman"),
    "bob/MyBot.kt": ("package player\nimport zombie.Move\n", "zombies"),
    "cid/cid.clj": ("(ns x (:import [alien Alien] [planet Move]))", "aliens"),
    "dan/bot.py": ("from koth.games.zombies.bot import Move\nfrom koth.games.aliens.bot import Alien\n", ""),
    "eve/bot.py": ("print('X')  # the zombie of pacman", ""),
}


def test_the_game_is_found_by_what_is_imported(tmp_path: Path) -> None:
    for file, (text, game) in GAMES_OF.items():
        path = tmp_path / file
        path.parent.mkdir()
        path.write_text(text)
        if game:
            assert find_game(str(path)) == find_game(f"me={path.parent}") == game
        else:
            with pytest.raises(KothError, match="which game does it play"):
                find_game(str(path.parent))
    assert find_game("@mastermind") == "pacman"
    with pytest.raises(KothError, match=r"it may be zombies or metalman .*: --game GAME"):
        find_game("@hunter")


def test_a_manifest_that_can_not_be_read_is_the_reason(tmp_path: Path) -> None:
    (tmp_path / "koth.toml").write_text('game = "pacman"\ncommand = python prog.py\n')
    with pytest.raises(KothError, match=r"koth\.toml: Invalid value"):
        find_game(str(tmp_path))


@pytest.mark.parametrize("game", GAMES)
def test_every_start_that_imports_an_api_says_its_game(game: str) -> None:
    starts = [path for path in home(game).folder.glob("new/*") if path.suffix in (".py", ".java")]
    found = []
    for start in starts:
        try:
            found.append(find_game(str(start)))
        except KothError:
            continue  # it speaks lines
    assert set(found) <= {game}
    assert found or game == "pacman"


def test_a_bot_that_is_late_alone_meets_no_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    late = CheckStep("alone", "3 turns", [Problem("late", 3, 1, "no answer in time")])
    monkeypatch.setattr(Checkup, "play_alone", lambda *_: late)
    code, text = koth("check", "@runner")
    assert code == 1
    assert "no answer in time" in text
    assert "samples" not in text
