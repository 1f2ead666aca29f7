"""Bots that try to outlive their match, and koth: whatever they do, nothing of them is left."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from koth.sandbox import supervisor
from koth.sandbox.descendants import descendants
from koth.sandbox.policy import SandboxPolicy
from koth.sandbox.start_request import NamespacePlan, StartRequest
from koth.sandbox.supervised_process import ROOT
from tests.contest.folders import wait_until
from tests.sandbox.zoo import CONFINED, LEVELS, hosted, isolation, program
from tests.session.arena import HASTY, Quiet

WORD = f"koth-zoo-survivor-{os.getpid()}"
"""What a survivor calls itself, so that it is found whatever else it has changed."""


def survivors() -> list[int]:
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if file.read_bytes().startswith(WORD.encode()):
                found.append(int(file.parent.name))
    return found


def test_a_thread_that_has_just_ended_hides_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen(["sleep", "100"]) as child:
        listed = os.listdir
        monkeypatch.setattr(os, "listdir", lambda path: ["4194305", *listed(path)])
        assert child.pid in descendants(os.getpid())
        child.kill()


SOON = replace(HASTY, start=5.0)

SPINS = """
import threading
def spin():
    while True: pass
for _ in range(60):
    try: threading.Thread(target=spin, daemon=True).start()
    except RuntimeError: break
spin()
"""
"""The survivor: as many threads as it can have."""

BY_A_THREAD = f"""
import threading
def flee():
    try: os.execve(sys.executable, ["{WORD}", "-S", "-c", {SPINS!r}], {{}})
    except OSError as error: print("refused", error, file=sys.stderr, flush=True)
thread = threading.Thread(target=flee)
thread.start()
thread.join()
"""
"""The system would have it end with its parent no more: that hangs on the thread that became the program."""

ITSELF = f"""
os.execve(sys.executable, ["{WORD}", "-S", "-c", {SPINS!r}], {{}})
"""

AS_A_DAEMON = f"""
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 3)
        os.execve(sys.executable, ["{WORD}", "-S", "-c", {SPINS!r}], {{}})
    os._exit(0)
os.wait()
"""


@pytest.mark.parametrize("level", CONFINED)
def test_a_thread_does_not_become_a_survivor(level: str, tmp_path: Path, quiet: Quiet) -> None:
    record = hosted(program(tmp_path, BY_A_THREAD), tmp_path, level, quiet)
    assert record.faults == {}
    assert b"refused [Errno 1]" in record.stderr
    assert survivors() == []


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_one_that_becomes_something_else_ends_with_its_match(level: str, tmp_path: Path, quiet: Quiet) -> None:
    record = hosted(program(tmp_path, "read()\nsay({'ready': True})\n" + ITSELF), tmp_path, level, quiet, SOON)
    assert set(record.faults) <= {"late", "memory"}
    assert survivors() == []


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_daemons_end_with_their_match(level: str, tmp_path: Path, quiet: Quiet) -> None:
    manifest = "subprocesses = true\n" if level.startswith("strong") else ""
    daemon = AS_A_DAEMON if level != "partial" else ITSELF  # there nobody may start processes
    hosted(program(tmp_path, daemon, manifest=manifest), tmp_path, level, quiet, SOON)
    assert survivors() == []


OTHER = 12345
"""The number of a user without anything."""


def koth_as(user: str, script: str, *words: str) -> subprocess.Popen[bytes]:
    """A koth of this user, or of a plain one where this one is root; the test is skipped where that can't be."""
    if user == "this user":
        return subprocess.Popen([sys.executable, "-c", script, *words])
    if os.getuid():
        pytest.skip("not root: the other tests run as a plain user")
    finds_koth = f"import sys; sys.path.insert(0, {str(ROOT)!r})\nimport koth.sandbox.levels\n"
    people = {"user": OTHER, "group": OTHER, "extra_groups": []}
    try:
        subprocess.run(["/usr/bin/python3", "-B", "-c", finds_koth], cwd="/", env={}, check=True, **people)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("a plain user can't run koth from here")
    return subprocess.Popen(["/usr/bin/python3", "-B", "-c", finds_koth + script, *words], cwd="/", env={}, **people)


