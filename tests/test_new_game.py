"""`koth new-game`: a package that pip installs, that plays, keeps the laws, can be looked at, and is small."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SKELETON = Path(__file__).parents[1] / "src" / "koth" / "skeleton"
MOST = 250
"""Lines of a skeleton, prose not counted."""


class Made:
    """A new game, installed by pip into a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.koth("new-game", "gold")
        words = ("-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--target", "site")
        self.run(*words, "./koth-gold")

    def run(self, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        """Python with these words; rules are not compiled, which would take longer than they are played."""
        environment = os.environ | {"PYTHONPATH": str(self.folder / "site"), "NUMBA_DISABLE_JIT": "1"}
        done = subprocess.run(
            [sys.executable, *words], cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, (words, done.stdout[-3000:], done.stderr[-3000:])
        return done

    def koth(self, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        return self.run("-m", "koth", *words, code=code)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """The game, and a contest of it in `first`: of its samples and the bot that `koth new` makes."""
    game = Made(tmp_path_factory.mktemp("new-game"))
    game.koth("new", "gold", "mine")
    words = ("run", "gold", "mine", "@greedy", "@wanderer", "--games", "1", "--seed", "7", "--set", "turns=12")
    told = json.loads(game.koth(*words, "--out", "first", "--json").stdout)
    assert {line["bot"]: line["faults"] for line in told["standings"]} == {"mine": {}, "greedy": {}, "wanderer": {}}
    return game


def replay_of(made: Made) -> Path:
    return min((made.folder / "first" / "replays").iterdir())


def test_it_keeps_the_laws_by_its_own_tests(made: Made) -> None:
    done = made.run("-m", "pytest", "-p", "no:cacheprovider", "koth-gold/tests")
    assert "11 passed" in done.stdout


def test_everything_that_koth_can_do_with_a_game_it_can_do_with_this_one(made: Made) -> None:
    replay = str(replay_of(made))
    assert "verified" in made.koth("verify", "first").stdout
    assert "ready to play" in made.koth("check", "mine", "--game", "gold", "--turns", "4").stdout
    assert '"north"' in made.koth("schema", "gold").stdout
    assert "@greedy" in made.koth("bots", "gold").stdout
    assert "bot" in made.koth("standings", "first", "--csv").stdout
    assert "no bot had a fault" in made.koth("why", "first").stdout
    debugged = made.koth("debug", replay, "--bot", "mine", "--turn", "2").stdout
    assert "gold:" in debugged
    made.koth("logs", "first", "mine")
    made.koth("export", replay, "one.html")
    made.koth("publish", "first", "site-of-it")
    for page in ("one.html", "site-of-it/watch.html"):
        assert "the frames do not say how large the board is" in (made.folder / page).read_text(encoding="utf-8")
    assert "no play.js" in made.koth("play", "gold", "--no-open", code=2).stderr


def test_its_default_glyphs_show_gold_and_bots(made: Made) -> None:
    shown = made.koth("watch", str(replay_of(made))).stdout
    board = [line.split() for line in shown.splitlines() if line.startswith((". ", "g ", "A ", "B ", "C "))]
    assert len(board) == 11
    assert {sign for row in board for sign in row} >= {".", "g", "A"}


def test_names_that_can_not_be(tmp_path: Path, made: Made) -> None:
    assert "is no name for a game" in made.koth("new-game", "Gold Rush", code=2).stderr
    assert "there is a game zombies already" in made.koth("new-game", "zombies", code=2).stderr
    assert "there is a game gold already" in made.koth("new-game", "gold", code=2).stderr
    assert "is not empty" in made.koth("new-game", "other", "koth-gold", code=2).stderr


def test_the_skeleton_is_small() -> None:
    files = [path for path in SKELETON.rglob("*.*") if path.suffix in (".py", ".toml", ".js") and path.is_file()]
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files) <= MOST
