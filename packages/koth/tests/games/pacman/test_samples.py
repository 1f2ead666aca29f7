"""The sample bots play, by their rules and without a fault."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from koth.contest.preflight import build
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.discovery.samples import find_sample, read_summary, sample_names
from koth.games.pacman import GAME
from koth.games.pacman.state import Settings
from koth.match import Result, play

SETTINGS = Settings(side=16, turns=50)


def played(tmp_path: Path, names: list[str], settings: Settings = SETTINGS) -> Result:
    bots = []
    for name in names:
        bot, problem = build(load_bot(GAME, find_sample("pacman", name), Interpreters(sys.executable)), tmp_path)
        assert not problem
        bots.append(bot)
    return play(GAME, settings, bots, 3)


def test_the_default_field_plays_without_a_fault(tmp_path: Path) -> None:
    result = played(tmp_path, list(GAME.default_entrants))
    assert {name: record.faults for name, record in result.records.items() if record.faults} == {}
    assert all(not record.stderr for record in result.records.values())


def test_the_default_field_needs_nothing_but_python() -> None:
    assert len(GAME.default_entrants) >= 8
    for name in GAME.default_entrants:
        assert find_sample("pacman", name).suffix == ".py"


@pytest.mark.parametrize(
    "name",
    [
        "json_greedy",
        "grazer",
        pytest.param("bloodhound", marks=pytest.mark.needs("lua")),
        pytest.param("shortsighted", marks=pytest.mark.needs("node")),
        pytest.param("ghostbuster", marks=pytest.mark.needs("java", "javac")),
    ],
)
def test_samples_in_other_languages_play_without_a_fault(tmp_path: Path, name: str) -> None:
    result = played(tmp_path, [name, "greedy"])
    assert result.records[name].faults == {}
    assert not result.records[name].stderr
    assert result.scores[name] > 0


def test_every_sample_is_in_the_field_or_needs_more() -> None:
    assert set(sample_names("pacman")) == {
        *GAME.default_entrants,
        "json_greedy",
        "grazer",
        "bloodhound",
        "shortsighted",
        "ghostbuster",
    }


@pytest.mark.parametrize("name", sample_names("pacman"))
def test_every_sample_says_what_it_is_about(name: str) -> None:
    text = read_summary("pacman", find_sample("pacman", name))
    assert text[0].isupper()  # no mark of a comment
    assert text.endswith((".", "?", "!"))


LATE_READER = """
import sys
walls = sys.stdin.readline()
while True:
    told = sys.stdin.readline()
    if len(told) < 4:
        break
    for _ in range(2500):
        sys.stdout.write("0,0\\n")
    sys.stdout.flush()
    digits = [sys.stdin.readline() for _ in range(2500)]
    assert digits == [walls[0] + "\\n"] * 2500, digits
    print("X", flush=True)
"""


def test_rule_36_side_queries_may_be_sent_before_their_answers_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More of them than a pipe holds: what waits goes behind the question, in order."""
    monkeypatch.setattr("koth.session.process.PIPE", 1 << 12)
    folder = tmp_path / "reader"
    folder.mkdir()
    (folder / "koth.toml").write_text('protocol = "text"\ncommand = ["python", "main.py"]\n')
    (folder / "main.py").write_text(LATE_READER)
    bot = load_bot(GAME, folder, Interpreters(sys.executable))
    record = play(GAME, replace(SETTINGS, turns=3), [bot], 7).records["reader"]
    assert (record.faults, record.stderr) == ({}, b"")
