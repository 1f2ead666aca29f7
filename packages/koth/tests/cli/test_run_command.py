"""`koth run`, `koth list`, `koth list GAME`, `koth verify`: what they print."""

from __future__ import annotations

import json
import os
import pty
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from koth.contest import match_runner
from koth.discovery.samples import sample_names
from koth.games import GAMES, load
from koth.replay.reader import Replay
from koth.sandbox.failures import ArenaError
from tests.cli.program import SMALL, Koth, bot_file, words_of

STANDING = ["rank", "bot", "score", "matches", "blocks", "group", "size", "best", "worst", "first", "behind_first"]
STANDING += ["behind_next", "rating", "narrow", "low", "high", "level", "note", "faults", "texts"]
MATCH = ["number", "block", "turns", "scores", "replay", "void"]
RUN = ["run", "zombies"]


def test_json_is_one_object_and_nothing_else(koth: Koth, tmp_path: Path) -> None:
    bot_file(tmp_path, "good")
    bot_file(tmp_path, "bad", "class Bad:\n    def do_turn(self, context): return None\n")
    done = koth(*RUN, "good.py", "bad.py", *SMALL, "--matches", "2", "--seed", "9", "--out", "out", "--json")
    assert done.code == 0
    told = json.loads(done.out)
    assert done.out.count("\n") == 1
    assert {**told, **json.loads(koth("standings", "out", "--format", "json").out)} == told, (
        "one form, and more of the run"
    )
    assert (told["matches"], told["seed"], told["commitment"], told["until"]) == (2, 9, None, None)
    assert told["scheduled"] == {"good": 2, "bad": 2}
    assert [list(line) for line in told["standings"]] == [STANDING, STANDING]
    assert [list(match) for match in told["played"]] == [MATCH, MATCH]
    assert {line["bot"] for line in told["standings"]} == {"good", "bad"}
    faults = {line["bot"]: line["faults"] for line in told["standings"]}
    assert faults["good"] == {}
    assert list(faults["bad"]) == ["illegal"]
    for match in told["played"]:
        assert list(match["scores"]) == ["good", "bad"]
        assert koth("verify", tmp_path / "out" / match["replay"]).code == 0
    by_bot = {line["bot"]: line for line in told["standings"]}
    scores = [match["scores"]["good"] for match in told["played"]]
    assert by_bot["good"]["score"] == sum(scores) / 2
    assert (by_bot["good"]["low"], by_bot["good"]["high"], by_bot["good"]["note"]) == (None, None, "too few")


def test_the_default_number_of_matches_reaches_a_verdict(koth: Koth, tmp_path: Path) -> None:
    """Zombies have 9 matches by default, and a verdict on seven bots takes 10."""
    names = [bot_file(tmp_path, name) for name in "abcdefg"]
    done = koth(*RUN, *names, "--max-turns", 1, "--isolation", "none", "--out", tmp_path / "run")
    assert "zombies (published), 10 matches" in done.out
    assert "commitment" not in done.err, "which is told to strangers (--untrusted)"


def test_a_pipe_gets_plain_text(koth: Koth, tmp_path: Path) -> None:
    bot_file(tmp_path, "good")
    done = koth(*RUN, "good.py", "me=good.py", *SMALL, "--matches", "1", "--seed", "9", "--out", "o" * 100)
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "zombies (published), 1 match, median, seed 9"
    heads = ["rank", "bot", "score", "interval", "matches", "faults", "median answer", "slowest answer"]
    assert re.split(r"\s{2,}", lines[1]) == heads
    assert {words_of(line)[1] for line in lines[2:4]} == {"good", "me"}
    assert lines[4] == "No verdict before 6 matches of each bot: 5 more matches."
    assert lines[5] == f"results and replays: {'o' * 100}"
    assert lines[6].endswith(f" standings {'o' * 100} --explain")
    assert lines[7].endswith(f" view {'o' * 100}")
    assert all(ord(c) < 128 for c in done.out + done.err)


