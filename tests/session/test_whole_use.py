"""A bot's use of the machine is seen whole: while it is suspended, by children of any age, by rivals' children."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from koth.contest.preflight import build
from koth.game import Observations, TimeControl
from koth.match import Hosting, InlineBot, Result, Watching, play
from koth.sandbox.cgroup import cpu_cgroup_parent
from koth.sandbox.command import Command
from koth.session.clock import ChargedClock
from koth.session.marks import Mark
from koth.session.process import BotProcess
from tests.sandbox.zoo import isolation, program
from tests.session.arena import GAME, SEED, SETTINGS
from tests.session.test_children import FREE, processes

CGROUPS = pytest.mark.skipif(cpu_cgroup_parent() is None, reason="koth may make no cgroup here")
LONG = TimeControl(start=60, question=60)


def cpu_of(pids: Mapping[int, Any]) -> float:
    """CPU seconds of these processes, read by the test itself."""
    total = 0.0
    for pid in pids:
        with suppress(OSError):
            total += time.clock_gettime((~pid << 3) | 2)
    return total


def play_at(
    level: str, folder: Path, source: str, rival: Any, time_control: TimeControl, manifest: str = ""
) -> Result:
    """A short match of a program against a rival, at a level of isolation."""
    chosen = replace(isolation(level), trusts_processes=True)
    copy, problem = build(program(folder, source, manifest=manifest, after="\n"), folder / "copies", chosen)
    assert problem == ""
    return play(
        GAME,
        SETTINGS,
        [copy, rival],
        SEED,
        Hosting(time_control=time_control, isolation=chosen),
        Watching(max_turns=4),
    )


def may_fork(level: str) -> str:
    """The manifest of a bot that starts processes at this level."""
    return "subprocesses = true\n" if level.startswith("strong") else ""


# --- while a bot is suspended

WAKES = """
import ctypes, select
libc = ctypes.CDLL(None, use_errno=True)

class Event(ctypes.Structure):
    _fields_ = [("value", ctypes.c_long), ("signo", ctypes.c_int), ("notify", ctypes.c_int), ("", ctypes.c_char * 48)]

timers = []
for _ in range(16):
    event, timer = Event(signo=signal.SIGCONT), ctypes.c_void_p()
    assert libc.timer_create(1, ctypes.byref(event), ctypes.byref(timer)) == 0
    timers.append(timer)
signal.signal(signal.SIGCONT, lambda *_: None)

for q in questions():
    for at, timer in enumerate(timers):
        libc.timer_settime(timer, 0, (ctypes.c_long * 4)(0, 0, 0, 4_000_000 * (at + 1) ** 2), None)
    say(stay(q))
    while not select.select([0], [], [], 0)[0]:
        sum(range(1000))
"""
"""Sixteen timers, each of which ends a stop; until it is asked again the program computes."""


@pytest.mark.parametrize("level", ["none", "limits", "partial", "strong"])
def test_what_is_computed_while_suspended_is_charged(
    level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At every level, where no cgroup freezes the bot."""
    monkeypatch.setattr("koth.sandbox.isolation.cpu_cgroup_parent", lambda: None)
    used: list[float] = []

    def waits(observations: Observations, match_info: Mapping[str, Any]) -> Mapping[str, Any]:
        begin, deadline = cpu_of(processes()), time.monotonic() + 60
        while cpu_of(processes()) - begin < 0.15 and time.monotonic() < deadline:
            time.sleep(0.01)
        used.append(cpu_of(processes()) - begin)
        return {}

    time_control = replace(LONG, freeze=True)
    record = play_at(level, tmp_path, WAKES, InlineBot("waits", waits), time_control).records["bad"]
    assert record.faults == {}
    assert min(used) >= 0.15, "it was not woken: this test tries nothing"
    costs = [cost for _, cost in record.times]
    assert [cost.cpu >= 0.13 and cost.charged >= 0.13 for cost in costs[1:]] == [True] * 3


@pytest.mark.parametrize("level", ["none", "limits", "partial", "strong"])
def test_a_bot_that_rests_while_suspended_owes_nothing(level: str) -> None:
    process = BotProcess(Command(("/bin/cat",), Path("/usr")), isolation(level), 1, 1)
    assert process.start() == ""
    os.write(process.stdin, b"word")
    while process.read() is None:
        time.sleep(0.001)
    for _ in range(3):
        process.suspend()
        process.suspend()
        assert process.resume() == 0
        assert process.resume() == 0
    os.write(process.stdin, b"word")
    while process.read() is None:
        time.sleep(0.001)
    process.kill()
    process.close()


