"""A turn of an author: what a command may use, and what follows from errors and limits."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from koth.errors import KothError
from koth_studies import author_process, turn_limits
from koth_studies.record import ATTEMPTS
from koth_studies.turn_limits import AuthorCommand, TurnLimits, TurnPlace
from koth_studies.turns import Turn, check_author, take_turn
from koth_studies.usage_report import read_usage
from tests.contest.folders import wait_until
from tests.sandbox.zoo import isolation


class Den:
    """The folder of an author in a hill's, which is as before the turn at the beginning of each attempt."""

    def __init__(self, hill: Path) -> None:
        self.hill, self.folder, self.log = hill, hill / "authors" / "ann", hill / "log.txt"
        self.is_ended = Event()
        self.is_same_turn = False

    def prepare(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "bot").mkdir(parents=True)

    def turn(self, command: str, variables: tuple[str, ...] = (), **limits: Any) -> Turn:
        author = AuthorCommand(command=command, variables=variables)
        allowed = TurnLimits(**{"timeout": 60.0, "retry_pause": 0.0, **limits})
        place = TurnPlace(self.folder, self.log, self.hill, {"KOTH_AUTHOR": "ann"})
        if not self.is_same_turn:
            (self.hill / ATTEMPTS).unlink(missing_ok=True)
        return take_turn(author, allowed, place, self.prepare, self.is_ended)


@pytest.fixture
def den(tmp_path: Path) -> Den:
    return Den(tmp_path)


def test_a_turn_has_its_times_and_what_its_command_reports(den: Den) -> None:
    works = f"{shlex.quote(sys.executable)} -c 'sum(range(5_000_000))'"
    turn = den.turn(f"""echo said; {works}; echo '{{"tokens": 1200, "cost": 0.25}}' > usage.json""")
    assert (turn.problem, turn.is_sent, turn.attempts, turn.kind) == ("", True, 1, "done")
    assert turn.usage == {"tokens": 1200, "cost": 0.25}
    assert turn.cpu_seconds > 0.02
    assert den.log.read_text() == "said\n"


def test_a_command_that_fails_runs_again_in_the_folder_as_it_was(den: Den) -> None:
    fails = f"""echo try; ls; touch left; echo '{{"tokens": 5}}' > usage.json; echo >> {den.hill}/tries"""
    turn = den.turn(f"{fails}; test $(wc -l < {den.hill}/tries) = 3", retries=4)
    assert (turn.problem, turn.is_sent, turn.attempts) == ("", True, 3)
    assert turn.usage == {"tokens": 15}
    assert den.log.read_text() == "try\nbot\n" * 3
    turn = den.turn("echo no key; exit 3", retries=1)
    assert (turn.problem, turn.is_sent, turn.attempts) == ("its command failed: exit status 3: no key", False, 2)
    assert turn.kind == "failed"


def test_a_turn_that_is_interrupted_costs_what_it_used(den: Den) -> None:
    """A turn that ends early is not played, but taken again: by then `is_ended` ends nothing."""
    command = f"""echo '{{"cost": 5}}' > usage.json; touch {den.hill}/reported; sleep 600"""
    ending = Thread(target=lambda: (wait_until((den.hill / "reported").exists), den.is_ended.set()))
    ending.start()
    assert den.turn(command).usage == {"cost": 5}
    ending.join()
    den.is_ended.clear()
    den.is_same_turn = True
    turn = den.turn("""echo '{"cost": 9}' > usage.json""", retries=0)
    assert (turn.usage, turn.attempts, turn.problem) == ({"cost": 14}, 2, "")


def test_a_command_finds_the_koth_and_the_python_of_its_study(den: Den) -> None:
    assert den.turn("command -v python").problem == ""
    assert den.log.read_text() == f"{Path(sys.executable).parent}/python\n"


SPENT: dict[str, tuple[str, dict[str, Any], str]] = {
    "time": ("sleep 600", {"timeout": 0.3}, "its command was not done after 0.3 s"),
    "CPU": ("while :; do :; done", {"cpu_time": 0.2}, "its command used more than 0.2 s of CPU time"),
    "report": (
        "echo '{\"cost\": 2.5}' > usage.json; sleep 600",
        {"reported": {"cost": 2}},
        "its command reported more than 2 cost",
    ),
}


@pytest.mark.parametrize("kind", SPENT)
def test_a_bot_is_sent_when_a_budget_is_spent_if_the_plan_says_so(kind: str, den: Den) -> None:
    command, limits, problem = SPENT[kind]
    for is_sent in (False, True):
        turn = den.turn(command, retries=5, sends_unfinished=is_sent, **limits)
        assert (turn.problem, turn.is_sent, turn.attempts, turn.kind) == (problem, is_sent, 1, "spent")


