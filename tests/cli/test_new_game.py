"""`koth new-game`: a package that pip installs, that plays, keeps the laws, can be looked at, and is small."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.elsewhere import Elsewhere

SKELETON = Path(__file__).parents[2] / "src" / "koth" / "skeleton"
MOST = 250
"""Lines of a skeleton, prose not counted."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Elsewhere:
    """The game, and a contest of it in `first`: of its samples and the bot that `koth new` makes."""
    place = Elsewhere(tmp_path_factory.mktemp("new-game"))
    place.koth("new-game", "gold")
    place.install(place.folder / "koth-gold")
    place.koth("new", "gold", "mine")
    words = ("run", "gold", "mine", "@greedy", "@wanderer", "--matches", "1", "--seed", "7", "--set", "turns=12")
    told = json.loads(place.koth(*words, "--out", "first", "--json").stdout)
    assert {line["bot"]: line["faults"] for line in told["standings"]} == {"mine": {}, "greedy": {}, "wanderer": {}}
    return place


def test_it_keeps_the_laws_by_its_own_tests(made: Elsewhere) -> None:
    done = made.run("-m", "pytest", "-p", "no:cacheprovider", "koth-gold/tests")
    assert "passed" in done.stdout


def test_all_that_koth_can_do_it_can_do_with_it(made: Elsewhere) -> None:
    made.uses_everything("gold", "mine", "first")
    for page in ("first.html", "first-site/watch.html"):
        assert "the frames do not say how large the board is" in (made.folder / page).read_text(encoding="utf-8")


def test_its_default_glyphs_show_gold_and_bots(made: Elsewhere) -> None:
    shown = made.koth("watch", made.first_replay("first")).stdout
    board = [line.split() for line in shown.splitlines() if line.startswith((". ", "g ", "A ", "B ", "C "))]
    assert len(board) == 11
    assert {sign for row in board for sign in row} >= {".", "g", "A"}


def test_names_that_can_not_be(tmp_path: Path, made: Elsewhere) -> None:
    assert "is no name for a game" in made.koth("new-game", "Gold Rush", code=2).stderr
    assert "there is a game zombies already" in made.koth("new-game", "zombies", code=2).stderr
    assert "there is a game gold already" in made.koth("new-game", "gold", code=2).stderr
    assert "is not empty" in made.koth("new-game", "other", "koth-gold", code=2).stderr


def test_the_skeleton_is_small() -> None:
    files = [path for path in SKELETON.rglob("*.*") if path.suffix in (".py", ".toml", ".js") and path.is_file()]
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files) <= MOST
