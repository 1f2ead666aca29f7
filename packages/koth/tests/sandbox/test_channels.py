"""Bots that would talk to each other, watch the host, hold memory that nobody counts, or find out where they are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from koth.contest.preflight import start_once
from koth.sandbox.policy import SandboxPolicy
from koth.sandbox.users import ONE, own_user
from tests.sandbox.zoo import CONFINED, hosted, isolation, outcomes, program
from tests.session.arena import GAME, PATIENT, SETTINGS, Quiet

ATTEMPTS = """
import ctypes, fcntl, json, mmap, os, resource, socket, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
host = int(sys.argv[1])
file = os.open("/usr/bin/env", os.O_RDONLY)
pair = socket.socketpair()

def call(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

def large_pipe():
    fcntl.fcntl(os.pipe()[0], 1031, 1 << 20)

def mapped(flags, protection=mmap.PROT_READ | mmap.PROT_WRITE):
    libc.mmap.restype = ctypes.c_long
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    call(libc.mmap(None, 1 << 22, protection, flags, -1, 0))

def zeros(mode, protection):
    mmap.mmap(os.open("/dev/zero", mode), 1 << 20, mmap.MAP_SHARED, protection)

def advise(advice):
    memory = mmap.mmap(-1, 1 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(advice)

def timers():
    for number in range(5000):
        call(libc.timer_create(1, None, ctypes.byref(ctypes.c_void_p())))

def put(path, data):
    os.write(os.open(path, os.O_WRONLY), data)

ATTEMPTS = {
    "lock a file": lambda: fcntl.flock(file, fcntl.LOCK_SH),
    "lock a part of it": lambda: fcntl.lockf(file, fcntl.LOCK_SH),
    "lock what is open": lambda: fcntl.fcntl(file, 37, bytes(32)),
    "lease a file": lambda: fcntl.fcntl(file, 1024, fcntl.F_RDLCK),
    "be notified of a folder": lambda: fcntl.fcntl(os.open("/usr", os.O_RDONLY), 1026, 1),
    "watch a folder": lambda: call(libc.inotify_init()),
    "read what is in memory only": lambda: os.preadv(file, [bytearray(1)], 0, os.RWF_NOWAIT),
    "look up in memory": lambda: call(libc.syscall(437, -100, b"/usr", struct.pack("QQQ", 0, 0, 32), 24)),
    "count pages in memory": lambda: call(libc.syscall(451, file, bytes(16), bytes(40), 0)),
    "put pages out": lambda: advise(21),
    "share what is alike": lambda: advise(12),
    "pair of datagrams": lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM),
    "pair of packets": lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET),
    "name a socket": lambda: pair[0].bind("\\0koth-zoo"),
    "reach a socket": lambda: pair[0].connect("\\0koth-zoo"),
    "send to a socket": lambda: pair[0].sendto(b"x", "\\0koth-zoo"),
    "a large pipe": large_pipe,
    "shared memory": lambda: mapped(0x21),
    "shared memory that is read": lambda: mapped(0x21, mmap.PROT_READ),
    "shared zeros": lambda: zeros(os.O_RDWR, mmap.PROT_READ | mmap.PROT_WRITE),
    "shared zeros that are read": lambda: zeros(os.O_RDONLY, mmap.PROT_READ),
    "memory that grows as a stack": lambda: mapped(0x122),
    "a stack without an end": lambda: resource.setrlimit(resource.RLIMIT_STACK, (1 << 30, 1 << 30)),
    "huge pages": lambda: mapped(0x40022),
    "five thousand timers": timers,
    "be the last to be killed": lambda: put("/proc/self/oom_score_adj", b"-1000"),
    "go before others": lambda: put("/proc/self/autogroup", b"-5"),
    "choose the next number": lambda: put("/proc/sys/kernel/ns_last_pid", b"100"),
    "be another user": lambda: put("/proc/self/uid_map", b"0 0 1"),
    "put all files out of memory": lambda: put("/proc/sys/vm/drop_caches", b"1"),
    "the limits of another": lambda: resource.prlimit(host, resource.RLIMIT_NOFILE),
    "be no parent of its own": lambda: call(libc.prctl(36, 0, 0, 0, 0)),
    "hide from koth": lambda: call(libc.prctl(4, 0, 0, 0, 0)),
    "change a mode": lambda: os.chmod("/usr/bin/env", 0o755),
    "change a time": lambda: os.utime("/usr/bin/env"),
}
outcomes = {}
for name, attempt in ATTEMPTS.items():
    try:
        attempt()
        outcomes[name] = "done"
    except (OSError, ValueError) as error:
        outcomes[name] = f"refused {error!r}"
