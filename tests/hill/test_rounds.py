"""Authors that are programs: their commands run once a round, in folders of their own, and what they leave plays."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from koth.files.folders import remove
from koth.hill.models import Match, Version
from tests.cli.program import GOOD, Koth, finished, program
from tests.contest.folders import wait_until
from tests.hill.conftest import Place

EXAMPLES = Path(__file__).parents[2] / "examples" / "rounds"
RUN = ("--isolation", "none")
COUNTS = "echo . >> count; echo '#' $(wc -l < count) >> bot/bot.py"
"""A command that writes another bot each time, and how often it has run."""


@pytest.fixture(autouse=True)
def checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every version unseen but those that can't play at all, so that tests wait for no check."""

    def problem_of(game: Any, ruleset: str, settings: Any, version: Version, *_: Any) -> str:
        return "it is broken" if b"broken" in _source(version) else ""

    monkeypatch.setattr("koth.hill.checks.problem_of", problem_of)


def _source(version: Version) -> bytes:
    from koth.hill.archive import unpacked_at

    return (unpacked_at(bytes(version.archive), version.file) / "bot.py").read_bytes()


@pytest.fixture
def den(hill: Place) -> Place:
    """A hill whose authors begin with a small bot."""
    for name in ("ann", "ben"):
        bot = hill.folder / "rounds" / "authors" / name / "bot"
        bot.mkdir(parents=True)
        (bot / "bot.py").write_text(GOOD)
    return hill


def authors(**commands: str) -> Sequence[str]:
    return [word for name, command in commands.items() for word in ("--author", f"{name}={command}")]


def test_what_authors_leave_is_played_and_they_get_what_came_of_it(den: Place) -> None:
    told = den("rounds", *authors(ann=COUNTS, ben="cat arena/README.md"), "--rounds", 2, "--matches", 2, *RUN)
    assert [round_["matches"] for round_ in told["rounds"]] == [2, 2, 2]
    assert [point["version"] for point in told["curves"]["ann"]] == [1, 2, 3]
    assert [point["version"] for point in told["curves"]["ben"]] == [1, 1, 1]
    assert all(point["rating"] is not None for points in told["curves"].values() for point in points)
    rounds = den.folder / "rounds"
    assert [(rounds / str(n) / "ann" / "files" / "count").read_text() for n in (1, 2)] == [".\n", ".\n.\n"]
    assert "round 2: you are ben" in (rounds / "2" / "ben" / "log.txt").read_text()
    arena = rounds / "authors" / "ann" / "arena"
    assert json.loads((arena / "standings.json").read_text()) == told["rounds"][1]["standings"]
    assert "ann had no fault" in (arena / "why.txt").read_text()
    assert "# Save The Last Bullet" in (arena / "rules.md").read_text()
    assert '"across":"round"' in (rounds / "curves.html").read_text()
    shown = den.koth("hill", "rounds", den.folder)
    assert (shown.code, "2 rounds" in shown.out) == (0, True)


def test_an_author_gets_its_own_matches_and_nothing_of_others(den: Place) -> None:
    noisy = GOOD.replace("return", "import sys; print('ben was here', file=sys.stderr)\n        return")
    (den.folder / "rounds" / "authors" / "ben" / "bot" / "bot.py").write_text(noisy)
    den("rounds", *authors(ann="true", ben="true"), "--rounds", 1, "--matches", 1, *RUN)
    arenas = {name: den.folder / "rounds" / "authors" / name / "arena" for name in ("ann", "ben")}
    for name, count in (("ann", 0), ("ben", 1)):
        assert len(list(arenas[name].rglob("ben.txt"))) == count
        assert (arenas[name] / "why.txt").read_text().startswith(f"{name} had no fault")
        assert " arena/replays/match-0001.koth.gz" in (arenas[name] / "why.txt").read_text()
        (replay,) = (arenas[name] / "replays").iterdir()
        assert den.koth("verify", replay).code == 0
        assert not list(arenas[name].rglob("*.sqlite"))


def test_a_turn_that_fails_leaves_the_last_version_in_play(den: Place) -> None:
    fails = f"{COUNTS}; if [ $(wc -l < count) = 2 ]; then exit 3; fi"
    breaks = "echo broken >> bot/bot.py; echo x > notes"
    told = den("rounds", *authors(ann=fails, ben=breaks), "--rounds", 2, "--matches", 2, *RUN)
    assert [point["version"] for point in told["curves"]["ann"]] == [1, 2, 2]
    assert [point["version"] for point in told["curves"]["ben"]] == [1, 1, 1]
    log = (den.folder / "rounds" / "2" / "log.txt").read_text()
    assert "ann: its command failed: exit status 3; version 2 plays on" in log
    assert "ben: version 3 was refused: it is broken; version 1 plays on" in log
    assert told["rounds"][1]["authors"]["ben"]["problem"] == "version 2 was refused: it is broken"
    why = den.folder / "rounds" / "authors" / "ben" / "arena" / "why.txt"
    assert why.read_text().startswith("version 2 was refused: it is broken\n\n")


