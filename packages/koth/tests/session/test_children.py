"""CPU time of a bot's child processes is charged, including ended ones that no parent has waited for."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from koth.contest.preflight import build
from koth.game import Observations, TimeControl
from koth.sandbox.cgroup import cpu_cgroup_parent
from koth.sandbox.descendants import descendants
from koth.sandbox.isolation import Isolation
from koth.session.local import InlineBot
from tests.sandbox.zoo import play_at, program
from tests.session.arena import STILL, python_bot, result_of

LONG = TimeControl(start=60, question=60)

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


def test_children_without_a_waiting_parent_are_charged(tmp_path: Path) -> None:
    if cpu_cgroup_parent() is None:
        pytest.skip("koth may make no cgroup here")
    record = play_at("strong", tmp_path, KIDS, STILL, LONG)
    assert record.faults == {}
    assert [spent.charged >= 0.29 for _, spent in record.times][:4] == [False, False, True, False]


ORPHANS = """
def orphan(work, rest):
    hearing, telling = os.pipe()
    if os.fork() == 0:
        parent = os.getpid()
        if os.fork() == 0:
            os.setsid()
            while os.getppid() == parent: time.sleep(0.001)
            while time.process_time() < work: pass
            os.write(telling, str(os.getpid()).encode())
            while rest: rest()
        os._exit(0)
    os.wait()
    return int(os.read(hearing, 20))

def see_gone(pid):
    while True:
        try: os.waitpid(pid, os.WNOHANG)  # where it has become a child of this program
        except ChildProcessError: pass
        try: os.kill(pid, 0)
        except ProcessLookupError: return
        time.sleep(0.001)

"""
"""Children whose parents have ended: `work` seconds, then they go on with their `rest`, or end."""

FREE = ("none", "limits", "strong", "strong+cgroup")
"""Levels at which a bot can start processes."""


@pytest.mark.slow
@pytest.mark.parametrize("after", ["orphan(0.35, lambda: time.sleep(60))", "see_gone(orphan(0.35, None))"])
@pytest.mark.parametrize("level", FREE)
def test_orphans_are_charged(level: str, after: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where koth can make no cgroup."""
    monkeypatch.setattr("koth.sandbox.isolation.cpu_cgroup_parent", lambda: None)
    source = f"for q in questions():\n    if q['clock'] == 2: {after}\n    say(stay(q))"
    record = play_at(level, tmp_path, ORPHANS + source, STILL, LONG)
    assert record.faults == {}
    assert [spent.charged >= 0.3 for _, spent in record.times][:4] == [False, False, True, False]


IN_FRAMES = """
import os, time
from koth.games.zombies.bot import Move

class Parent:
    asked = 0

    def do_turn(self, context):
        if context.game_clock == 2 and not Parent.asked:
            Parent.asked = 1
            for _ in range(4):
                if os.fork() == 0:
                    while time.process_time() < 0.1: pass
                    os._exit(0)
                os.wait()
        return Move.STAY
"""


def test_children_of_one_question_are_charged_where_answers_are_frames(tmp_path: Path) -> None:
    """They come and go while koth looks at the one thread that it knows of."""
    record = result_of([python_bot(tmp_path, IN_FRAMES), STILL], LONG, turns=4).records["bad"]
    assert record.faults == {}
    assert [spent.charged >= 0.36 for _, spent in record.times][:4] == [False, False, True, False]


def processes() -> dict[int, str]:
    """The state of each process of bots that koth has started here."""
    found = {}
    for pid in descendants(os.getpid()):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            if b"main.py" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found[pid] = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    return found


@pytest.mark.parametrize("level", FREE)
def test_orphans_end_with_their_bot(level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a cgroup that ends them all at once."""
    monkeypatch.setattr("koth.sandbox.isolation.cpu_cgroup_parent", lambda: None)
    seen: list[int] = []

    def looks(observations: Observations, match_info: Mapping[str, Any]) -> Mapping[str, Any]:
        seen.append(len(processes()))
        return {}

    source = "for q in questions():\n    orphan(0, lambda: time.sleep(60))\n    say(stay(q))"
    assert play_at(level, tmp_path, ORPHANS + source, InlineBot("looks", looks), LONG).faults == {}
    assert seen == list(range(2, 2 + len(seen)))
    assert len(seen) >= 3
    assert processes() == {}


def test_without_cgroups_no_strangers_bot_may_start_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("koth.sandbox.isolation.cpu_cgroup_parent", lambda: None)
    bot = program(tmp_path, "", manifest="subprocesses = true\n")
    _, problem = build(bot, tmp_path / "copies", Isolation())
    assert "give koth a cgroup" in problem
    _, problem = build(bot, tmp_path / "copies", Isolation(trusts_processes=True))
    assert problem == ""
    _, problem = build(program(tmp_path, "", "modest"), tmp_path / "copies", Isolation())
    assert problem == ""