pair[0].send(b"x")
outcomes["talk to itself"] = f"refused? no: {pair[1].recv(1)!r}"
print(json.dumps(outcomes))
"""
NAMES = [line.split('"')[1] for line in ATTEMPTS.splitlines() if line.startswith('    "')]

_outcomes: dict[str, dict[str, str]] = {}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("level", CONFINED)
def test_refused(level: str, name: str, tmp_path: Path) -> None:
    if level not in _outcomes:
        _outcomes[level] = outcomes(level, tmp_path, ATTEMPTS, str(os.getpid()))
    assert _outcomes[level][name].startswith("refused"), _outcomes[level][name]
    assert _outcomes[level]["talk to itself"].endswith("b'x'")


TABLES = """
import mmap
land = mmap.mmap(-1, 200 << 30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, mmap.PROT_READ)
land.madvise(15)
for at in range(0, 200 << 30, 2 << 20):
    land[at]
    if at % (1 << 30) == 0: time.sleep(0.02)
time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.parametrize("level", CONFINED)
def test_the_tables_of_pages_count(level: str, tmp_path: Path, quiet: Quiet) -> None:
    record = hosted(program(tmp_path, TABLES, manifest="memory = 64\n"), tmp_path, level, quiet)
    assert record.faults == {"memory": 1}
    assert "MB of memory; 64 are allowed" in record.fault_reports["memory"].text


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give each bot a user of its own")
@pytest.mark.parametrize("level", CONFINED)
def test_each_has_a_user_of_its_own(level: str, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    argv = ["/bin/sh", "-c", "echo; read end"]
    children = [isolation(level).start(argv, tmp_path, {}, SandboxPolicy(), **streams) for _ in range(2)]
    for child in children:
        assert child.stdout.read(1) == b"\n"
    users = {os.stat(f"/proc/{child.program_pid()}").st_uid for child in children}
    for child in children:
        child.end()
        child.close()
    assert len(users) == 2
    assert 0 not in users
    assert own_user() != own_user() or own_user() == ONE, (
        "it follows from no number of a process's, which bots could read"
    )


HELLO = """
hello = read()
hello = hello.get("hello", hello)
if hello["ruleset"] != "published" or len(hello["names"]) != 2 or int(os.environ["KOTH_SEED"]) < 1 << 20:
    sys.exit(f"this is not a match: {hello}")
say({'ready': True})
read()
"""


def test_preflight_sends_the_same_match_info_as_a_match(tmp_path: Path) -> None:
    """A bot can't recognise preflight by its match info."""
    bots = [program(tmp_path, HELLO, name, after="\n") for name in ("one", "two", "three", "four")]
    assert start_once(GAME, SETTINGS, bots, PATIENT, isolation("limits"), ruleset="published", seats=2) == []


WHERE = """
import json, os, sys
seen = {name: open(f"/proc/self/{name}").read() for name in ("mountinfo", "cgroup", "cmdline", "environ")}
seen["pids"] = [name for name in os.listdir("/proc") if name.isdigit()]
seen["first"] = open("/proc/1/cmdline").read()
seen["host"] = os.uname().nodename
print(json.dumps(seen))
"""


@pytest.mark.parametrize("level", CONFINED[:2])
def test_it_can_not_tell_where_it_is(level: str, tmp_path: Path) -> None:
    """Nor whether this is a check or a contest: nothing has the name of a folder of the host's, or of a run."""
    tmp_path.chmod(0o755)
    folder = tmp_path / "koth-zoo-secret"
    folder.mkdir()
    seen = outcomes(level, folder, WHERE)
    assert seen["host"] == "bot"
    assert seen["pids"] == ["1", "2"]
    assert seen["first"].split("\0")[0] == "/bin/sh"
    assert seen["environ"].split("=")[0] in ("", "LC_CTYPE")
    assert {line.split(":")[2] for line in seen["cgroup"].splitlines() if line.startswith("0:")} <= {"/"}
    assert "koth-zoo-secret" not in str(seen)
    assert sys.executable.startswith("/usr/") or sys.executable not in str(seen)