def test_a_command_that_hangs_is_ended_with_all_that_it_has_started(den: Place, tmp_path: Path) -> None:
    hangs = f"(sleep 600; touch {shlex.quote(str(tmp_path / 'late'))}) & echo $! > child; sleep 600"
    told = den("rounds", *authors(ann=hangs, ben="rm -r bot"), "--rounds", 1, "--timeout", "5s", "--matches", 1, *RUN)
    last = told["rounds"][1]["authors"]
    assert last["ann"]["problem"] == "its command was not done after 5 s"
    assert last["ben"]["problem"] == "bot: no such file or folder"
    assert [its["version"] for its in last.values()] == [1, 1]
    child = (den.folder / "rounds" / "1" / "ann" / "files" / "child").read_text().strip()
    assert not Path(f"/proc/{child}").exists()


PYTHON = shlex.quote(sys.executable)
FOLDERS = {
    "sparse": ("truncate -s 2G notes", "more than 20000 files or 1024 MB"),
    "deep": (
        f'{PYTHON} -c \'import os\nfor _ in range(1500): os.mkdir("d"); os.chdir("d")\'',
        "more than 64 folders within each other",
    ),
    "many": (f"{PYTHON} -c 'for k in range(20001): open(str(k), \"w\")'", "more than 20000 files or 1024 MB"),
    "gone": ('rm -r "$PWD"', "No such file or directory"),
}


@pytest.mark.parametrize("kind", FOLDERS)
def test_a_folder_that_can_not_be_kept_is_its_authors_problem(kind: str, den: Place) -> None:
    command, problem = FOLDERS[kind]
    told = den("rounds", *authors(ann=f"{COUNTS}; {command}", ben=COUNTS), "--rounds", 2, "--matches", 1, *RUN)
    last = [round_["authors"]["ann"] for round_ in told["rounds"][1:]]
    assert all(its["problem"].startswith("its folder can't be kept: ") for its in last)
    assert all(problem in its["problem"] for its in last)
    assert [its["version"] for its in last] == [1, 1]
    assert [point["version"] for point in told["curves"]["ben"]] == [1, 2, 3]
    kept = sorted(path.name for path in (den.folder / "rounds" / "2" / "ann" / "files").rglob("*"))
    assert kept == ["bot", "bot.py"]
    assert len(den("rounds", "--rounds", 3, *RUN)["rounds"]) == 4
    remove(den.folder / "rounds" / "authors" / "ann")  # pytest can't remove deep folders