EXCESSIVE: dict[str, tuple[str, dict[str, Any], str]] = {
    "log": ("yes", {}, "its command printed more than 1 MB"),
    "bytes": (
        "head -c 3000000 /dev/zero > large; sleep 600",
        {"folder_size": 2},
        "its folder can't be kept: more than 20000 files or 2 MB",
    ),
    "files": (
        "mkdir 1 2 3 4 5 6 7 8 9; sleep 600",
        {},
        "its folder can't be kept: more than 8 files or 1024 MB",
    ),
}


@pytest.mark.parametrize("kind", EXCESSIVE)
def test_a_command_that_writes_too_much_is_ended(kind: str, den: Den, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(author_process, "LEAST_PAUSE", 0.0)
    monkeypatch.setattr(turn_limits, "LOG_MB", 1)
    if kind == "files":
        monkeypatch.setattr(turn_limits, "FOLDER_FILES", 8)
    command, limits, problem = EXCESSIVE[kind]
    turn = den.turn(command, retries=5, sends_unfinished=True, **limits)
    assert (turn.problem, turn.is_sent, turn.attempts, turn.kind) == (problem, False, 1, "excessive")
    assert den.log.stat().st_size == (kind == "log") << 20


def test_what_lies_there_before_the_turn_does_not_count(den: Den, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(author_process, "LEAST_PAUSE", 0.0)
    prepare = den.prepare

    def full() -> None:
        prepare()
        (den.folder / "replays").write_bytes(bytes(3 << 20))

    den.prepare = full  # type: ignore[method-assign]
    assert den.turn("sleep 600", timeout=0.5, folder_size=2).problem == "its command was not done after 0.5 s"


MISTAKES = {
    "[1]": "not an object of at most 32 quantities",
    '{"Tokens used": 1}': "not an object of at most 32 quantities",
    '{"tokens": -1}': "tokens is not a number from 0 to 1e+15",
    '{"tokens": "1"}': "tokens is not a number",
    '{"tokens": true}': "tokens is not a number",
    '{"tokens": 1e300}': "tokens is not a number",
    "{": "no JSON",
    f'{{"tokens": {" " * (1 << 16)}1}}': "larger than",
}


@pytest.mark.parametrize("text", MISTAKES, ids=range(len(MISTAKES)))
def test_a_report_that_can_not_be_read_counts_nothing_and_is_told(text: str, tmp_path: Path) -> None:
    (tmp_path / "usage.json").write_text(text)
    usage, mistake = read_usage(tmp_path)
    assert usage == {}
    assert mistake.startswith("usage.json: ")
    assert MISTAKES[text] in mistake


def test_a_report_is_no_link_out_of_the_folder(den: Den) -> None:
    (den.hill / "secret").write_text('{"tokens": 7}')
    turn = den.turn(f"ln -s {den.hill}/secret usage.json")
    assert turn.usage == {}
    assert turn.problem.startswith("usage.json: ")
    assert turn.is_sent


@pytest.mark.parametrize("level", ["none", "namespaces"])
def test_a_command_gets_the_variables_that_are_named_for_it(
    level: str, den: Den, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolation("strong")
    monkeypatch.setenv("KEY_OF_ANN", "hers")
    monkeypatch.setenv("KEY_OF_BEN", "his")
    turn = den.turn("env", ("KEY_OF_ANN",), author_isolation=level)
    assert turn.problem == ""
    names = {line.partition("=")[0] for line in den.log.read_text().splitlines()}
    assert names >= {"KEY_OF_ANN", "KOTH_AUTHOR"}
    assert names <= {"KEY_OF_ANN", "KOTH_AUTHOR", "LANG", "PATH", "PWD", "SHLVL", "_", *author_process.HOST_VARIABLES}
    with pytest.raises(KothError, match="the environment variable NOT_SET, which an author gets, is not set here"):
        check_author(AuthorCommand(command="true", variables=["NOT_SET"]), TurnLimits(), den.hill)


def test_an_author_in_isolation_sees_its_own_folder_alone(den: Den) -> None:
    isolation("strong")
    (den.hill / "authors" / "ben").mkdir(parents=True)
    limits = TurnLimits(author_isolation="namespaces")
    check_author(AuthorCommand(command="true"), limits, den.hill)
    turn = den.turn(f"pwd; ls -A . ..; ls {den.hill}; echo new > bot/bot.py", author_isolation="namespaces")
    assert turn.problem == ""
    assert "ben" not in den.log.read_text()
    assert (den.folder / "bot" / "bot.py").read_text() == "new\n"
    assert sorted(os.listdir(den.folder)) == ["bot"], "its /tmp is gone"


def test_a_turn_that_is_ended_waits_for_nothing(den: Den) -> None:
    den.is_ended.set()
    for command in ("sleep 600", "exit 1"):
        assert den.turn(command, retries=5, retry_pause=600.0).seconds < 30
