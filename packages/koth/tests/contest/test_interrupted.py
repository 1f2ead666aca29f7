"""A contest killed at any moment, gone on with: the same rows and replays, and nothing left running."""

from __future__ import annotations

import os
import re
import signal
import uuid
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from koth.cli import cli
from tests.cli.program import SMALL, bot_file, finished, program
from tests.contest.folders import SLOW_BOT, processes, replays, rows, wait_until

GAMES = 8
SLOW = SLOW_BOT.format(seconds=0.005)


@dataclass
class Field:
    """Two bots whose processes can be told from all others, and where their runs go."""

    folder: Path
    word: str

    def command(self, out: str, jobs: int) -> list[object]:
        bots = [self.folder / f"a{self.word}.py", self.folder / f"b{self.word}.py"]
        return ["run", "zombies", *bots, *SMALL, "--matches", GAMES, "--seed", 7, "--out", out, "--jobs", jobs]

    def nothing_is_left(self) -> None:
        wait_until(lambda: not processes(self.word))


@pytest.fixture(scope="module")
def field(tmp_path_factory: pytest.TempPathFactory) -> Field:
    folder, word = tmp_path_factory.mktemp("contest"), uuid.uuid4().hex
    for letter in "ab":
        bot_file(folder, letter + word, SLOW)
    return Field(folder, word)


@pytest.fixture(scope="module")
def unbroken(field: Field) -> Path:
    """The same contest, never interrupted."""
    done = finished(program(*field.command("unbroken", 1), cwd=field.folder))
    assert done.code == 0, done
    field.nothing_is_left()
    assert len(rows(field.folder / "unbroken")["matches"]) == GAMES
    assert rows(field.folder / "unbroken")["faults"]
    return field.folder / "unbroken"


def same(folder: Path, unbroken: Path) -> None:
    assert rows(folder) == rows(unbroken)
    assert replays(folder) == replays(unbroken)
    assert not list(folder.rglob("*.part"))


def said(*words: object) -> str:
    """What a command prints on stdout, in this process: nothing is to be interrupted."""
    done = CliRunner().invoke(cli, [str(word) for word in words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def resumed(field: Field, out: str, jobs: int) -> str:
    return said("resume", field.folder / out, "--jobs", jobs)


@pytest.mark.slow
def test_several_matches_at_a_time(field: Field, unbroken: Path) -> None:
    done = finished(program(*field.command("jobs", 3), cwd=field.folder))
    assert done.code == 0, done
    same(field.folder / "jobs", unbroken)
    field.nothing_is_left()


@pytest.mark.slow_but
@pytest.mark.parametrize(
    ("jobs", "moment"),
    [
        (1, "replays/match-0001.koth.gz.part"),
        (2, "run.json"),
        (2, "replays/match-0002.koth.gz"),
    ],
)
def test_killed(moment: str, jobs: int, field: Field, unbroken: Path) -> None:
    """SIGKILL of koth when this file has appeared."""
    out = f"killed-{jobs}-{Path(moment).name}"
    process = program(*field.command(out, jobs), cwd=field.folder)
    wait_until((field.folder / out / moment).exists)
    process.kill()
    process.communicate()
    field.nothing_is_left()
    assert len(rows(field.folder / out)["matches"]) < GAMES
    resumed(field, out, 3 - jobs)
    same(field.folder / out, unbroken)
    field.nothing_is_left()


def test_killed_before_the_first_match(field: Field) -> None:
    process = program(*field.command("early", 1), cwd=field.folder)
    wait_until(lambda: processes(field.word))
    process.kill()
    process.communicate()
    field.nothing_is_left()


@pytest.mark.slow_but
@pytest.mark.parametrize(("how", "jobs"), [("Ctrl-C", 2), ("SIGTERM", 1), ("SIGTERM to all", 2)])
def test_interrupted(how: str, jobs: int, field: Field, unbroken: Path) -> None:
    """The standings so far are printed; what was finished is kept, what was not is gone."""
    out = f"interrupted-{how.replace(' ', '-')}-{jobs}"
    process = program(*field.command(out, jobs), cwd=field.folder)
    wait_until((field.folder / out / "replays" / "match-0001.koth.gz").exists)
    wait_until(lambda: len(rows(field.folder / out)["matches"]) > 0)
    if how == "SIGTERM":
        process.terminate()
    else:  # a terminal and a service's manager tell the whole group
        os.killpg(process.pid, signal.SIGINT if how == "Ctrl-C" else signal.SIGTERM)
    done = finished(process)
    assert done.code == 130, done
    field.nothing_is_left()
    assert f" resume {out}" in done.err
    assert "Traceback" not in done.err
    assert "resource_tracker" not in done.err
    count = re.search(r"zombies \(published\), (\d) of 8 matches, median, seed 7", done.out)
    assert count, done
    assert int(count[1]) == len(rows(field.folder / out)["matches"])
    told = said("standings", field.folder / out)
    assert f"zombies (published), {count[1]} of 8 matches, median" in told
    verified = said("verify", field.folder / out)
    assert f"verified, {count[1]} match{'es' * (count[1] != '1')} (the contest is not over)" in verified
    assert not list((field.folder / out).rglob("*.part"))
    resumed(field, out, jobs)
    same(field.folder / out, unbroken)


WAITING = """
import pathlib, time
pathlib.Path("FILE").touch()
time.sleep(600)
"""


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "run"])
def test_sigterm_in_the_middle_of_a_question(command: str, tmp_path: Path) -> None:
    """While a bot is waited for: no word of Python's, nothing goes on, nothing is left."""
    bot, started = tmp_path / "waits", tmp_path / "started"
    bot.mkdir()
    (bot / "main.py").write_text(WAITING.replace("FILE", str(started)))
    (bot / "koth.toml").write_text(f'protocol = "json"\ncommand = ["python", "main.py", "{tmp_path}"]\n')
    words = {"check": ["waits", "--game", "zombies"], "run": ["zombies", "waits", "--start-timeout", "500"]}[command]
    process = program(command, *words, "--isolation", "none", cwd=tmp_path)
    wait_until(started.exists)
    process.terminate()
    done = finished(process)
    assert done.code == 130, done
    assert "Traceback" not in done.err
    wait_until(lambda: not processes(str(tmp_path)))
    assert not (tmp_path / "runs").exists() or not list((tmp_path / "runs").iterdir())


def test_resuming_keeps_whole_matches(field: Field, unbroken: Path) -> None:
    before = rows(unbroken)
    assert "8 matches, median, seed 7" in resumed(field, "unbroken", 1)
    assert rows(unbroken) == before
