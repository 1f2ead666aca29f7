"""A bot's use of the machine is seen whole: while it is suspended, by children of any age, by rivals' children."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from koth.game import Observations, TimeControl
from koth.match import Hosting, Watching, play
from koth.sandbox.cgroup import cpu_cgroup_parent
from koth.session.local import InlineBot
from tests.sandbox.zoo import built, isolation, may_fork, play_at, program
from tests.session.arena import GAME, SEED, SETTINGS, STILL, result_of
from tests.session.test_children import FREE, LONG, processes

CGROUPS = pytest.mark.skipif(cpu_cgroup_parent() is None, reason="koth may make no cgroup here")


def cpu_of(pids: Mapping[int, Any]) -> float:
    """CPU seconds of these processes, read by the test itself."""
    total = 0.0
    for pid in pids:
        with suppress(OSError):
            total += time.clock_gettime((~pid << 3) | 2)
    return total


# --- between questions

THINKS = """
import select
for q in questions():
    say(stay(q))
    while not select.select([0], [], [], 0)[0]:
        sum(range(1000))
"""
"""It computes until it is asked again."""


@pytest.mark.parametrize("level", ["none", "limits", "partial", "strong"])
@pytest.mark.parametrize("is_paid", [True, False])
def test_thinking_between_questions_is_free_unless_it_is_paid_for(level: str, is_paid: bool, tmp_path: Path) -> None:
    used: list[float] = []

    def waits(observations: Observations, match_info: Mapping[str, Any]) -> Mapping[str, Any]:
        begin, deadline = cpu_of(processes()), time.monotonic() + 60
        while cpu_of(processes()) - begin < 0.3 and time.monotonic() < deadline:
            time.sleep(0.01)
        used.append(cpu_of(processes()) - begin)
        return {}

    time_control = replace(LONG, paid_thinking=is_paid)
    record = play_at(level, tmp_path, THINKS, InlineBot("waits", waits), time_control, "")
    assert record.faults == {}
    assert min(used) >= 0.3, "it did not think: this test tries nothing"
    assert [cost.charged >= 0.2 for _, cost in record.times] == [False, *[is_paid] * 3]


def test_a_bot_that_rests_between_questions_owes_nothing(tmp_path: Path) -> None:
    rests = InlineBot("rests", lambda observations, match_info: time.sleep(0.2) or {})
    source = "for q in questions():\n    say(stay(q))"
    record = play_at("none", tmp_path, source, rests, replace(LONG, paid_thinking=True), "")
    assert max(cost.charged for _, cost in list(record.times)[1:] if cost.wall < 0.1) < 0.01


# --- children, however early they were born

EARLY = """
import os, signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them, and nobody is told what they used
(ordered, order), (hearing, telling) = os.pipe(), os.pipe()
if os.fork() == 0:
    import time
    os.close(order)
    while os.read(ordered, 1):
        for _ in range(10):
            ended, end = os.pipe()
            if os.fork() == 0:
                while time.process_time() < 0.03: pass
                os._exit(0)
            os.close(end)
            os.read(ended, 1)
            os.close(ended)
        os.write(telling, b".")
    os._exit(0)
"""
ORDERS = """
for q in questions():
    if q["clock"] == 2:
        os.write(order, b".")
        os.read(hearing, 1)
    say(stay(q))
"""
"""A child forked in the program's first line; on demand its own children compute, and end unwaited for."""


@CGROUPS
@pytest.mark.parametrize("level", FREE)
def test_children_born_in_the_first_instruction_are_charged(level: str, tmp_path: Path) -> None:
    bot = program(tmp_path, ORDERS, manifest=may_fork(level), after="\n")
    main = bot.folder / "main.py"
    main.write_text(EARLY + main.read_text())
    chosen = isolation(level)
    record = result_of([built(bot, tmp_path, chosen), STILL], LONG, turns=4, isolation=chosen).records["bad"]
    assert record.faults == {}
    assert [cost.charged >= 0.29 for _, cost in record.times] == [False, False, True, False]


TELLS_CGROUP = """
for q in questions():
    sys.stderr.write(open("/proc/self/cgroup").read())
    say(stay(q))
"""


@CGROUPS
@pytest.mark.parametrize("level", FREE)
def test_the_cgroups_name_reveals_nothing(level: str, tmp_path: Path) -> None:
    record = play_at(level, tmp_path, TELLS_CGROUP, STILL, LONG, "subprocesses = true\n")
    names = set(re.findall(r"^0::(.*)$", record.stderr.decode(), re.MULTILINE))
    if level.startswith("strong"):
        assert names == {"/"}
    else:
        (name,) = names
        assert re.search(r"/koth-[0-9a-f]{16}$", name)


# --- what rivals use

HOG = """
for _ in range(4):
    if os.fork() == 0:
        os.setsid()
        while os.getppid() != 1: pass
for q in questions():
    say(stay(q))
"""
"""It answers at once, while its children hold the cores."""
WAITS = """
import pathlib
for q in questions():
    while q["clock"] == 2 and not pathlib.Path({path!r}).exists(): time.sleep(0.02)
    say(stay(q))
"""


@pytest.mark.slow
def test_what_a_rivals_children_use_makes_no_match_void(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot that waits for as long as they compute has been kept from its core by nobody else."""
    monkeypatch.setattr("koth.session.time_control.VOID_AFTER", 0.8)
    monkeypatch.setattr("koth.session.referee.REPORTED_WAIT", 0.5)
    monkeypatch.setattr("koth.session.referee.LOOK_SECONDS", 0.05)  # far less than passes between two looks
    monkeypatch.setattr("koth.session.cpu_clock.CpuClock.is_asleep", lambda clock: False)
    end, waited = tmp_path / "end", list[float]()

    def on_wait(name: str, seconds: float) -> None:
        waited.append(seconds)
        if seconds > 1:
            end.touch()

    chosen = replace(isolation("none"), trusts_processes=True)
    sources = {"loser": WAITS.format(path=str(end)), "hog": HOG}
    cast = [built(program(tmp_path, text, name, after="\n"), tmp_path, chosen) for name, text in sources.items()]
    hosting = Hosting(time_control=TimeControl(start=60, question=0.1), isolation=chosen)
    play(GAME, SETTINGS, cast, SEED, hosting, Watching(max_turns=4, on_wait=on_wait))
    assert end.exists(), "nobody was kept from a core: this test tries nothing"
