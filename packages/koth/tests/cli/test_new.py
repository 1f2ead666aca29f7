"""`koth new`: a bot in every language that plays at once, without a fault, and better than at random."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from koth.discovery.starts import find_starts
from koth.games import GAMES, load
from tests.cli.program import Koth
from tests.trials import quick

PROGRAMS = {
    "python": [],
    "javascript": ["node"],
    "java": ["java", "javac"],
    "c++": ["c++"],
    "rust": ["rustc"],
    "go": ["go"],
}
"""The six languages, and what each needs."""
RANDOM = {"aliens": "wanderer", "metalman": "random_steps", "pacman": "random_walk", "zombies": "wanderer"}
"""A sample of each game that moves at random."""
ONCE = {
    "python": "pacman",
    "javascript": "metalman",
    "java": "metalman",
    "c++": "zombies",
    "rust": "aliens",
    "go": "pacman",
}
"""The game that each language is tried in every time; the others are marked long."""
MATCHES = {"aliens": 2, "metalman": 8, "pacman": 8, "zombies": 9}


def played(*words: object, koth: Koth) -> dict[str, Any]:
    """The standings by bot of a contest in the folder `out`."""
    patience = ["--start-timeout", "60"]  # a compiler takes several times its CPU time on a busy machine
    done = koth("run", *words, "--out", "out", "--json", "--isolation", "strong", *patience)
    assert done.code == 0, done
    return {line["bot"]: line for line in json.loads(done.out)["standings"]}


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_start_in_each_of_the_six(game: str) -> None:
    assert find_starts(game).keys() == PROGRAMS.keys()


@pytest.mark.slow
@pytest.mark.parametrize(
    "lang", [pytest.param(lang, marks=pytest.mark.needs("bwrap", *needed)) for lang, needed in PROGRAMS.items()]
)
def test_its_only_file_plays_alone(lang: str, koth: Koth, tmp_path: Path) -> None:
    """Who sends it alone leaves the manifest behind, which names only the game and the bot."""
    game = ONCE[lang]
    assert koth("new", game, "mine", "--lang", lang).code == 0
    (file,) = (path for path in (tmp_path / "mine").iterdir() if path.name != "koth.toml")
    (tmp_path / "mine" / "koth.toml").unlink()
    rivals = [f"@{name}" for name in load(game).default_entrants[: (load(game).contest_defaults.seats or 2) - 1]]
    lines = played(game, f"mine/{file.name}", *rivals, "--matches", "1", *quick(game), koth=koth)
    assert lines[file.stem]["faults"] == {}
    assert json.loads((tmp_path / "out" / "run.json").read_text())["unrepeatable"] == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("game", "lang"),
    [
        pytest.param(game, lang, marks=pytest.mark.needs("bwrap", *needed))
        for game in GAMES
        for lang, needed in PROGRAMS.items()
    ],
)
def test_it_beats_random_moves(game: str, lang: str, koth: Koth) -> None:
    assert koth("new", game, "mine", "--lang", lang).code == 0
    lines = played(game, "mine", f"@{RANDOM[game]}", "--matches", MATCHES[game], "--seed", "1", koth=koth)
    assert lines["mine"]["faults"] == {}
    assert lines["mine"]["score"] > 1.2 * lines[RANDOM[game]]["score"]


@pytest.mark.parametrize("lang", ["c++", "rust"])
def test_starts_of_one_language_read_json_alike(lang: str) -> None:
    """A start is one file, so the reader is in each: a mistake in it is mended in all of them."""
    texts = [find_starts(game)[lang].read_text() for game in GAMES]
    readers = {text.partition("// --- JSON")[2].partition("// ---\n")[0] for text in texts}
    assert len(readers - {""}) == 1


@pytest.mark.parametrize(
    ("short", "main"), [("js", "bot.js"), ("py", "bot.py"), ("cpp", "bot.cpp"), ("rs", "bot.rs")]
)
def test_short_names_of_languages_are_known(short: str, main: str, koth: Koth, tmp_path: Path) -> None:
    assert koth("new", "zombies", "mine", "--lang", short).code == 0
    assert (tmp_path / "mine" / main).exists()


def test_it_says_what_to_do_next(koth: Koth) -> None:
    commands = [shlex.split(line)[1:] for line in koth("new", "zombies", "mine").out.splitlines()[1:]]
    assert commands == [["run", "zombies", "mine", "@runner", "--matches", "1"], ["check", "mine"], ["dev", "mine"]]


def test_a_folder_that_is_not_empty_is_left_alone(koth: Koth, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    assert koth("new", "zombies", "mine").code == 0
    (tmp_path / "mine" / "bot.py").write_text("# my own")
    assert koth.refused("new", "zombies", "mine") == "mine exists already, and is not empty"
    assert (tmp_path / "mine" / "bot.py").read_text() == "# my own"
