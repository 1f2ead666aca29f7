"""Impossible input ends with one line that says why, exit code 2, no traceback, and leaves nothing behind."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from koth.contest.lock import lock_run
from koth.contest.record import read_record
from tests.cli.program import SMALL, Koth, bot_file, finished, program

RUN = ["run", "zombies"]
LONG = "a" * 300

REFUSED = {
    "an unknown command": (
        ["rnu"],
        "there is no command 'rnu'; did you mean run? (there are: run, resume, warm, standings, ",
    ),
    "an unknown game": (["run", "zombis"], "there is no game 'zombis'; did you mean zombies? (there are: zombies, "),
    "no game": (["run"], "name a game: `koth list` lists the games; then koth run GAME"),
    "an unknown option": ([*RUN, "--gmaes", "3"], "No such option '--gmaes'"),
    "no number": (
        [*RUN, "--matches", "many"],
        "Invalid value for '--matches' / '-n': 'many' is not a valid integer range.",
    ),
    "no games": (
        [*RUN, "--matches", "0"],
        "Invalid value for '--matches' / '-n': 0 is not in the range 1<=x<=100000.",
    ),
    "a negative seed": (
        [*RUN, "--seed", "-1"],
        "seed must be a number from 0 to 2**63 - 1, or 32 hex digits, not '-1'",
    ),
    "a seed of more digits than Python reads": (
        [*RUN, "--seed", "7" * 5000],
        "seed must be a number from 0 to 2**63 - 1, or 32 hex digits, not '7777777",
    ),
    "no jobs": ([*RUN, "--jobs", "0"], "Invalid value for '--jobs' / '-j': 0 is not in the range"),
    "an unknown ruleset": (
        [*RUN, "--ruleset", "orignal"],
        "zombies has no ruleset 'orignal'; did you mean original? (there are: published, original)",
    ),
    "an unknown setting": (
        [*RUN, "--set", "player=3"],
        "zombies has no setting 'player'; did you mean players? (there are: vision, shoot_range, ",
    ),
    "a setting without a value": ([*RUN, "--set", "players"], "--set wants KEY=VALUE, not 'players'"),
    "a setting of the wrong kind": (
        [*RUN, "--set", "players=x"],
        "players=x: players must be a whole number in 1..5000 (players per bot)",
    ),
    "a setting out of range": (
        [*RUN, "--set", "players=0"],
        "players=0: players must be a whole number in 1..5000 (players per bot)",
    ),
    "a setting that is not a number": (
        [*RUN, "--set", "density=nan"],
        "density=nan: density must be above 0 and at most 0.9 (players per square at the start)",
    ),
    "an unknown sample": (
        [*RUN, "@runer"],
        "there is no sample @runer for zombies; did you mean runner? (there are: ",
    ),
    "a sample without @": (
        [*RUN, "runner"],
        "runner: no such file or folder (a sample is named with @, see `koth list GAME`)",
    ),
    "no such bot": ([*RUN, "bots/none"], "bots/none: no such file or folder"),
    "a bot whose name no file has": ([*RUN, LONG], f"{LONG}: no such file or folder"),
    "a bot in such a file": ([*RUN, f"{LONG}/x#y"], f"{LONG}/x: no such file or folder"),
    "a check of such a bot": (["check", LONG], f"{LONG}: no such file or folder"),
    "a match of such a name": (["view", LONG], f"{LONG}: File name too long"),
    "a folder of such a name": ([*RUN, "--out", LONG], f"{LONG}/run.json: File name too long"),
    "nothing to go on with": (
        ["resume", "nowhere"],
        "nowhere/run.json: No such file or directory; nowhere is not the folder of a run",
    ),
    "going on with something else": (
        ["resume", "nowhere", "--ruleset", "published"],
        "No such option '--ruleset'",
    ),
    "bots of an unknown game": (["list", "chess"], "there is no game 'chess' (there are: zombies"),
    "a bot for an unknown game": (["new", "chess", "x"], "there is no game 'chess' (there are: zombies"),
    "a bot in an unknown language": (
        ["new", "zombies", "x", "--lang", "pyhton"],
        "zombies: koth has no start for a bot in 'pyhton'; did you mean python? (there are: ",
    ),
    "a language that is nearly one": (
        ["new", "zombies", "x", "--lang", "javascrpt"],
        "zombies: koth has no start for a bot in 'javascrpt'; did you mean javascript? (there are: ",
    ),
    "a replay that is not there": (["verify", "x.koth.gz"], "x.koth.gz: No such file or directory"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, koth: Koth, tmp_path: Path) -> None:
    words, told = REFUSED[name]
    assert koth.refused(*words).startswith(told)
    assert [path for path in tmp_path.iterdir() if path.name != "runs"] == []
    assert list(tmp_path.glob("runs/*")) == []


def test_variables_that_grant_nothing(koth: Koth, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value, text in (
        (
            "KOTH_INTERPRETERS",
            "python=/no/python",
            "KOTH_INTERPRETERS: '/no/python' is not a program that can be run",
        ),
        (
            "KOTH_INTERPRETERS",
            "a=/bin/sh:/usr/bin/ruby",
            "KOTH_INTERPRETERS wants WORD=PROGRAM, several with : between, ",
        ),
        ("KOTH_ALLOW_READ", "/no/folder", "/no/folder: no such file or folder"),
    ):
        with monkeypatch.context() as context:
            context.setenv(name, value)
            assert koth.refused(*RUN, "@runner").startswith(text)


def test_one_name_for_two_bots(koth: Koth, tmp_path: Path) -> None:
    file = bot_file(tmp_path, "good")
    line = koth.refused(*RUN, f"runner={file}", "runner=@coward")
    assert line == "two bots are called runner: the command line gives that name twice"
    done = koth(*RUN, "@runner", f"runner={file}", "--matches", "1", *SMALL)
    assert done.code == 0
    assert "called runner-sample, because several are called runner" in done.err


@pytest.mark.parametrize("name", ["Zombie", "DeadBody"])
def test_a_name_that_the_game_keeps_for_itself(name: str, koth: Koth, tmp_path: Path) -> None:
    file = bot_file(tmp_path, "good")
    assert koth.refused(*RUN, f"{name}={file}") == f"{file}: no bot of zombies may be called {name}"


MANIFESTS = {
    "no TOML": ("name = ", "Invalid value"),
    "an unknown key": ('nmae = "x"', "unknown key 'nmae'; did you mean name? (there are: name, "),
    "a key of the wrong type": ("name = 3", "name must be a text, not 3"),
    "a list of the wrong type": (
        'command = ["python", 3]',
        "command must be a text or a list of texts, not ['python', 3]",
    ),
    "a key that is not a number": ('memory = "256M"', "memory must be a whole number, not '256M'"),
    "an unknown protocol": (
        'protocol = "jsno"',
        "unknown protocol 'jsno'; did you mean json? (there are: json, frames, python)",
    ),
    "an unknown option": ("options = {order = 1}", "the protocol 'json' has no option 'order'"),
    "a main file that is not there": ('main = "it.py"', "main = 'it.py': no such file"),
    "an open quotation": ('command = "python \'x"', "can't be read: No closing quotation"),
    "a shell's word": (
        'command = "python x.py > log"',
        "'>' needs a shell, but no shell runs a bot's commands: ",
    ),
    "an empty command": ('command = ""', "an empty command"),
    "a program that is not there": (
        'command = "no-such-program x"',
        "the program 'no-such-program' is not installed",
    ),
}


@pytest.mark.parametrize("name", MANIFESTS)
def test_broken_manifests(name: str, koth: Koth, tmp_path: Path) -> None:
    text, told = MANIFESTS[name]
    bot_file(tmp_path, "bot")
    (tmp_path / "koth.toml").write_text(text)
    assert told in koth.refused(*RUN, tmp_path)


@pytest.mark.parametrize(
    ("content", "told"),
    [(b"", "it has no command"), (b"\xff\xfe", "it has no command"), (b"\xff", "can't decode byte")],
)
def test_broken_command_files(content: bytes, told: str, koth: Koth, tmp_path: Path) -> None:
    (tmp_path / "command.txt").write_bytes(content)
    assert told in koth.refused(*RUN, tmp_path)


def test_a_folder_without_a_bot(koth: Koth, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert koth.refused(*RUN, "empty").startswith("empty: no bot here; a bot has a koth.toml, a command.txt or ")


@pytest.mark.parametrize("command", ["run", "list", "check"])
def test_a_file_that_is_no_bot(command: str, koth: Koth, tmp_path: Path) -> None:
    (tmp_path / "bot.exe").write_bytes(b"MZ")
    told = "bot.exe: no bot: a file that is one ends in .py, "
    if command == "run":
        assert koth.refused(*RUN, "bot.exe").startswith(told)
    else:
        done = koth(command, "bot.exe", "--game", "zombies")
        assert told in done.out + done.err
        assert done.code == (1 if command == "list" else 2)


def test_all_broken_bots_are_told_of_at_once(koth: Koth, tmp_path: Path) -> None:
    bot_file(tmp_path, "good")
    bot_file(tmp_path, "evil", "raise ValueError('\\x1b[31mred \\u202eback')")
    bot_file(tmp_path, "silent", "import os; os._exit(3)")
    done = koth(*RUN, "good.py", "evil.py", "silent.py", "@nobody", "--out", "out")
    assert (done.code, done.out) == (2, "")
    lines = done.err.splitlines()
    assert lines[1] == "koth: 3 bots can't play:"
    assert lines[-1] == "koth check BOT says more; --skip-broken goes on without them"
    assert "  evil: crash: ValueError: \\x1b[31mred \\u202eback (evil.py, line 1)" in lines
    assert "      ValueError: \\x1b[31mred \\u202eback" in lines
    assert "  silent: crash: the process ended (exit status 3)" in lines
    assert any(line.startswith("  there is no sample @nobody for zombies") for line in lines)
    assert "\x1b" not in done.err
    assert not (tmp_path / "out").exists()


def test_without_the_broken_ones(koth: Koth, tmp_path: Path) -> None:
    bot_file(tmp_path, "good")
    bot_file(tmp_path, "evil", "raise ValueError('\\x1b[31mred')")
    words = [*RUN, "good.py", "evil.py", "nobody.py", "--skip-broken", "--matches", "1", "--out", "out", *SMALL]
    done = koth(*words)
    assert done.code == 0
    assert "left out: evil: crash: ValueError: \\x1b[31mred (evil.py, line 1)" in done.out.splitlines()
    assert "left out: nobody.py: no such file or folder" in done.out
    skipped = json.loads((tmp_path / "out" / "run.json").read_text())["skipped"]
    assert [item["bot"] for item in skipped] == ["evil", ""]


def test_a_sample_that_an_older_python_can_not_play(
    koth: Koth, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "old-python"
    old.write_text("#!/bin/sh\necho 'TypeError: unsupported operand type(s) for |' >&2; exit 1\n")
    old.chmod(0o755)
    monkeypatch.setenv("KOTH_INTERPRETERS", f"python={old}")
    words = [*RUN, "@runner", "--isolation", "none", "--out", "out"]
    assert f"koth's samples are written for Python 3.10 and newer; is {old} one of these?" in koth(*words).err


def test_all_broken(koth: Koth, tmp_path: Path) -> None:
    bot_file(tmp_path, "evil", "raise ValueError")
    done = koth(*RUN, "evil.py", "--skip-broken")
    assert done.code == 2
    assert "koth: none of the bots can be started" in done.err


def test_places_that_can_not_be_written(koth: Koth, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("I am here")
    assert koth.refused(*RUN, "@runner", "--out", "file") == "file: File exists"
    assert koth.refused(*RUN, "@runner", "--out", "file/in/it") == "file/in/it: Not a directory"
    assert koth.refused(*RUN, "@runner", "--out", "/proc/koth").startswith("/proc/koth: ")
    assert (tmp_path / "file").read_text() == "I am here"


def test_a_folder_that_holds_a_run(koth: Koth, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "run.json").write_text("{}")
    line = koth.refused(*RUN, "@runner", "--out", "out")
    assert line == "out already holds a run; choose another --out, or go on with it: koth resume out"


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"game": 3}', '{"game": "zombies"}', "\udcff"])
def test_records_of_runs_that_can_not_be_read(content: str, koth: Koth, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(content, errors="surrogateescape")
    assert "run.json: " in koth.refused("resume", tmp_path)


def test_more_seats_than_bots(koth: Koth) -> None:
    told = koth.refused(*RUN, "@runner", "@coward", "--seats", "3", "--out", "out")
    assert told == "--seats 3: a match takes 3 bots, and only 2 can play"
    assert not Path("out").exists()


def test_another_koth_in_the_same_folder(koth: Koth, tmp_path: Path) -> None:
    with lock_run(tmp_path / "out"):
        told = "out: another koth is running this contest"
        assert koth.refused(*RUN, "@runner", "--out", "out") == told


@pytest.mark.slow
def test_bots_that_changed_since_play_on_from_the_copy_of_the_run(koth: Koth, tmp_path: Path) -> None:
    file, other = bot_file(tmp_path, "good"), bot_file(tmp_path, "other one")
    assert koth(*RUN, file, other, "--seats", "1", "--matches", "1", "--out", "out", *SMALL).code == 0
    digests = [bot["digest"] for bot in read_record(Path("out"))["bots"]]
    file.write_text("raise SystemExit\n")
    other.unlink()
    done = koth("resume", "out", "--matches", "2")
    assert done.code == 0, done
    on, joins = "plays on as it was", "its new version joins with: koth resume out"
    assert f"koth: {file} has changed since the run began: good {on}; {joins} good={file}\n" in done.err
    assert f"{other}: no such file or folder: other one {on}; {joins} 'other one={other}'\n" in done.err
    record = read_record(Path("out"))
    assert [(bot["digest"], bot["path"]) for bot in record["bots"]] == [
        *zip(digests, map(str, (file, other)), strict=True)
    ]
    assert koth("verify", "out").code == 0
    assert "'--matches'" in koth.refused("resume", "out", "--matches", "0")
    next(Path("out", "bots", digests[0]).glob("*.py")).write_text("")
    assert "can't play: it has changed, too; its new version joins with" in koth.refused(
        "resume", "out", "--matches", "3"
    )


def test_results_that_can_not_be_read(koth: Koth, tmp_path: Path) -> None:
    assert koth(*RUN, bot_file(tmp_path, "good"), "--matches", "1", "--out", "out", *SMALL).code == 0
    (tmp_path / "out" / "results.sqlite").write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    assert "results.sqlite" in koth.refused("resume", "out") or "out: " in koth.refused("resume", "out")


def test_results_that_are_not_there(koth: Koth, tmp_path: Path) -> None:
    assert koth(*RUN, "@runner", "--matches", "1", "--out", "out", *SMALL).code == 0
    results = tmp_path / "out" / "results.sqlite"
    results.unlink()
    told = "out/results.sqlite: No such file or directory; without it the run has no results"
    assert koth.refused("standings", "out") == told
    assert not results.exists()
    results.touch()
    assert koth.refused("standings", "out") == "out/results.sqlite: it is empty: the run has no results"


def test_a_match_that_was_not_played(koth: Koth) -> None:
    assert koth(*RUN, "@runner", "--matches", "1", "--out", "out", *SMALL).code == 0
    assert koth.refused("why", "out", "--match", "7") == "out: match 7 was not played (there is only match 1)"


def test_output_that_can_not_be_written() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "koth", "list"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (2, "koth: koth can't write its output: No space left on device\n")


def test_a_page_that_can_not_be_written_leaves_nothing(koth: Koth, tmp_path: Path) -> None:
    assert koth(*RUN, "@runner", "--matches", "1", "--out", "out", *SMALL).code == 0
    words = ["export", "out/replays/match-0001.koth.gz", "x.html"]
    done = finished(program(*words, cwd=tmp_path, largest=1000))
    assert (done.code, done.err) == (2, "koth: x.html: File too large\n")
    assert [path.name for path in tmp_path.glob("x.html*")] == []


@pytest.mark.slow
def test_output_in_another_encoding(koth: Koth, tmp_path: Path) -> None:
    assert koth("run", "pacman", "@greedy", "--matches", "1", "--max-turns", "2", "--out", "out").code == 0
    replay = tmp_path / "out" / "replays" / "match-0001.koth.gz"
    command = [sys.executable, "-m", "koth", "debug", replay, "--bot", "greedy", "--turn", "2"]
    done = subprocess.run(command, env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "?" in done.stdout  # walls


REPLAYS = {
    "no replay": (b"hello", "not a replay of koth"),
    "another game": (
        b'{"koth":4,"game":"chess","version":1,"ruleset":"","settings":{},"match":0,"bots":[]}\n',
        "there is no game 'chess'",
    ),
    "an unknown setting": (
        b'{"koth":4,"game":"zombies","version":1,"ruleset":"published","settings":{"x":1},"match":0,"bots":[]}\n',
        "zombies has no setting 'x'",
    ),
    "an impossible setting": (
        b'{"koth":4,"game":"zombies","version":1,"ruleset":"published","settings":{"players":{}},"match":0,"bots":[]}\n',
        "",
    ),
    "no result": (
        b'{"koth":4,"game":"zombies","version":1,"ruleset":"published","settings":{},"match":0,"bots":[]}\n',
        "the replay is cut: it has no result",
    ),
    "another version": (
        b'{"koth":4,"game":"zombies","version":99,"ruleset":"published","settings":{},"match":0,"bots":[]}\n',
        "a match by version 99 of zombies, this koth has ",
    ),
}


@pytest.mark.parametrize("name", REPLAYS)
def test_replays_that_can_not_be_verified(name: str, koth: Koth, tmp_path: Path) -> None:
    content, told = REPLAYS[name]
    (tmp_path / "x.koth.gz").write_bytes(gzip.compress(content))
    assert told in koth.refused("verify", "x.koth.gz")