@CGROUPS
@pytest.mark.parametrize("level", FREE)
def test_a_cgroup_stays_frozen(level: str, tmp_path: Path) -> None:
    """No timer of a bot's ends that."""
    frozen: list[bool] = []
    mount = next(line.split()[1] for line in Path("/proc/mounts").read_text().splitlines() if " cgroup2 " in line)

    def is_frozen(pid: int) -> bool:
        path = Path(f"/proc/{pid}/cgroup").read_text().rsplit("0::", 1)[1].strip().lstrip("/")
        events = Path(mount, path, "cgroup.events")
        return events.exists() and "frozen 1" in events.read_text()

    def looks(observations: Observations, match_info: Mapping[str, Any]) -> Mapping[str, Any]:
        deadline = time.monotonic() + 30
        while not all(map(is_frozen, processes())) and time.monotonic() < deadline:
            time.sleep(0.01)
        frozen.extend(map(is_frozen, processes()))
        return {}

    time_control = replace(LONG, freeze=True)
    result = play_at(level, tmp_path, WAKES, InlineBot("looks", looks), time_control, may_fork(level))
    assert result.records["bad"].faults == {}
    assert len(frozen) >= 4
    assert all(frozen)


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
    still = InlineBot("still", lambda observations, match_info: {})
    bot = program(tmp_path, ORDERS, manifest=may_fork(level), after="\n")
    main = bot.folder / "main.py"
    main.write_text(EARLY + main.read_text())
    chosen = isolation(level)
    copy, problem = build(bot, tmp_path / "copies", chosen)
    assert problem == ""
    result = play(
        GAME, SETTINGS, [copy, still], SEED, Hosting(time_control=LONG, isolation=chosen), Watching(max_turns=4)
    )
    record = result.records["bad"]
    assert record.faults == {}
    assert [cost.cpu >= 0.29 for _, cost in record.times] == [False, False, True, False]


TELLS_CGROUP = """
for q in questions():
    sys.stderr.write(open("/proc/self/cgroup").read())
    say(stay(q))
"""


@CGROUPS
@pytest.mark.parametrize("level", FREE)
def test_the_cgroups_name_reveals_nothing(level: str, tmp_path: Path) -> None:
    still = InlineBot("still", lambda observations, match_info: {})
    record = play_at(level, tmp_path, TELLS_CGROUP, still, LONG, "subprocesses = true\n").records["bad"]
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


def test_what_a_rivals_children_use_makes_no_match_void(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot that waits for exactly as long as they compute has been kept from its core by nobody else."""
    monkeypatch.setattr("koth.session.machine_load.VOID_AFTER", 0.3)
    monkeypatch.setattr("koth.session.machine_load.REPORTED_DELAY", 0.05)
    end = tmp_path / "end"
    cost_of, make_clock = ChargedClock.cost, BotProcess._make_clock
    clocks: list[ChargedClock] = []
    begun: list[float] = []

    def made(process: BotProcess, *given: Any) -> ChargedClock:
        clocks.append(make_clock(process, *given))
        return clocks[-1]

    def kept(clock: ChargedClock, mark: Mark, answered: int) -> Any:
        cost = cost_of(clock, mark, answered)
        if clock is not clocks[0] or cost.wall < 0.05 or end.exists():
            return cost
        begun.append(cpu_of(processes()))
        waited = 0.8 * (begun[-1] - begun[0])
        if waited > 3:
            end.touch()
        return type(cost)(waited + 0.001, 0.0, waited)

    monkeypatch.setattr(ChargedClock, "cost", kept)
    monkeypatch.setattr(BotProcess, "_make_clock", made)
    chosen = replace(isolation("none"), trusts_processes=True)
    cast = []
    for name, source in (("loser", WAITS.format(path=str(end))), ("hog", HOG)):
        copy, problem = build(program(tmp_path, source, name, after="\n"), tmp_path / "copies", chosen)
        assert problem == ""
        cast.append(copy)
    time_control = TimeControl(start=60, question=0.1, late_in_a_row=1000, lateness=1000)
    play(GAME, SETTINGS, cast, SEED, Hosting(time_control=time_control, isolation=chosen), Watching(max_turns=4))
    assert end.exists(), "nobody was kept from a core: this test tries nothing"
