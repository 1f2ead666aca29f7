"""`koth new`: a bot in every language that plays at once, without a fault."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from koth.cli.new import starts
from koth.games import GAMES, home, load
from koth.scaffold import make
from koth.scaffold.languages import own
from tests.cli.program import Koth
from tests.trials import quick

PROGRAMS = {
    "python": [],
    "javascript": ["node"],
    "java": ["java", "javac"],
    "c++": ["c++"],
    "rust": ["rustc"],
    "go": ["go"],
    "typescript": ["node", "tsc"],
    "scala": ["java", "javac", "scalac"],
    "kotlin": ["java", "javac", "kotlinc"],
    "groovy": ["java", "javac", "groovyc"],
    "clojure": ["java", "javac", "clojure"],
    "rhino": ["java", "javac", "rhino"],
    "jython": ["java", "javac", "jython"],
    "jruby": ["java", "javac", "jruby"],
    "c": ["cc"],
    "c#": ["mcs", "mono"],
    "php": ["php"],
    "ruby": ["ruby"],
    "lua": ["lua"],
    "haskell": ["ghc"],
}
"""What a template's language needs."""

SLOW = ("c#", "c++", "go", "haskell", "java", "kotlin", "rust")
"""Languages whose compilers take their time: of the bots that are made in them, two are played."""


def played(game: str, lang: str) -> bool:
    return lang not in SLOW or lang in own(home(game).folder) or game in ("aliens", "metalman")


TEMPLATES = [
    pytest.param(game, lang, marks=pytest.mark.needs("bwrap", *PROGRAMS[lang]), id=f"{game}-{lang}")
    for game in GAMES
    for lang in starts(load(game))
    if played(game, lang)
]


@pytest.mark.parametrize(("game", "lang"), TEMPLATES)
def test_it_plays_at_once(game: str, lang: str, koth: Koth, tmp_path: Path) -> None:
    made = koth("new", game, "mine", "--lang", lang)
    assert made.code == 0
    command = made.out.splitlines()[1].split()
    assert command[1:4] == ["run", game, "mine"]
    size = load(game).contest_defaults.table or 2
    rivals = [f"@{name}" for name in load(game).default_entrants[:size]]
    words = ["--matches", "1", "--out", "out", "--json", "--isolation", "strong", *quick(game)]
    words += ["--start-timeout", "60"]  # a JVM's compilers take several times their CPU time on a busy machine
    done = koth("run", game, "mine", *rivals[: size - 1], *words)
    assert done.code == 0, done
    faults = {line["bot"]: line["faults"] for line in json.loads(done.out)["standings"]}
    assert faults["mine"] == {}
    assert json.loads((tmp_path / "out" / "run.json").read_text())["unrepeatable"] == []


@pytest.mark.parametrize(
    ("short", "main"), [("js", "bot.js"), ("ts", "bot.ts"), ("py", "bot.py"), ("cpp", "bot.cpp")]
)
def test_short_names_of_languages_are_known(short: str, main: str, koth: Koth, tmp_path: Path) -> None:
    assert koth("new", "zombies", "mine", "--lang", short).code == 0
    assert (tmp_path / "mine" / main).exists()


@pytest.mark.parametrize("game", GAMES)
def test_python_is_made_from_every_declaration(game: str, koth: Koth, tmp_path: Path) -> None:
    """Also for games that have an API of their own: a class whose `act` answers each question."""
    (tmp_path / "mine").mkdir()
    for name, text in make.files(load(game), "python").items():
        (tmp_path / "mine" / name).write_text(text, encoding="utf-8")
    size = load(game).contest_defaults.table or 2
    rivals = [f"@{name}" for name in load(game).default_entrants[: size - 1]]
    done = koth("run", game, "mine", *rivals, "--matches", "1", "--out", "out", "--json", *quick(game))
    assert done.code == 0, done
    assert {line["bot"]: line["faults"] for line in json.loads(done.out)["standings"]}["mine"] == {}
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert (record["bots"][0]["protocol"], record["unrepeatable"]) == ("python", [])


@pytest.mark.parametrize("game", GAMES)
def test_a_made_bot_draws_its_answers(game: str) -> None:
    """Also where the choices are no texts: steps of Metal Man are pairs of numbers."""
    assert "self.dice.choice(" in make.files(load(game), "python")["bot.py"]


def test_a_made_bot_draws_truths() -> None:
    assert "FIGHTS = { false, true }" in make.files(load("aliens"), "lua")["bot.lua"]


def test_a_folder_that_is_not_empty_is_left_alone(koth: Koth, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    assert koth("new", "zombies", "mine").code == 0
    (tmp_path / "mine" / "bot.py").write_text("# my own")
    assert koth.refused("new", "zombies", "mine") == "mine exists already, and is not empty"
    assert (tmp_path / "mine" / "bot.py").read_text() == "# my own"


def test_every_game_has_a_start_in_python_and_javascript() -> None:
    for game in GAMES:
        assert {"python", "javascript"} <= starts(load(game)).keys()


def test_what_stands_for_several_texts_is_repeated_with_its_line() -> None:
    """A comment goes on as it began, and what is there for a question comes for each."""
    template = "# «hello»\n«questions»\ndef «name»():  # «about»\n«end»\n«title»\n"
    questions = [{"name": "act", "about": ["One.", "Two."]}, {"name": "meet", "about": ["Three."]}]
    text = make.filled(template, {"title": "Over", "hello": ["a", "", "b"]}, questions)
    assert text == "# a\n#\n# b\ndef act():  # One.\ndef act():  # Two.\ndef meet():  # Three.\nOver\n"
