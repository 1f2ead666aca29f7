"""Bots that take more than their share, that won't end, or that don't play fair: only they are hit."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from koth.session.conversation import Limits
from tests.sandbox.zoo import CONFINED, LEVELS, hosted, program
from tests.session.arena import HASTY, PATIENT, Quiet

SMALL = Limits(message=1 << 14, question=1 << 16, messages=200, stderr=1 << 16)

THREADS = """
import threading
threading.stack_size(1 << 16)
held = threading.Event()
number = 0
try:
    while number < 500:
        threading.Thread(target=held.wait, daemon=True).start()
        number += 1
except RuntimeError:
    pass
print("threads", number, file=sys.stderr, flush=True)
time.sleep(0.3)
"""


@pytest.mark.parametrize("level", CONFINED[:2])
def test_threads_stop_at_the_limit(level: str, tmp_path: Path, quiet: Quiet) -> None:
    record = hosted(program(tmp_path, THREADS + "held.set()"), tmp_path, level, quiet)
    assert record.faults == {}
    assert 30 < int(record.stderr.split()[1]) < 64


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS[2:])
def test_threads_are_counted_where_they_can_not_be_limited(level: str, tmp_path: Path, quiet: Quiet) -> None:
    record = hosted(program(tmp_path, THREADS + "time.sleep(60)"), tmp_path, level, quiet, replace(HASTY, start=3.0))
    if level == "partial" and os.getuid() == 0:
        assert set(record.faults) == {"late"}, "its user is its own, so the system counts for us"
        return
    assert record.faults == {"memory": 1}
    assert "threads; 64 are allowed" in record.fault_reports["memory"].text


FORKS = """
children = []
try:
    while len(children) < 500:
        pid = os.fork()
        if pid == 0:
            time.sleep(60)
            os._exit(0)
        children.append(pid)
except OSError:
    pass
print("children", len(children), file=sys.stderr, flush=True)
"""


@pytest.mark.parametrize("level", CONFINED)
def test_a_fork_bomb_does_not_begin(level: str, tmp_path: Path, quiet: Quiet) -> None:
    record = hosted(program(tmp_path, FORKS), tmp_path, level, quiet)
    assert record.faults == {}
    assert b"children 0\n" in record.stderr


@pytest.mark.parametrize("level", CONFINED[:2])
def test_a_fork_bomb_of_a_bot_with_processes_stops_at_the_limit(level: str, tmp_path: Path, quiet: Quiet) -> None:
    record = hosted(program(tmp_path, FORKS, manifest="subprocesses = true\n"), tmp_path, level, quiet)
    assert record.faults == {}
    assert 30 < int(record.stderr.split()[1]) < 64


PRIVATE = """
hoard = []
try:
    while len(hoard) < 2000:
        hoard.append(bytearray(1 << 20))
except MemoryError:
    taken = len(hoard)
    hoard.clear()
    print("megabytes", taken, file=sys.stderr, flush=True)
