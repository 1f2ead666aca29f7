"""Bots in Python, C and Java that try to read, write, reach and outlive what is not theirs."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from koth import match
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from tests.sandbox.zoo import CONFINED, hosted, isolation, program
from tests.session.arena import GAME, Quiet

PYTHON = """
import ctypes, fcntl, mmap, resource, socket, struct, termios, tempfile
at = json.load(open("target.json"))
libc = ctypes.CDLL(None, use_errno=True)

def call(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

def write(path):
    open(path, "w").write("x" * 100)
    os.remove(path)

def append(path):
    with open(path, "a") as file:
        file.write("mine now")

def connect(kind, address, family=socket.AF_INET, protocol=0):
    with socket.socket(family, kind, protocol) as s:
        s.settimeout(1)
        s.connect(address)
        s.send(b"x")

def environments():
    found = 0
    for name in os.listdir("/proc"):
        if name.isdigit() and name != str(os.getpid()):
            found += at["marker"] in open(f"/proc/{name}/environ").read()
    assert found

def names():
    assert [n for n in os.listdir("/proc") if n.isdigit() and n not in ("1", str(os.getpid()))]

def first():
    for name in ("mem", "environ", "maps", "exe", "root", "fd/0"):
        try:
            if name in ("exe", "root"):
                os.readlink(f"/proc/1/{name}")
            else:
                os.open(f"/proc/1/{name}", os.O_RDWR if name == "mem" else os.O_RDONLY)
        except OSError:
            continue
        return
    os.kill(1, signal.SIGKILL)
    raise OSError

def compiled():
    os.mkdir("__pycache__")

def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(60)
        os._exit(0)

def grow(path, size=1000000):
    with open(path, "wb") as file:
        file.write(bytes(size))

def execute():
    with open("/tmp/koth-zoo", "w+b") as file:
        file.write(b"x")
        file.flush()
        mmap.mmap(file.fileno(), 1, prot=mmap.PROT_READ | mmap.PROT_EXEC)

def change_core():
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    if os.sched_getaffinity(0) == cores:
        raise OSError("pretended")

def own_environment():
    assert [n for n in os.environ if n not in at["known"]], sorted(os.environ)

def descriptors():
    links = [os.readlink(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd") if int(n) > 2]
    assert [link for link in links if not link.startswith("/proc/")]

ATTEMPTS = {
    "read a file of the host": lambda: open(at["secret"]).read(),
    "read it by a way around": lambda: open(os.path.relpath(at["secret"])).read(),
    "read the rival's source": lambda: open(at["rival"]).read(),
    "list the folder of the copies": lambda: os.listdir(at["copies"]),
    "read the arena's own code": lambda: open(at["engine"]).read(),
    "read host environments": environments,
    "see other processes": names,
    "touch what holds the namespaces": first,
    "read the arena's memory": lambda: open(f"/proc/{at['host']}/mem", "rb").read(1),
    "write to a file of the host": lambda: append(at["secret"]),
    "write to the replay": lambda: append(at["replay"]),
    "change its own source": lambda: append("main.py"),
    "plant compiled code": compiled,
    "write to its folder": lambda: write("new"),
    "execute from /tmp": execute,
    "overfill /tmp": lambda: grow("/tmp/koth-zoo", 17 << 20),
    "write to shared memory": lambda: write("/dev/shm/koth-zoo"),
    "write to /dev": lambda: write("/dev/koth-zoo"),
    "write to /": lambda: write("/koth-zoo"),
    "flood /tmp with folders": lambda: [os.mkdir(f"/tmp/koth-zoo-{n}") for n in range(1000)],
    "write to /var/tmp": lambda: write("/var/tmp/koth-zoo"),
    "connect to this machine": lambda: connect(socket.SOCK_STREAM, ("127.0.0.1", at["port"])),
    "connect by MPTCP": lambda: connect(socket.SOCK_STREAM, ("127.0.0.1", at["port"]), protocol=262),
    "connect to a socket file": lambda: connect(socket.SOCK_STREAM, at["socket"], socket.AF_UNIX),
    "connect to an abstract socket": lambda: connect(socket.SOCK_STREAM, at["abstract"], socket.AF_UNIX),
    "send UDP": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9)),
    "reach the internet": lambda: connect(socket.SOCK_STREAM, ("192.0.2.1", 53)),
    "open a vsock": lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).connect((2, 1)),
    "signal the arena": lambda: os.kill(at["host"], 0),
    "signal another of its user": lambda: os.kill(at["sleeper"], 0),
    "start a program": lambda: subprocess.run(["/bin/true"], check=True),
    "start a daemon": daemon,
    "grow a file": lambda: grow("large"),
    "change its core": change_core,
    "change its priority": lambda: os.nice(1),
    "be kept waiting by its own wish": lambda: open("/proc/self/autogroup", "w").write("19"),
    "change what the system knows of it": lambda: open("/proc/self/oom_score_adj", "w").write("1000"),
    "become root": lambda: os.setuid(0) if os.getuid() else 1 / 0,
    "make a device": lambda: os.mknod("disk", 0o600 | 0o60000, os.makedev(8, 0)),
    "outlive koth": lambda: call(libc.prctl(1, 0, 0, 0, 0)),
    "talk to a terminal": lambda: os.open("/dev/tty", os.O_RDWR),
    "type into a terminal": lambda: fcntl.ioctl(0, termios.TIOCSTI, b"x"),
    "hide memory in a file": lambda: os.memfd_create("hoard"),
    "take 600 MB": lambda: len(bytearray(600 << 20)),
    "open many files": lambda: [os.open("/dev/null", 0) for _ in range(2000)],
    "raise its limits": lambda: resource.setrlimit(resource.RLIMIT_DATA, (-1, -1)),
    "find strange variables": own_environment,
    "find strange descriptors": descriptors,
}

