"""A contest knows which bots do not repeat: they give another answer to the same question with the same seed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from koth.contest.preflight import build, preflight
from koth.contest.record import read_record
from koth.contest.run_reader import RunReader
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.discovery.samples import find_sample, sample_names
from koth.games import GAMES, load
from koth.viewer.contest import Dashboard
from tests.cli.program import SMALL, Koth, bot_file

DICER = """
from random import SystemRandom

from koth.games.zombies.bot import Move

class Dicer:
    def do_turn(self, context):
        return SystemRandom().choice(Move.values())
"""
PROGRAMS = {"pacman": ("java", "javac", "lua")}
"""What some samples of a game need beside Node and what koth needs itself."""
LINE = "Not repeatable: dicer (the same seed and questions, another answer)."


@pytest.fixture
def field(tmp_path: Path) -> list[Path]:
    return [bot_file(tmp_path, "good"), bot_file(tmp_path, "dicer", DICER)]


def test_a_contest_knows_it_and_says_so_everywhere(koth: Koth, field: list[Path], tmp_path: Path) -> None:
    ended = koth("run", "zombies", *field, "@wanderer", *SMALL, "--matches", "2", "--out", "out")
    assert ended.code == 0, ended.err
    assert LINE in ended.out
    assert read_record(tmp_path / "out")["unrepeatable"] == ["dicer"]
    assert LINE in koth("standings", "out").out
    assert f"* {LINE}" in koth("standings", "out", "--format", "markdown").out.replace("\\", "")
    assert json.loads(koth("standings", "out", "--format", "json").out)["unrepeatable"] == ["dicer"]
    assert LINE in Dashboard(RunReader(tmp_path / "out")).look()["notes"]


def test_going_on_remembers_it(koth: Koth, field: list[Path], tmp_path: Path) -> None:
    koth("run", "zombies", *field, *SMALL, "--matches", "1", "--out", "out")
    went_on = koth("resume", "out", "--matches", "2")
    assert LINE in went_on.out


def test_bots_of_several_matches_are_tried(field: list[Path], tmp_path: Path) -> None:
    """The dice of another one are where its object lies in memory, as is the order of a set of objects."""
    game, nobody = load("zombies"), Interpreters()
    by_address = DICER.replace("Dicer", "Another").replace("SystemRandom()", "Random(id(self) * context.game_clock)")
    field += [bot_file(tmp_path, "another", by_address.replace("SystemRandom", "Random"))]
    ready = [build(load_bot(game, path, nobody), tmp_path / "bots")[0] for path in field]
    assert preflight(game, game.rulesets["published"], ready, game.time_control, seats=1).unrepeatable == [
        "dicer",
        "another",
    ]


def test_a_check_shows_the_differing_answers(koth: Koth, field: list[Path]) -> None:
    good, dicer = (koth("check", path, "--game", "zombies", "--max-turns", "5", *SMALL) for path in field)
    assert "repeatable" not in good.out
    assert "it is not repeatable: " in dicer.out
    assert " recorded; take all random numbers from the seed" in dicer.out
    assert dicer.code == 0, "it is not a fault"


@pytest.mark.slow
@pytest.mark.parametrize(
    "game", [pytest.param(game, marks=pytest.mark.needs("node", *PROGRAMS.get(game, ()))) for game in GAMES]
)
def test_samples_repeat(game: str, tmp_path: Path) -> None:
    loaded, nobody = load(game), Interpreters()
    samples = [path for name in sample_names(game) if (path := find_sample(game, name)).parents[1].name != "jvm"]
    ready = [build(load_bot(loaded, path, nobody), tmp_path / "bots")[0] for path in samples]
    rules = next(iter(loaded.rulesets.values()))
    tried = preflight(loaded, rules, ready, loaded.time_control, ruleset=next(iter(loaded.rulesets)))
    assert (tried.broken, tried.unrepeatable) == ([], [])