"""


@pytest.mark.parametrize("level", LEVELS)
def test_private_memory_is_refused(level: str, tmp_path: Path, quiet: Quiet) -> None:
    record = hosted(program(tmp_path, PRIVATE, manifest="memory = 128\n"), tmp_path, level, quiet)
    assert record.faults == {}
    assert 60 < int(record.stderr.split()[1]) < 128


SHARED = """
import mmap
try:
    mmap.mmap(-1, 1 << 20, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
except PermissionError:
    sys.exit("refused")
hoard = []
while len(hoard) < 2000:
    part = mmap.mmap(-1, 1 << 20, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
    part[::4096] = bytes(256)
    hoard.append(part)
    time.sleep(0.001)
time.sleep(60)
"""


@pytest.mark.parametrize("level", LEVELS)
def test_shared_memory_is_refused_or_counted(level: str, tmp_path: Path, quiet: Quiet) -> None:
    record = hosted(program(tmp_path, SHARED, manifest="memory = 128\n"), tmp_path, level, quiet)
    if level in CONFINED:
        assert b"refused" in record.stderr
        return
    assert record.faults == {"memory": 1}
    assert "MB of memory" in record.fault_reports["memory"].text


@pytest.mark.parametrize("level", [*CONFINED[:2], "limits"])
def test_memory_of_all_processes_is_counted(level: str, tmp_path: Path, quiet: Quiet) -> None:
    """At `limits` also of a bot whose manifest does not say that it starts any: nothing keeps it from that."""
    source = """
    for _ in range(3):
        if os.fork() == 0:
            hoard = bytearray(100 << 20)
            time.sleep(60)
    time.sleep(60)
    """
    declared = "" if level == "limits" else "subprocesses = true\n"
    bot = program(tmp_path, source, manifest=f"memory = 128\n{declared}")
    record = hosted(bot, tmp_path, level, quiet)
    assert record.faults == {"memory": 1}


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_cpu_time_is_limited(level: str, tmp_path: Path, quiet: Quiet) -> None:
    source = """
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    while True:
        pass
    """
    bot = program(tmp_path, source)
    bot = replace(bot, policy=replace(bot.policy, seconds=1))
    record = hosted(bot, tmp_path, level, quiet)
    assert record.faults == {"crash": 1}
    assert record.fault_reports["crash"].end == "killed by SIGKILL"


BROKEN = {
    "never reads": ("time.sleep(60)", {"late"}),
    "floods": ("read()\nwhile True: os.write(1, b'x' * 4096)", {"flood"}),
    "floods stderr": ("read()\nwhile True: os.write(2, b'x' * 4096)", {"flood"}),
    "closes everything": ("read()\nos.closerange(0, 3)\ntime.sleep(60)", {"closed"}),
    "exits": ("sys.exit(3)", {"crash"}),
    "dies of a bad address": ("import ctypes\nctypes.string_at(0)", {"crash"}),
    "ignores every signal": (
        "for n in signal.valid_signals() - {9, 19}: signal.signal(n, signal.SIG_IGN)\nread()\ntime.sleep(60)",
        {"late"},
    ),
    "stops itself": ("read()\nos.kill(os.getpid(), signal.SIGSTOP)\ntime.sleep(60)", {"late"}),
    "half a line": ("read()\nsay({'ready': True})\nread()\nos.write(1, b'{\"ask\": ')\ntime.sleep(60)", {"late"}),
    "many small lines at once": (
        "read()\nsay({'ready': True})\nread()\nsay('\\n'.join(['{\"ask\": 1000000}'] * 20000))\ntime.sleep(60)",
        {"flood", "unasked"},
    ),
    "not UTF-8": ("read()\nsay({'ready': True})\nread()\nos.write(1, b'\\xff\\x00\\x1b\\n')\ntime.sleep(60)",
                  {"garbage", "late"}),
}  # fmt: skip


OF_THE_SANDBOX = ("dies of a bad address", "exits", "ignores every signal", "stops itself")
"""Ways in which the level has a say."""


@pytest.mark.slow_but
@pytest.mark.parametrize(
    ("level", "name"),
    [(level, name) for level in CONFINED for name in (BROKEN if level == CONFINED[0] else OF_THE_SANDBOX)],
)
def test_broken(level: str, name: str, tmp_path: Path, quiet: Quiet) -> None:
    source, faults = BROKEN[name]
    time_control = replace(HASTY, start=2.0) if "late" in faults else PATIENT
    bot = program(tmp_path, source)
    record = hosted(bot, tmp_path, level, quiet, replace(time_control, start=3.0), SMALL)
    assert set(record.faults) == faults
    if name == "dies of a bad address":
        assert record.fault_reports["crash"].end == "killed by SIGSEGV"
    if name == "exits":
        assert record.fault_reports["crash"].end == "exit status 3"


@pytest.mark.parametrize("level", CONFINED[:2])
def test_a_kill_of_all_processes_finds_none(level: str, tmp_path: Path, quiet: Quiet) -> None:
    record = hosted(program(tmp_path, "os.kill(-1, signal.SIGKILL)"), tmp_path, level, quiet)
    assert record.faults == {"crash": 1}
    assert b"ProcessLookupError" in record.stderr
