"""`koth new-game`: a package that pip installs, that plays, keeps the laws, can be looked at, and is small."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from koth.cli.new_game import new_game
from tests.elsewhere import Elsewhere

SOURCE = Path(__file__).parents[2] / "src" / "koth"
MOST = {"skeleton": 290, "skeleton_plain": 150}
"""Lines of the programs of a skeleton."""


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


@pytest.mark.slow
def test_it_keeps_the_laws_by_its_own_tests(made: Elsewhere) -> None:
    done = made.run("-m", "pytest", "-p", "no:cacheprovider", "koth-gold/tests")
    assert "passed" in done.stdout


@pytest.mark.slow
def test_all_that_koth_can_do_it_can_do_with_it(made: Elsewhere) -> None:
    made.uses_everything("gold", "mine", "first")
    for page in ("first.html", "first-site/watch.html"):
        assert "where there is no board" in (made.folder / page).read_text(encoding="utf-8")


@pytest.mark.slow
def test_names_that_can_not_be(tmp_path: Path, made: Elsewhere) -> None:
    assert "is not a name for a game" in made.koth("new-game", "Gold Rush", code=2).stderr
    assert "there is a game zombies already" in made.koth("new-game", "zombies", code=2).stderr
    assert "there is a game gold already" in made.koth("new-game", "gold", code=2).stderr
    assert "is not empty" in made.koth("new-game", "other", "koth-gold", code=2).stderr


@pytest.mark.parametrize("skeleton", MOST)
def test_the_skeleton_is_small(skeleton: str) -> None:
    """Of the plain one without its tests; its bots are those of the other one."""
    files = [path for path in (SOURCE / skeleton).rglob("*.*") if path.suffix in (".py", ".toml", ".js")]
    counted = [path for path in files if skeleton == "skeleton" or path.parent.name != "tests"]
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in counted) <= MOST[skeleton]


def test_a_plain_game_is_made_with_the_rules_and_bots_of_the_other_form(tmp_path: Path) -> None:
    new_game("silver", tmp_path / "plain", plain=True)
    made = {str(path.relative_to(tmp_path / "plain")) for path in (tmp_path / "plain").rglob("*.*")}
    package = {"__init__.py", "match.py", "text.py", "RULES.md", "bots/greedy.py", "bots/wanderer.py"}
    own = {"README.md", "pyproject.toml", "tests/test_silver.py"}
    assert made == {f"koth_silver/{name}" for name in package} | own
    texts = [path.read_text(encoding="utf-8") for path in (tmp_path / "plain").rglob("*.*")]
    assert not any("keleton" in text for text in texts)