PLAYS = """
import sys, time
from pathlib import Path
from koth.sandbox.levels import choose_level
from koth.sandbox.policy import SandboxPolicy as Policy
argv = [sys.argv[2], "-S", "-c", sys.argv[3]]
policy = Policy(processes=sys.argv[4] == "yes")
child = choose_level(sys.argv[1]).start(argv, Path("/usr"), {}, policy, stdin=-1, stdout=-1, stderr=-1)
time.sleep(600)
"""


@pytest.mark.slow_but
@pytest.mark.parametrize("who", ["koth", "koth and the spawner", "the spawner, then koth"])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("user", ["this user", "a plain user"])
def test_nothing_outlives_koth(user: str, level: str, who: str) -> None:
    isolation(level)
    forks = "no" if level == "partial" else "yes"
    source = "import os, sys, time\n" + (AS_A_DAEMON if forks == "yes" else ITSELF) + "time.sleep(600)"
    source = source.replace("sys.executable", "'/usr/bin/python3'")
    koth = koth_as(user, PLAYS, level, "/usr/bin/python3", source, forks)
    try:
        wait_until(lambda: survivors() or koth.poll() is not None)
        assert koth.poll() is None
        children = {pid: descendants(pid) for pid in descendants(koth.pid)}
        spawner = next(pid for pid, under in children.items() if under)
        if who.startswith("the spawner"):
            os.kill(spawner, signal.SIGKILL)
        koth.kill()
        if who.endswith("and the spawner"):
            os.kill(spawner, signal.SIGKILL)
    finally:
        koth.kill()
        koth.wait()
    wait_until(lambda: not survivors(), 20)


@pytest.mark.parametrize("level", CONFINED)
def test_nothing_outlives_its_supervisor(level: str, tmp_path: Path) -> None:
    """As when the system is short of memory and picks this process."""
    tmp_path.chmod(0o755)
    child = isolation(level).start(
        ["/usr/bin/python3", "-S", "-c", "import os, sys\n" + ITSELF.replace("sys.executable", "'/usr/bin/python3'")],
        Path("/usr"), {}, SandboxPolicy(), stdin=-1, stdout=-1, stderr=-1,
    )  # fmt: skip
    wait_until(lambda: survivors())
    supervisor_pid = child.supervisor_pid()
    assert supervisor_pid > 1
    os.kill(supervisor_pid, signal.SIGKILL)
    wait_until(lambda: not survivors(), 20)
    assert child.wait(5) == -9
    assert child.sandbox_failed(), "that is the arena's failure"
    child.close()


@pytest.mark.parametrize("level", ["none", *LEVELS])
def test_a_program_that_is_killed_before_it_began(level: str, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    chosen = isolation(level)
    begin = time.monotonic()
    child = chosen.start(["/bin/sleep", "600"], tmp_path, {}, SandboxPolicy(), stdin=-1, stdout=-1, stderr=-1)
    child.kill()
    child.kill()
    assert child.wait(30) == -9
    child.end()
    child.close()
    assert time.monotonic() - begin < 300


def test_a_program_dies_before_its_namespaces_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else one that is still entering would end by an error of its own, which then looked like the arena's."""
    plan = NamespacePlan("/bin/false", False, 0, [], "", False, "", 5.0)
    request = StartRequest("namespaces", [], {}, "/", {}, namespaces=plan)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        kept = supervisor.Supervisor(request, theirs, [], [])
        how: list[int] = []
        with subprocess.Popen(["/bin/sleep", "600"]) as program:
            kept.program = program.pid
            monkeypatch.setattr(supervisor, "descendants", lambda _: [program.pid])
            monkeypatch.setattr(kept.namespaces, "kill", lambda: how.append(program.wait(5)))
            try:
                kept._kill()
            finally:
                program.kill()
    assert how == [-signal.SIGKILL]