def test_a_terminal_gets_boxes_and_colours_and_is_asked_before_a_contest_of_one_bot(tmp_path: Path) -> None:
    """Under a real pseudo-terminal."""
    bot_file(tmp_path, "good")
    words = ["run", "zombies", "good.py", *SMALL, "--matches", "1", "--out", "out"]
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        os.environ |= {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40"}
        os.execv(sys.executable, [sys.executable, "-m", "koth", *words])
    os.write(terminal, b"y\n")
    shown = b""
    while True:
        try:
            data = os.read(terminal, 1 << 16)
        except OSError:  # how a pseudo-terminal ends
            break
        if not data:
            break
        shown += data
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    assert status == 0, shown
    text = shown.decode()
    assert "┃" in text or "│" in text
    assert "\x1b[1" in text
    assert "only one bot, good" in text


def test_two_names_for_one_bot_and_a_folder_of_bots(koth: Koth, tmp_path: Path) -> None:
    (tmp_path / "field").mkdir()
    for name in ("one", "two"):
        bot_file(tmp_path / "field", name)
    (tmp_path / "field" / "notes.txt").write_text("no bot")
    (tmp_path / "field" / "three").mkdir()
    bot_file(tmp_path / "field" / "three", "bot")
    words = ["field", "first=field/one.py", "second=field/one.py", "@stand_still", "--json"]
    done = koth(*RUN, *words, *SMALL, "--matches", "1", "--out", "out")
    assert done.code == 0, done
    names = list(json.loads(done.out)["played"][0]["scores"])
    assert names == ["one", "three", "two", "first", "second", "stand_still"]


EVIL = "<b>\x1b[31mX\u202e\x07"


def test_names_that_want_to_do_harm(koth: Koth, tmp_path: Path) -> None:
    bot_file(tmp_path, "good")
    done = koth(*RUN, f"{EVIL}=good.py", "[red]me=good.py", *SMALL, "--matches", "1", "--out", "out")
    assert done.code == 0, done
    assert "<b>[31mX" in done.out
    assert "[red]me" in done.out
    assert not set(done.out + done.err) & set("\x1b\u202e\x07")


def test_names_of_manifests(koth: Koth, tmp_path: Path) -> None:
    bot_file(tmp_path, "bot")
    (tmp_path / "koth.toml").write_text('name = "The \\u001b[31mRed\\u202e One"')
    done = koth(*RUN, tmp_path, *SMALL, "--matches", "1", "--out", "out", "--json")
    assert list(json.loads(done.out)["played"][0]["scores"]) == ["The [31mRed One"]


def test_a_run_without_a_folder_gets_one_of_its_own(koth: Koth, tmp_path: Path) -> None:
    bot_file(tmp_path, "good")
    for _ in range(2):
        assert koth(*RUN, "good.py", *SMALL, "--matches", "1").code == 0
    folders = sorted((tmp_path / "runs").iterdir())
    assert len(folders) == 2
    assert all(folder.name.startswith("zombies-") for folder in folders)
    record = json.loads((folders[0] / "run.json").read_text())
    assert record["bots"][0]["name"] == "good"
    assert {"machine", "isolation", "started", "koth"} <= set(record)


def test_resume_of_what_is_whole_says_the_same(koth: Koth, tmp_path: Path) -> None:
    bot_file(tmp_path, "good")
    first = koth(*RUN, "good.py", *SMALL, "--matches", "2", "--out", "out", "--json")
    assert koth("resume", "out", "--json").out == first.out


def test_games(koth: Koth) -> None:
    lines = koth("list").out.splitlines()
    assert [words_of(line)[0] for line in lines] == ["game", *GAMES]
    told = json.loads(koth("list", "--json").out)
    assert [line["game"] for line in told] == list(GAMES)


@pytest.mark.parametrize("game", GAMES)
def test_bots(game: str, koth: Koth) -> None:
    names = json.loads(koth("list", game, "--json").out)
    assert names == sample_names(game)
    assert set(load(game).default_entrants) <= set(names)
    shown = koth("list", game).out
    for name in names:
        assert f"@{name}" in shown


def test_verify(koth: Koth, tmp_path: Path) -> None:
    bot_file(tmp_path, "good")
    koth(*RUN, "good.py", *SMALL, "--matches", "1", "--out", "out")
    replay = tmp_path / "out" / "replays" / "match-0001.koth.gz"
    assert koth("verify", replay).out == f"{replay}: verified, everything agrees\n"
    told = json.loads(koth("verify", replay, "--json").out)
    assert told == {"replay": str(replay), "ok": True, "difference": None}


def test_what_can_not_be_played_is_an_exit_code_of_its_own(
    koth: Koth, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One match of three fails for the arena's fault: code 3, its name, standings of the rest, and how to go on."""
    real = match_runner.play

    def failing(*args: Any) -> Any:
        hosting, watching = args[-2:]
        if hosting.match == 2:
            raise ArenaError("the sandbox would not start")
        watching.on_wait("good", 7.0)
        return real(*args)

    monkeypatch.setattr(match_runner, "play", failing)
    words = [*RUN, bot_file(tmp_path, "good"), *SMALL, "--matches", 3, "--seed", 4, "--out", tmp_path / "out"]
    done = koth(*words)
    assert done.code == 3
    assert "2 of 3 matches" in done.out or "2 matches" in done.out
    assert "match 2 could not be played (3 tries): the sandbox would not start" in " ".join(done.out.split())
    assert "koth: 1 match could not be played; try again: " in done.err
    assert "match 1: good waits for a core, which other programs hold" in done.err
    assert "1 of 3: match 1, " in done.err
    monkeypatch.setattr(match_runner, "play", real)
    done = koth("resume", tmp_path / "out")
    assert done.code == 0, done
    assert "3 matches" in done.out


@pytest.mark.parametrize(("replays", "count"), [("answers", 1), ("none", 0)])
def test_what_replays_hold(replays: str, count: int, koth: Koth, tmp_path: Path) -> None:
    words = ["--matches", 1, "--seed", 4, "--out", tmp_path / "out", "--replays", replays]
    assert koth(*RUN, bot_file(tmp_path, "good"), *SMALL, *words).code == 0
    files = list((tmp_path / "out" / "replays").iterdir())
    assert len(files) == count
    assert all(Replay(file).header["frames"] is False for file in files)
    assert koth("verify", tmp_path / "out").code == 0
