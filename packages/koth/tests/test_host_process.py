"""koth's own process: what koth changes in it, and the states in which it may have been started.

A program that imports koth stays as it was: no limit, signal, file, thread or cgroup of it is changed by that. koth
plays in whatever state it was started, or says in one line why it can't: no bot has a fault, nothing hangs.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from koth.sandbox.levels import choose_level
from tests.cli.program import SMALL

LOOKS = """
import atexit, contextlib, gc, importlib, json, os, pkgutil, signal, sys, threading
import numpy, numba, scipy.optimize, scipy.special, click, rich.console, orjson, asyncio, ssl, multiprocessing.util

registered = []
register = atexit.register
def recording(function, *arguments, **words):
    frame = sys._getframe(1)
    if frame.f_globals.get("__name__", "").startswith("koth"):
        registered.append(repr(function))
    return register(function, *arguments, **words)
atexit.register = recording

def look():
    import resource
    return {
        "limits": {name: resource.getrlimit(kind) for name, kind in vars(resource).items() if name[:7] == "RLIMIT_"},
        "signals": {int(number): repr(signal.getsignal(number)) for number in signal.valid_signals()},
        "garbage": (gc.isenabled(), gc.get_freeze_count(), gc.get_threshold()),
        "files": sorted(os.listdir("/proc/self/fd")),
        "threads": threading.active_count(),
        "children": open(f"/proc/self/task/{os.getpid()}/children").read(),
        "folder": os.getcwd(),
        "umask": [os.umask(0o022), os.umask(0o022)][1],
        "exits": list(registered),
        "cgroup": open("/proc/self/cgroup").read(),
    }

before = look()
import koth
for module in pkgutil.walk_packages(koth.__path__, "koth."):
    if not module.name.startswith(
        ("koth.skeleton", "koth.__main__", "koth.viewer")
    ):
        with contextlib.suppress(ImportError):  # an extra that is not installed
            importlib.import_module(module.name)
after = look()
print(json.dumps([before, after, len([name for name in sys.modules if name.startswith("koth.")])]))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="what is looked at is Linux's")
def test_importing_koth_changes_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", LOOKS], capture_output=True, text=True, check=True)
    before, after, modules = json.loads(done.stdout)
    assert modules > 150
    assert after == before


SIGNALS = ("CHLD", "PIPE", "INT")
STATES = {
    **{
        f"SIG{name} blocked": (f"signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIG{name}])", "")
        for name in SIGNALS
    },
    "all signals blocked": ("signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())", ""),
    "all signals ignored": ("for one in signal.valid_signals() - {9, 19}: signal.signal(one, signal.SIG_IGN)", ""),
    "umask 0777": ("os.umask(0o777)", ""),
    "umask 0": ("os.umask(0)", ""),
    **{f"without descriptors {name}": (f"os.closerange({name})", "") for name in ("0, 1", "0, 3")},
    "nowhere": ("os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')", "the working directory has been removed"),
    **{
        f"{name} {value} {kind}": (
            f"most = resource.getrlimit(resource.{name})[1]\nresource.setrlimit(resource.{name}, ({value}, {most}))",
            f"the hard limit {name} is {value} here (ulimit -Ha); bots need " if kind == "hard" else "",
        )
        for name, value in {
            "RLIMIT_NOFILE": 40,
            "RLIMIT_NPROC": 3,
            "RLIMIT_FSIZE": 0,
            "RLIMIT_CPU": 20,
            "RLIMIT_AS": 1 << 30,
            "RLIMIT_DATA": 1 << 27,
            "RLIMIT_STACK": 1 << 18,
            "RLIMIT_SIGPENDING": 0,
        }.items()
        for kind, most in (("hard", value), ("soft", "most"))
    },
    "RLIMIT_AS 300 MB": (
        "resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))",
        f"the hard limit RLIMIT_AS is {300 << 20} here (ulimit -Ha); bots need no limit",
    ),
    "RLIMIT_CORE 0": ("resource.setrlimit(resource.RLIMIT_CORE, (0, 0))", ""),
    "RLIMIT_CORE inf": (
        "resource.setrlimit(resource.RLIMIT_CORE, 2 * resource.getrlimit(resource.RLIMIT_CORE)[1:])",
        "",
    ),
}
"""By name: what makes the state, and how the one line begins with which koth refuses it, or "" where it plays."""
BOT = """
import signal
from koth.games.zombies.bot import Move

assert not signal.pthread_sigmask(signal.SIG_BLOCK, [])
ignored = {signal.Signals(one).name for one in signal.valid_signals() if signal.getsignal(one) == signal.SIG_IGN}
assert ignored == {"SIGPIPE", "SIGXFSZ"}, ignored  # as in every Python

class Stays:
    def do_turn(self, context):
        return Move.STAY
"""
COMMAND = """
words = f"run zombies {FOLDER}/stays.py @runner --matches 1 --max-turns 2 --jobs 1 --out {OUT}".split()
os.execv(sys.executable, [sys.executable, "-m", "koth", *words, *SMALL])
"""
PYTHON = """
import koth
bots = {"stays": FOLDER + "/stays.py", "runner": "@runner"}
try:
    koth.run("zombies", bots, matches=1, max_turns=2, jobs=1, out=OUT, settings={"players": 3})
except koth.KothError as error:
    sys.exit(f"koth: {error}")
"""
CASES = [
    *((name, COMMAND) for name in STATES),
    *((f"all signals {what}", PYTHON) for what in ("blocked", "ignored")),
    *((name, PYTHON) for name in ("nowhere", "RLIMIT_NOFILE 40 hard", "umask 0777")),
]


@pytest.mark.slow_but("SIGINT", "all signals ignored", "nowhere", "NOFILE 40")
@pytest.mark.skipif(sys.platform != "linux", reason="not every system has these states")
@pytest.mark.parametrize(("name", "script"), CASES, ids=[f"{name}, {script[1:6]}" for name, script in CASES])
def test_koth_plays_in_the_state_that_it_inherits_or_says_why_not(name: str, script: str, tmp_path: Path) -> None:
    state, refusal = STATES[name]
    (tmp_path / "stays.py").write_text(BOT)
    about = f"FOLDER, OUT, SMALL = {str(tmp_path)!r}, {str(tmp_path / 'out')!r}, {SMALL!r}"
    begin = f"import os, resource, signal, sys\n{about}\n{state}\n{script}"
    done = subprocess.run([sys.executable, "-c", begin], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    if refusal:
        assert done.returncode == (2 if script == COMMAND else 1)
        assert done.stderr.startswith(f"koth: {refusal}")
        assert done.stderr.count("\n") == 1
        return
    assert done.returncode == 0, done
    assert json.loads((tmp_path / "out" / "run.json").read_text())["isolation"]["level"] == choose_level().level
    with closing(sqlite3.connect(tmp_path / "out" / "results.sqlite")) as results:
        assert results.execute("select count(*) from matches").fetchall() == [(1,)]
        assert results.execute("select * from faults").fetchall() == []
