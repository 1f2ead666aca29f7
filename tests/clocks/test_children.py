"""What a bot's programs compute is charged, also that of those that have ended and that nobody waited for."""

from __future__ import annotations

from pathlib import Path

import pytest

from koth.bots.sandbox.account import Account, can_be_kept
from koth.bots.sandbox.isolation import Isolation
from koth.contest.practice import build
from koth.game import Budgets
from koth.match import Inline, play
from tests.bots.arena import GAME, SEED, SETTINGS
from tests.sandbox.zoo import isolation, program

KIDS = """
import signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them, and nobody is told what they used
for q in questions():
    if q["clock"] == 2:
        hearing, telling = os.pipe()
        for _ in range(10):
            if os.fork() == 0:
                while time.process_time() < 0.03: pass
                os.write(telling, b".")
                os._exit(0)
            os.read(hearing, 1)
    say(stay(q))
"""


def test_children_that_nobody_waits_for_are_charged(tmp_path: Path) -> None:
    if not can_be_kept():
        pytest.skip("koth may make no cgroup here")
    strong = isolation("strong")
    bot, problem = build(
        program(tmp_path, KIDS, manifest="processes = true\n", after="\n"), tmp_path / "copies", strong
    )
    assert problem == ""
    still = Inline("still", lambda asks, facts: {})
    budgets = Budgets(start=60, question=60)
    result = play(GAME, SETTINGS, [bot, still], SEED, budgets=budgets, isolation=strong, turns=4)
    record = result.records["bad"]
    assert record.faults == {}
    assert [spent.cpu >= 0.29 for _, spent in record.times][:4] == [False, False, True, False]


def test_where_nobody_can_tell_the_hosts_word_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("koth.contest.practice.can_be_kept", lambda: False)
    bot = program(tmp_path, "", manifest="processes = true\n")
    _, problem = build(bot, tmp_path / "copies", Isolation())
    assert "--processes" in problem
    _, problem = build(bot, tmp_path / "copies", Isolation(trusts_processes=True))
    assert problem == ""
    _, problem = build(program(tmp_path, "", "modest"), tmp_path / "copies", Isolation())
    assert problem == ""


def test_an_account_needs_a_cgroup_of_koths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("koth.bots.sandbox.account._base", lambda: None)
    with pytest.raises(OSError, match="no cgroup v2"):
        Account(0)