opened = {int(n) for n in os.listdir("/proc/self/fd")}
for name, attempt in ATTEMPTS.items():
    if name not in at["names"]:
        continue
    try:
        attempt()
        outcome = "done"
    except (OSError, MemoryError, AssertionError, ValueError, ZeroDivisionError) as error:
        outcome = f"refused {error!r}"
    for fd in set(range(2100)) - opened:
        try:
            os.close(fd)
        except OSError:
            pass
    print(f"{name}: {outcome}", file=sys.stderr, flush=True)
"""

LIMITED = {"take 600 MB", "open many files", "grow a file", "raise its limits", "find strange variables",
           "find strange descriptors", "read the arena's memory"}  # fmt: skip
"""What `limits` refuses too (the last, as long as nobody knows the arena's addresses)."""

HARMLESS = {
    "read a file of the host",
    "read it by a way around",
    "read the rival's source",
    "connect to this machine",
    "signal the arena",
    "signal another of its user",
    "start a program",
    "hide memory in a file",
    "change its core",
    "change its priority",
    "change what the system knows of it",
    "outlive koth",
}
"""What is tried at `limits`, to see that nothing stands in its way there."""

KNOWN = [
    *("PATH", "HOME", "LANG", "PWD", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED", "LC_CTYPE"),
    *("KOTH_SEED", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
    *("COMPlus_EnableDiagnostics", "DOTNET_EnableDiagnostics"),
]
"""The environment that koth gives a bot (PWD and LC_CTYPE come from bwrap and Python)."""

NAMES = [line.split('"')[1] for line in PYTHON.splitlines() if line.startswith('    "') and '": ' in line]


class Loot:
    """Files and services of the host that a burglar looks for."""

    def __init__(self, folder: Path) -> None:
        self.secret = folder / "secret"
        self.secret.write_text("the host's")
        self.replay = folder / "match.koth.gz"
        self.replay.write_text("a replay")
        self.server = socket.create_server(("127.0.0.1", 0))
        self.file = socket.socket(socket.AF_UNIX)
        self.file.bind(str(folder / "socket"))
        self.abstract = socket.socket(socket.AF_UNIX)
        self.abstract.bind(f"\0koth-zoo-{os.getpid()}")
        for server in (self.file, self.abstract):
            server.listen()
        self.marker = f"koth-zoo-{os.getpid()}"
        self.sleeper = subprocess.Popen([sys.executable, "-c", "input()"], env={"ZOO": self.marker}, stdin=-1)

    def close(self) -> None:
        self.sleeper.communicate(b"\n")
        for server in (self.server, self.file, self.abstract):
            server.close()


@pytest.fixture(scope="module")
def loot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Loot]]:
    folder = tmp_path_factory.mktemp("loot")
    loot = Loot(folder)
    yield folder, loot
    loot.close()


_reports: dict[str, dict[str, str]] = {}


def report(level: str, loot: tuple[Path, Loot], quiet: Quiet) -> dict[str, str]:
    """Return the burglar's report on its attempts at this level, run once."""
    isolation(level)
    if level not in _reports:
        folder, goods = loot
        home = folder / level
        home.mkdir()
        bot = program(home, PYTHON)
        target = {
            "secret": str(goods.secret),
            "rival": str(home / "good.py"),
            "copies": str(home / "copies"),
            "engine": match.__file__,
            "host": os.getpid(),
            "sleeper": goods.sleeper.pid,
            "replay": str(goods.replay),
            "port": goods.server.getsockname()[1],
            "socket": str(folder / "socket"),
            "abstract": f"\0koth-zoo-{os.getpid()}",
            "marker": goods.marker,
            "known": KNOWN,
            "names": NAMES if level in CONFINED else sorted(HARMLESS | LIMITED),
        }
        (home / "bad" / "empty").mkdir()
        (home / "bad" / "target.json").write_text(json.dumps(target))
        bot = load_bot(GAME, home / "bad", Interpreters(), "bad")
        record = hosted(bot, home, level, quiet)
        assert record.faults == {}, record.stderr.decode()
        lines = record.stderr.decode().splitlines()
        _reports[level] = {name: outcome for line in lines for name, _, outcome in [line.partition(": ")]}
    return _reports[level]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("level", CONFINED)
def test_refused(level: str, name: str, loot: tuple[Path, Loot], quiet: Quiet) -> None:
    assert report(level, loot, quiet)[name].startswith("refused"), report(level, loot, quiet)[name]
    if name.startswith(("connect", "reach", "send", "open a vsock")):
        assert "PermissionError" in report(level, loot, quiet)[name], "not for want of a network"
    assert loot[1].secret.read_text() == "the host's"
    assert loot[1].replay.read_text() == "a replay"


@pytest.mark.parametrize("name", sorted(LIMITED))
def test_limits_refuse_too(name: str, loot: tuple[Path, Loot], quiet: Quiet) -> None:
    assert report("limits", loot, quiet)[name].startswith("refused"), report("limits", loot, quiet)[name]


def test_the_attempts_are_real(tmp_path: Path, loot: tuple[Path, Loot], quiet: Quiet) -> None:
    """Without isolation, burglars succeed."""
    done = {name for name, outcome in report("limits", loot, quiet).items() if outcome == "done"}
    assert done == HARMLESS


WITNESS = """
import signal, sys
signal.signal(signal.SIGURG, lambda *_: print("hit", flush=True))
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("level", [*CONFINED, "limits"])
def test_a_signal_to_all_processes(level: str, tmp_path: Path, quiet: Quiet) -> None:
    """The system may say that it was sent; what counts is whom it has reached. (Most ignore this one.)"""
    isolation(level)
    with subprocess.Popen([sys.executable, "-c", WITNESS], stdin=-1, stdout=-1, text=True) as witness:
        assert witness.stdout.readline() == "ready\n"
        attempt = "try: os.kill(-1, signal.SIGURG)\nexcept OSError: pass"
        record = hosted(program(tmp_path, attempt), tmp_path, level, quiet)
        told, _ = witness.communicate("")
    assert record.faults == {}
    assert told == ("hit\n" if level == "limits" else "")