def test_regular_files_alone_of_an_authors_folder_are_kept(den: Place, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("SECRET")
    odd = (
        f"ln -s {shlex.quote(str(tmp_path))} all; ln -s {shlex.quote(str(tmp_path / 'secret'))} bot/one; mkfifo pipe"
    )
    name = "$(printf 'a\\nb\\377c')"
    told = den("rounds", *authors(ann=f"{odd}; echo odd > {name}; {COUNTS}"), "--rounds", 2, "--matches", 1, *RUN)
    assert [its["authors"]["ann"]["problem"] for its in told["rounds"]] == ["", "", ""]
    files = den.folder / "rounds" / "2" / "ann" / "files"
    assert {os.fsencode(file.relative_to(files)) for file in files.rglob("*")} == {
        b"a\nb\xffc", b"bot", b"bot/bot.py", b"count"
    }  # fmt: skip


def test_the_log_of_a_command_has_an_end(den: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("koth.hill.turns.LARGEST", 1 << 20)
    told = den("rounds", *authors(ann="yes", ben="true"), "--rounds", 1, "--matches", 1, *RUN)
    assert told["rounds"][1]["authors"]["ann"]["problem"] == "its command printed more than 1 MB"
    assert (den.folder / "rounds" / "1" / "ann" / "log.txt").stat().st_size == 1 << 20


def test_rounds_that_are_ended_go_on_and_a_round_is_done_once(den: Place, tmp_path: Path) -> None:
    slow = f"echo >> {shlex.quote(str(tmp_path / 'begun'))}; {COUNTS}; sleep 0.5"
    words = ("rounds", den.folder, *authors(ann=slow, ben=COUNTS), "--rounds", 2, "--matches", 3, *RUN)
    begun = tmp_path / "begun"
    moments = (
        lambda: Match.objects.filter(state="playing").exists(),
        lambda: begun.exists() and (den.folder / "rounds" / "authors" / "ann" / "count").exists(),
        lambda: Match.objects.filter(state="played").count() > 4,
    )
    for moment, number in zip(moments, (signal.SIGKILL, signal.SIGKILL, signal.SIGINT), strict=True):
        process = program("hill", *words, cwd=tmp_path)
        wait_until(moment)
        process.send_signal(number)
        done = finished(process)
        if not (den.folder / "rounds" / "0" / "round.json").exists():
            assert den.koth("hill", "rounds", den.folder).out.startswith("no round is over; go on: ")
    assert "stopped, and nothing is lost; go on: " in done.err
    assert done.code == 130
    told = den(*words[:1], *words[2:])
    assert [round_["matches"] for round_ in told["rounds"]] == [3, 3, 3]
    assert len(begun.read_text()) > 2, "it was interrupted, and began again"
    for name in ("ann", "ben"):
        assert (den.folder / "rounds" / "2" / name / "files" / "count").read_text() == ".\n.\n"
        assert [point["version"] for point in told["curves"][name]] == [1, 2, 3]
    assert Match.objects.filter(state="played").count() == 9 == Match.objects.count()
    again = den("rounds", "--rounds", 2)
    assert again == told


def test_rounds_stay_as_they_began(den: Place) -> None:
    assert "no rounds have begun here" in den.koth("hill", "rounds", den.folder).err
    begin = authors(ann="true", ben="true")
    den("rounds", *begin, "--rounds", 1, "--matches", 1, *RUN)
    line = den.refused("rounds", "--author", "ann=false", "--rounds", 2)
    assert "rounds stay as they began: --author ann=true --author ben=true --matches 1 --timeout 3600s" in line
    assert "NAME=COMMAND" in den.koth("hill", "rounds", den.folder, "--author", "ann").err
    assert len(den("rounds", "--rounds", 2, *RUN)["rounds"]) == 3


def test_names_that_can_not_be_are_told(den: Place) -> None:
    assert "a letter, then up to 39" in den.refused("rounds", "--author", "../ann=true", "--rounds", 1)
    den("submit", "@runner", "--author", "carl")
    line = den.refused("rounds", "--author", "runner=true", "--rounds", 1)
    assert line == "--author runner: runner is a bot of carl's already"


def test_a_budget_that_is_used_up_leaves_the_round_open(den: Place) -> None:
    record = den.folder / "hill.json"
    record.write_text(record.read_text().replace('"matches_a_day": null', '"matches_a_day": 3'))
    line = den.koth("hill", "rounds", den.folder, *authors(ann="true"), "--author", "ben=true", "--rounds", 2,
                    "--matches", 2, *RUN).err.splitlines()[-1]  # fmt: skip
    assert line.startswith("koth: round 1 is not over: the 3 matches of these 24 hours are played")
    record.write_text(record.read_text().replace('"matches_a_day": 3', '"matches_a_day": null'))
    assert [round_["matches"] for round_ in den("rounds", "--rounds", 2, *RUN)["rounds"]] == [2, 2, 2]


def test_the_examples_improve(koth: Koth, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # they want their reasons from the check
    assert koth("hill", "init", "zombies", tmp_path / "hill", "--rank-by", "rating").code == 0
    den = Place(koth, tmp_path / "hill")
    python = shlex.quote(sys.executable)
    climber = f"{python} {shlex.quote(str(EXAMPLES / 'climber.py'))} coward hermit wall_builder"
    mender = f"{python} {shlex.quote(str(EXAMPLES / 'mender.py'))}"
    told = den("rounds", *authors(climber=climber, mender=mender), "--rounds", 3, "--matches", 6, *RUN)
    climbed = told["curves"]["climber"]
    assert climbed[-1]["rating"] > climbed[0]["rating"]
    assert [point["version"] for point in told["curves"]["mender"]] == [1, 1, 3, 3]
    assert (den.folder / "rounds" / "2" / "mender" / "log.txt").read_text().startswith("mended")
    with closing(sqlite3.connect(tmp_path / "hill" / "hill.sqlite")) as database:
        assert database.execute("SELECT count(*) FROM hill_match WHERE state = 'played'").fetchone() == (24,)
