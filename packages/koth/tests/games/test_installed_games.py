"""Games of installed packages: found by their entry points, imported when named, harmless when broken."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from koth import __version__
from koth.games import error_in_package
from koth.replay.reader import Replay
from koth.services.guide import DOCS
from tests.elsewhere import EXAMPLE, PLAIN_EXAMPLE, Elsewhere

PYTHON = (sys.executable, "-m", "koth")

HASTY = 'raise RuntimeError("imported")\n'

GAME = """
from dataclasses import dataclass
from koth.game import Constants, Field, Question
from koth.games.defaults import Defaults

@dataclass(frozen=True)
class Settings(Constants):
    side: int = 3

def initial_state_of_a_module(settings, seats, seeds): ...

class Game(Defaults):
    name = title = "{name}"
    seats = range(1, 3)
    rulesets = dict(standard=Settings())
    default_entrants = ()
    def questions(self, settings, seats): ...
    def initial_state(self, settings, seats, seeds): ...
    def turn(self, settings, state, buffers): ...
    {more}

GAME = Game()
"""
"""The module of a game that has all members, and does nothing."""


def install(folder: Path, package: str, games: dict[str, str], modules: dict[str, str]) -> None:
    """Lay a package down as pip would: its modules, and the metadata with its entry points."""
    for module, text in modules.items():
        (folder / module).mkdir(parents=True)
        (folder / module / "__init__.py").write_text(text)
    info = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = "".join(f"{game} = {module}\n" for game, module in games.items())
    (info / "entry_points.txt").write_text(f"[koth.games]\n{lines}")


def koth(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run([*PYTHON, *words], env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_only_the_game_that_is_named_is_imported(tmp_path: Path) -> None:
    install(tmp_path, "hasty", {"hasty": "hasty_game"}, {"hasty_game": HASTY})
    assert "imported" not in koth(tmp_path, "list", "zombies").stderr
    assert koth(tmp_path, "list", "zombies").returncode == 0
    named = koth(tmp_path, "run", "hasty")
    assert named.returncode == 2
    assert named.stderr.strip() == "koth: the game hasty of hasty can't be loaded: RuntimeError: imported"


def test_a_package_that_ends_python_is_told_in_a_line(tmp_path: Path) -> None:
    install(tmp_path, "leaving", {"leaving": "leaving_game"}, {"leaving_game": "import sys\nsys.exit(3)\n"})
    named = koth(tmp_path, "run", "leaving")
    assert named.returncode == 2
    assert named.stderr.strip() == "koth: the game leaving of leaving can't be loaded: SystemExit: 3"


def test_kinds_of_broken_packages_are_told_in_a_line(tmp_path: Path) -> None:
    install(tmp_path, "nowhere", {"nowhere": "not_there"}, {})
    install(tmp_path, "one", {"twice": "one_twice"}, {"one_twice": ""})
    install(tmp_path, "two", {"twice": "two_twice"}, {"two_twice": ""})
    install(tmp_path, "greedy", {"zombies": "greedy_zombies"}, {"greedy_zombies": HASTY})
    install(tmp_path, "empty", {"empty": "empty_game"}, {"empty_game": ""})
    listed = koth(tmp_path, "list")
    assert listed.returncode == 0
    assert "zombies" in listed.stdout
    assert sorted(listed.stderr.splitlines()) == [
        "greedy brings a game zombies, too: koth plays its own",
        "the game empty of empty can't be loaded: AttributeError: module 'empty_game' has no attribute 'GAME'",
        "the game nowhere: its package nowhere has no package 'not_there'",
        "the game twice is brought by one and two: uninstall all but one",
    ]
    wrong = koth(tmp_path, "run", "nowher")
    assert wrong.returncode == 2
    assert "did you mean nowhere?" in wrong.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("questions = None", "has a questions that is not a function (settings, seats)"),
        ("del questions", "has no questions(settings, seats): every question that a match can ask, by name"),
        ("del name, title; title = 'Short'", "has no name (str)"),
        ("seats = 2", "has seats = 2: a range of numbers of bots is needed, such as range(2, 9)"),
        ("rulesets = {{}}", "lacks rulesets: a dict of settings (a frozen dataclass on Constants) by name"),
        (
            "initial_state = initial_state_of_a_module",
            "has initial_state(settings, seats, seeds), which must take (settings, seats, seeds): "
            "a function of a module stands in the class as staticmethod(...)",
        ),
        ("def turn(self, settings): ...", "has turn(self, settings), which must take (settings, state, buffers)"),
    ],
)
def test_an_incomplete_game_is_one_line(more: str, told: str, tmp_path: Path) -> None:
    """It names the member and what it must be, and no other command minds."""
    text = GAME.format(name="half", more=more.format())
    install(tmp_path, "parts", {"half": "half_game"}, {"half_game": text})
    run = koth(tmp_path, "run", "half")
    assert (run.returncode, run.stderr) == (2, f"koth: the game half of parts {told}\n")
    listed = koth(tmp_path, "list")
    assert (listed.returncode, listed.stderr) == (0, f"the game half of parts {told}\n")


def test_an_error_in_a_game_is_one_line_with_its_file_and_line(tmp_path: Path) -> None:
    """Also where koth refuses what the game declares, and none of koth's own errors is called a game's."""
    text = GAME.format(
        name="wrong",
        more="""
    def questions(self, settings, seats):
        shown = {"x": Field("u1", high=settings.side)}
        return {"go": Question("go", shown, {"way": Field("u1", low=1, high=4)}, max_rows=seats)}
