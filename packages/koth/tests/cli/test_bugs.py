"""A bug of koth's in the handling of one bot: that bot is refused, or its match is void; all else goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from koth.contest.store import Store
from koth.discovery import entrants
from koth.session.process import BotProcess
from tests.cli.program import SMALL, Koth, bot_file

RUN = ["run", "zombies", "good.py", "bad.py", "@runner", *SMALL, "--matches", "2", "--out", "out"]
CHECK = ["check", "bad.py", "--game", "zombies", "--max-turns", "2", *SMALL]
BUG = "a bug of koth or of the game, not of the bot: ZeroDivisionError (test_bugs.py, line "


@pytest.fixture(autouse=True)
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bots good and bad, and a folder of tracebacks."""
    (tmp_path / "bugs").mkdir()
    monkeypatch.setattr("koth.sandbox.failures.cache_folder", lambda name: tmp_path / name)
    bot_file(tmp_path, "good")
    bot_file(tmp_path, "bad")


def with_a_bug(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, occurs: Callable[..., bool]) -> None:
    """Let a function fail where `occurs` is true of its arguments."""
    works = getattr(owner, name)

    def fails(*arguments: Any, **more: Any) -> Any:
        return 1 // 0 if occurs(*arguments) else works(*arguments, **more)

    monkeypatch.setattr(owner, name, fails)


def is_bad(process: BotProcess, *_: object) -> bool:
    return "bad.py" in " ".join(process.command.argv)


@pytest.mark.parametrize("step", ["start", "send_bye", "find_excess"])
def test_a_bug_before_the_first_match_leaves_one_bot_out(
    step: str, koth: Koth, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_a_bug(monkeypatch, BotProcess, step, is_bad)
    refused = koth(*RUN)
    assert (refused.code, refused.out, "Traceback" in refused.err) == (2, "", False)
    assert f"koth: bad: {BUG}" in refused.err
    done = koth(*RUN, "--skip-broken")
    assert (done.code, "Traceback" in done.err) == (0, False)
    assert f"left out: bad: {BUG}" in done.out
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert [bot["name"] for bot in record["bots"]] == ["good", "runner"]
    (trace,) = (tmp_path / "bugs").iterdir()
    assert f"traceback is in koth's cache: bugs/{trace.name}" in done.out
    assert trace.read_text().endswith("ZeroDivisionError: integer division or modulo by zero\n")


def test_a_bug_in_finding_a_bot_leaves_it_out(koth: Koth, monkeypatch: pytest.MonkeyPatch) -> None:
    with_a_bug(monkeypatch, entrants, "read_bots", lambda game, path, *_: path.name == "bad.py")
    assert f"koth: bad.py: {BUG}" in koth(*RUN).err
    assert koth(*RUN, "--skip-broken").code == 0


def test_a_bug_in_building_a_bot_leaves_it_out(koth: Koth, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("koth.contest.preflight.copy_bot", lambda *_: 1 // 0)
    assert f"  runner: {BUG}" in koth(*RUN).err
    told = koth(*CHECK)
    assert (told.code, BUG in told.out, "Traceback" in told.err) == (1, True, False)


@pytest.mark.parametrize("step", ["start", "send_bye"])
def test_a_bug_ends_the_check_of_its_bot(step: str, koth: Koth, monkeypatch: pytest.MonkeyPatch) -> None:
    with_a_bug(monkeypatch, BotProcess, step, is_bad)
    told = koth(*CHECK)
    assert (told.code, "Traceback" in told.err) == (1, False)
    assert BUG in told.out
    assert told.out.splitlines()[-1] == "not checked to the end"


def test_a_check_with_a_bug_is_whole_json(koth: Koth, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("koth.diagnostics.checkup.Checkup.find_remarks", lambda checkup, bot: 1 // 0)
    told = koth(*CHECK, "--json")
    assert told.code == 1
    assert [(step["step"], step["ok"]) for step in json.loads(told.out)["steps"]][-1] == ("bug", False)
    assert koth(*CHECK).out.splitlines()[-1].startswith("not checked to the end (tried: ")


def test_a_bug_in_recording_a_match_makes_it_void(koth: Koth, monkeypatch: pytest.MonkeyPatch) -> None:
    with_a_bug(monkeypatch, Store, "add", lambda store, match, *_: match.number == 1)
    done = koth(*RUN)
    assert (done.code, "Traceback" in done.err) == (3, False)
    assert f"match 1 could not be played (3 tries): {BUG}" in " ".join(done.out.split())
    assert "match 2 could not" not in done.out
