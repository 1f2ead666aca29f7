"""`koth compare`, from bots and commits to what it says and its exit code."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from koth.games import load
from tests.cli.program import GOOD, SMALL, Koth, finished, program

OPTIONS = [*SMALL, "--against", "@stand_still", "--seed", 3]
STAYS = GOOD.replace("Move.values()[(context.game_clock + context.id.number) % 9]", "Move.STAY")


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=author", "-c", "user.email=author@example.com"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A bot that once stood still and now walks, in a folder of a repository whose working tree is clean."""
    folder = tmp_path / "bots" / "walker"
    folder.mkdir(parents=True)
    git(tmp_path, "init", "-q", "-b", "main")
    for source in (STAYS, GOOD):
        (folder / "bot.py").write_text(source)
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-q", "-m", "a version")
    return folder


def told(koth: Koth, *words: object, games: int = 2) -> dict[str, Any]:
    done = koth("compare", *words, *OPTIONS, "--matches", games, "--json")
    found: dict[str, Any] = json.loads(done.out)
    codes = {"better": 0, "worse": 1, "alike": 4, "within": 4, "same": 4, "open": 3}
    assert done.code == codes[found["verdict"]], done
    return found


@pytest.mark.slow
def test_the_better_one_is_told_with_how_much(koth: Koth) -> None:
    found = told(koth, "@gunner", "@runner", games=12)
    back = told(koth, "@runner", "@gunner", games=12)
    assert {found["verdict"], back["verdict"]} == {"better", "worse"}
    assert found["rivals"] == ["stand_still"]
    assert found["matches"] == 12
    assert found["difference"]["value"] == -back["difference"]["value"]
    assert found["difference"]["low"] == -back["difference"]["high"]
    assert found["text"] == back["text"]


def test_a_table_says_it_to_people(koth: Koth, tmp_path: Path) -> None:
    done = koth("compare", "@runner", "@stand_still", *SMALL, "--against", "@gunner", "--seed", 3, "-n", 2,
                "--out", tmp_path / "kept")  # fmt: skip
    assert done.code == 3
    assert done.out.startswith("zombies (published), median\n")
    assert "no verdict after 2 matches of each: fewer than 6 boards" in done.out
    assert "at most 2 matches of each, on the same boards, against gunner" in done.err
    assert "2 boards are too few for a verdict: play 6 (--matches 6)" in done.err
    for side, name in (("old", "runner"), ("new", "stand_still")):
        assert koth("verify", tmp_path / "kept" / side).code == 0
        assert koth("standings", tmp_path / "kept" / side).out.count(name) == 2  # in the table, and head to head
    assert "is there already" in koth.refused("compare", "@runner", "@gunner", "--out", tmp_path / "kept")


def test_a_game_with_one_seat_has_no_rivals(koth: Koth, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load("zombies"), "seats", range(1, 2))
    done = koth("compare", "@runner", "@stand_still", *SMALL, "--seed", 3, "-n", 2, "--json")
    assert (done.code, json.loads(done.out)["matches"], json.loads(done.out)["rivals"]) == (3, 2, []), done
    assert "at most 2 matches of each, on the same boards\n" in done.err
    told = koth.refused("compare", "@runner", "@stand_still", *SMALL, "--against", "@gunner")
    assert told == "--against: a match of zombies has one seat: there is nobody to play against"


@pytest.mark.slow
def test_commits(koth: Koth, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository)
    found = told(koth, "HEAD~1", ".", "--game", "zombies")
    assert [bot["name"] for bot in found["bots"]] == ["walker@HEAD~1", "walker"]
    assert told(koth, "main", "HEAD") == {"game": "zombies", "bots": [{"name": "main"}, {"name": "HEAD"}],
                                          "verdict": "same", "matches": 0}  # fmt: skip
    monkeypatch.chdir(repository.parents[1])
    again = told(koth, "HEAD~1", "bots/walker")  # lies there, too, and its game is found
    assert again["difference"] == found["difference"]
    assert told(koth, "HEAD#walker", "bots/walker#walker")["verdict"] == "same"
    assert told(koth, "HEAD~1:bots/walker/bot.py", "new=bots/walker")["bots"][1]["name"] == "new"
    status = subprocess.run(["git", "status", "--porcelain"], capture_output=True, text=True, check=True)
    assert status.stdout == ""
    assert "no commit of" in koth.refused("compare", "HEAD~2", "bots/walker")
    git(Path(), "mv", "bots/walker/bot.py", "bots/bot.py")
    git(Path(), "commit", "-q", "-m", "moved")
    assert "there is no bots/bot.py at HEAD~1" in koth.refused("compare", "HEAD~1", "bots/bot.py")
    git(Path(), "rm", "-q", "bots/bot.py")
    git(Path(), "commit", "-q", "-m", "gone")
    assert "there is nothing at HEAD" in koth.refused("compare", "HEAD", "HEAD~1")


def test_versions_of_one_name(koth: Koth, tmp_path: Path) -> None:
    for version, source in (("old", STAYS), ("new", GOOD)):
        (tmp_path / version / "mine").mkdir(parents=True)
        (tmp_path / version / "mine" / "bot.py").write_text(source)
    found = told(koth, "old/mine", "new/mine")
    assert [bot["name"] for bot in found["bots"]] == ["mine-old", "mine-new"]


def test_what_can_not_be_compared(koth: Koth, tmp_path: Path) -> None:
    assert "no such file or folder" in koth.refused("compare", "nobody", "@runner", "--game", "zombies")
    (tmp_path / "bot.py").write_text("print(1)")
    assert koth.refused("compare", "bot.py", "nobody") == "nobody: no such file or folder"
    assert "which game does it play?" in koth.refused("compare", "bot.py", "bot.py")
    (tmp_path / "bot.py").write_text(GOOD.replace("class Good:", "class Good"))
    done = koth("compare", "bot.py", "@runner", *SMALL)
    assert (done.code, done.out) == (2, "")
    assert "SyntaxError" in done.err


@pytest.mark.slow
def test_ctrl_c_says_what_was_known(tmp_path: Path) -> None:
    process = program("compare", "@runner", "@gunner", "--game", "zombies", *SMALL, "--against", "@stand_still",
                      "--matches", 2000, "--margin", 0, cwd=tmp_path)  # fmt: skip
    assert process.stderr is not None
    for line in process.stderr:
        if ": match " in line:
            break
    process.send_signal(signal.SIGINT)
    done = finished(process)
    assert done.code == 130
    assert "no verdict" in done.out or "no result" in done.out