""",
    )
    install(tmp_path, "parts", {"wrong": "wrong_game"}, {"wrong_game": text})
    line = text.splitlines().index(
        '        return {"go": Question("go", shown, {"way": Field("u1", low=1, high=4)}, max_rows=seats)}'
    )
    schema = koth(tmp_path, "docs", "wrong/messages", "--json")
    assert (schema.returncode, schema.stderr) == (
        2,
        "koth: the game wrong, questions: ValueError: go: the default of way must be in 1 to 4 "
        f"(__init__.py, line {line + 1})\n",
    )
    with pytest.raises(ValueError, match="elsewhere") as elsewhere:
        raise ValueError("elsewhere")
    assert error_in_package(elsewhere.value) is None


@pytest.mark.slow
def test_koths_own_game_wins(tmp_path: Path) -> None:
    install(tmp_path, "greedy", {"metalman": "greedy_metalman"}, {"greedy_metalman": HASTY})
    words = ("run", "metalman", "@hunter", "@random_steps", "--matches", "1", "--max-turns", "3", "--json")
    played = koth(tmp_path, *words, "--out", str(tmp_path / "run"))
    assert played.returncode == 0, played.stderr
    assert koth(tmp_path, "new", "metalman", str(tmp_path / "new")).returncode == 0


def test_a_game_is_of_the_package_that_brings_it(tmp_path: Path) -> None:
    """Which is called otherwise than the module; who makes a game by hand has no package."""
    snakes = GAME.format(name="snakes", more="pass")
    install(tmp_path, "serpents", {"snakes": "snakes_game"}, {"snakes_game": snakes})
    code = """
