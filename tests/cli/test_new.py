"""`koth new`: a bot in every language that plays at once, without a fault."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from mypy import api as mypy

from koth.cli.new import starts
from koth.games import GAMES, load
from koth.scaffold import make
from koth.scaffold.languages import LANGUAGES as MADE
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

FULL = ("c++", "go", "java", "javascript", "python", "rust")
"""Languages in which every game has a page of its own."""


QUICK = ("c", "lua", "php", "ruby", "typescript")
"""Kits that are built and started at once."""


def started(game: str, lang: str) -> bool:
    """Whether a start is worth a match: of the kits whose compilers take their time, two are."""
    return lang in FULL or lang not in MADE or lang in QUICK or game in ("aliens", "metalman")


TEMPLATES = [
    pytest.param(game, lang, marks=pytest.mark.needs("bwrap", *PROGRAMS[lang]), id=f"{game}-{lang}")
    for game in GAMES
    for lang in starts(load(game))
    if started(game, lang)
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
    done = koth("run", game, "mine", *rivals[: size - 1], *words)
    assert done.code == 0, done
    faults = {line["bot"]: line["faults"] for line in json.loads(done.out)["standings"]}
    assert faults["mine"] == {}
    assert json.loads((tmp_path / "out" / "run.json").read_text())["unrepeatable"] == []


def test_a_folder_that_is_not_empty_is_left_alone(koth: Koth, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    assert koth("new", "zombies", "mine").code == 0
    (tmp_path / "mine" / "bot.py").write_text("# my own")
    assert koth.refused("new", "zombies", "mine") == "mine exists already, and is not empty"
    assert (tmp_path / "mine" / "bot.py").read_text() == "# my own"


def test_every_game_has_a_start_in_python_and_javascript() -> None:
    for game in GAMES:
        assert {"python", "javascript"} <= starts(load(game)).keys()


NODE = """\
declare const process: { stdin: unknown, stdout: { write(text: string): void } };
declare const console: { log(text: string): void; error(...values: unknown[]): void };
declare const module: { exports: unknown };
declare module "readline" {
  interface Lines { on(name: "line", heard: (line: string) => void): void; close(): void }
  function createInterface(options: { input: unknown }): Lines;
}
"""
"""What the starts use of Node, whose own types are a package that a test need not fetch."""


@pytest.mark.needs("node", "tsc")
def test_the_types_of_javascript_are_right(tmp_path: Path) -> None:
    """In every game, for the game's own page and for the one that follows from its declaration."""
    pages = []
    for game in GAMES:
        made = _made(game, "javascript", tmp_path)
        pages += [made / "own" / "bot.js", made / "plain" / "bot.js"]
    (tmp_path / "node.d.ts").write_text(NODE)
    strict = [
        "--noEmit",
        "--allowJs",
        "--checkJs",
        "--strict",
        "--target",
        "es2020",
        "--lib",
        "es2020",
        "--module",
        "commonjs",
    ]
    done = subprocess.run(
        ["tsc", *strict, "node.d.ts", *map(str, pages)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout == ""
    wrong = tmp_path / "zombies" / "own" / "bot.js"
    wrong.write_text(wrong.read_text().replace('return "STAY"', 'return "UP"'))
    done = subprocess.run(["tsc", *strict, "node.d.ts", str(wrong)], cwd=tmp_path, capture_output=True, text=True)
    assert "'\"UP\"' is not assignable to type" in done.stdout


def test_the_types_of_python_are_right(tmp_path: Path) -> None:
    """As above; in games with a Python API only the plain page, which their packages' games have, too."""
    for game in GAMES:
        made = _made(game, "python", tmp_path)
        folder = made / ("own" if game == "pacman" else "plain")
        out, _, code = mypy.run(["--strict", "--no-incremental", str(folder / "bot.py"), str(folder / "arena.py")])
        assert code == 0, out


def _made(game: str, lang: str, place: Path) -> Path:
    """A start with the game's own page, if it has one, and the one that follows from the declaration alone."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("own", "plain"):
            folder = place / game / name
            folder.mkdir(parents=True)
            for file, text in make.files(load(game), lang).items():
                (folder / file).write_text(text)
            patch.setattr(make, "PAGES", "no such folder")
    return place / game
