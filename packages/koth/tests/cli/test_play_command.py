"""`koth play` says what is wrong before anything is served."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from koth.cli import cli
from koth.errors import KothError
from koth.games import GAMES, load
from koth.viewer.play import controls_of, open_person

WRONG = {
    "no such game": (["chess"], "there is no game 'chess'"),
    "no such level": (["zombies", "--level", "eazy"], "did you mean easy?"),
    "a name that is taken": (["zombies", "@runner", "--name", "runner"], "can't be called 'runner'"),
    "a name that is reserved": (["zombies", "@runner", "--name", "Zombie"], "can't be called 'Zombie'"),
    "no name at all": (["zombies", "@runner", "--name", " "], "can't be called ''"),
    "no such sample": (["pacman", "@nobody"], "there is no sample @nobody"),
    "too many": (["metalman", "@hunter", "@ambusher", "@explorer", "@storm_runner"], "seats 2 to 4 players, not 5"),
    "no such setting": (["pacman", "--set", "colour=3"], "no setting 'colour'"),
    "a setting that can't be played": (["pacman", "@greedy", "--set", "side=2"], ""),
    "no such ruleset": (["zombies", "--ruleset", "mine"], "no ruleset 'mine'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_at_once(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words, told = WRONG[case]
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["play", *words])
    assert isinstance(result.exception, KothError), result.output
    assert told in str(result.exception)
    assert not list(tmp_path.rglob("*.koth.gz*"))


def test_a_bot_that_can_not_play_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken.py").write_text("import no_such_module\n")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["play", "zombies", "broken.py"])
    assert isinstance(result.exception, KothError), result.output
    assert "broken: crash" in str(result.exception)
    assert "no_such_module" in str(result.exception)


def test_a_slow_start_is_told_with_the_cure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slow.py").write_text("import time\ntime.sleep(60)\nclass Bot: pass\n")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["play", "zombies", "slow.py", "--start-timeout", "0.3"])
    assert isinstance(result.exception, KothError), result.output
    assert "late: not ready within 0.3 s" in str(result.exception)
    assert "slow imports? More time to start: --start-timeout SECONDS" in str(result.exception)


def test_a_replay_is_never_written_over(tmp_path: Path) -> None:
    file = tmp_path / "match.koth.gz"
    file.write_bytes(b"mine")
    result = CliRunner().invoke(cli, ["play", "zombies", "@runner", "--out", str(file)])
    assert "is there already" in str(result.exception)
    assert file.read_bytes() == b"mine"


def test_the_games_that_people_can_play() -> None:
    for name in GAMES:
        assert controls_of(name), name
        game = load(name)
        assert open_person(game, next(iter(game.rulesets.values())), 3, "Ann").name == "Ann"