from types import SimpleNamespace as Game
from types import SimpleNamespace
from koth.games import load, package_of
games = load("snakes"), SimpleNamespace(name="none"), load("zombies")
print(*(package_of(game).values() for game in games), sep="\\n")
"""
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    own = f"dict_values(['koth', {__version__!r}])"
    assert done.stdout.splitlines() == ["dict_values(['serpents', '1.0'])", "dict_values(['types', ''])", own]


@pytest.mark.slow
def test_a_game_that_is_called_as_a_page_of_koths_has_its_own(tmp_path: Path) -> None:
    hosted = GAME.format(name="host", more="pass")
    install(tmp_path, "meadow", {"host": "host_game"}, {"host_game": hosted})
    (tmp_path / "host_game" / "GUIDE.md").write_text("# Graze\n")
    assert "host/GUIDE" in koth(tmp_path, "docs").stdout
    assert koth(tmp_path, "docs", "host").stdout == (DOCS / "host.md").read_text()
    assert koth(tmp_path, "docs", "host/GUIDE").stdout == "# Graze\n"
    assert koth(tmp_path, "new", "host", "mine", "--lang", "cobol").stderr.endswith("docs host/GUIDE\n")


@pytest.fixture(scope="module")
def snakes(tmp_path_factory: pytest.TempPathFactory) -> Elsewhere:
    """The example, as pip installs it."""
    place = Elsewhere(tmp_path_factory.mktemp("snakes"))
    place.install(EXAMPLE)
    return place


@pytest.mark.slow
def test_the_example_plays_like_any_other_game(snakes: Elsewhere) -> None:
    """Its samples and the bot that `koth new` begins hold a contest (test_new_game.py tries all other commands)."""
    snakes.koth("new", "snakes", "mine")
    words = ("run", "snakes", "mine", "@careful", "@hungry", "--matches", "1", "--seed", "3", "--set", "turns=20")
    told = json.loads(snakes.koth(*words, "--out", "first", "--json").stdout)
    assert {line["bot"]: line["faults"] for line in told["standings"]} == {"mine": {}, "careful": {}, "hungry": {}}
    assert "verified" in snakes.koth("verify", "first").stdout
    header = Replay(snakes.folder / snakes.first_replay("first")).header
    assert header["package"] == {"name": "koth-snakes", "version": "0.1.0"}


@pytest.mark.slow
def test_the_plain_example_plays_like_any_other_game(tmp_path: Path) -> None:
    place = Elsewhere(tmp_path)
    place.install(PLAIN_EXAMPLE)
    words = ("run", "ricochet", "@hunter", "@dodger", "--ruleset", "duel", "--matches", "1", "--set", "turns=20")
    told = json.loads(place.koth(*words, "--out", "first", "--json").stdout)
    assert {line["bot"]: line["faults"] for line in told["standings"]} == {"hunter": {}, "dodger": {}}
    assert "verified" in place.koth("verify", "first").stdout
    shown = place.koth("debug", place.first_replay("first"), "--bot", "dodger", "--turn", "2").stdout
    assert "mine_x" in shown


@pytest.mark.slow
@pytest.mark.needs("node")
def test_its_bots_can_begin_in_json_lines(snakes: Elsewhere) -> None:
    """Which the package says nothing about: answers follow from what it declares."""
    snakes.koth("new", "snakes", "plain", "--lang", "javascript")
    words = ("run", "snakes", "plain", "@careful", "--matches", "1", "--seed", "3", "--set", "turns=20")
    told = json.loads(snakes.koth(*words, "--out", "others", "--json").stdout)
    assert {line["bot"]: line["faults"] for line in told["standings"]} == {"plain": {}, "careful": {}}


def test_a_game_of_a_package_can_be_played_by_people(tmp_path: Path) -> None:
    """Its play.js, its levels and its picture are found in its own folder, without importing it."""
    install(tmp_path, "hasty", {"hasty": "hasty_game"}, {"hasty_game": HASTY})
    (tmp_path / "hasty_game" / "play.js").write_text("")
    (tmp_path / "hasty_game" / "play.toml").write_text('[easy]\nbots = ["one"]\n')
    code = """
from koth.viewer.levels import levels_of
from koth.viewer.play import controls_of
from koth.viewer.server import picture_of
print(controls_of("hasty").name, *levels_of("hasty"), picture_of("hasty").name, picture_of("nobody"))
"""
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["play.js", "easy", "default-picture.js", "None"]


def test_the_example_is_small() -> None:
    """Prose (comments and docstrings) is not counted."""
    assert sum(map(lines_of_code, (EXAMPLE / "koth_snakes").rglob("*.*"))) <= 600
    assert sum(map(lines_of_code, (EXAMPLE / "tests").rglob("*.*"))) <= 400
    plain = (PLAIN_EXAMPLE / "koth_ricochet").glob("*.py")
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in plain) <= 302


def lines_of_code(file: Path) -> int:
    if file.suffix not in (".py", ".js"):
        return 0
    text = file.read_text(encoding="utf-8")
    prose = {number for number, line in enumerate(text.splitlines(), 1) if not line.strip()}
    prose |= {number for number, line in enumerate(text.splitlines(), 1) if line.lstrip().startswith(("#", "//"))}
    for node in ast.walk(ast.parse(text)) if file.suffix == ".py" else ():
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            prose.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(text.splitlines()) - len(prose)
