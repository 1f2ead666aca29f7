"""The promises of docs/isolation.md on macOS and Windows, on a Python without modules and names that they lack."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from tests.contest.folders import processes, wait_until

ABSENT = {
    "darwin": {
        "modules": (),
        "os": ("pidfd_open", "memfd_create", "setns", "O_PATH", "sched_getaffinity"),
        "signal": ("pidfd_send_signal",),
        "socket": ("MSG_CMSG_CLOEXEC", "SO_PEERCRED"),
        "time": ("CLOCK_BOOTTIME",),
    },
    "win32": {
        "modules": ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty"),
        "os": (
            *("fork", "getuid", "getgid", "geteuid", "sysconf", "setsid", "posix_spawn", "killpg", "mkfifo", "chown"),
            *("pidfd_open", "memfd_create", "setns", "sched_getaffinity", "fchmod", "wait4"),
            *("O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY", "O_CLOEXEC", "O_PATH", "WNOHANG", "POSIX_SPAWN_DUP2"),
        ),
        "signal": (
            *("SIGKILL", "SIGSTOP", "SIGCONT", "SIGUSR1", "SIGUSR2", "SIGCHLD", "SIGPIPE", "SIGXFSZ", "SIGHUP"),
            *("SIGWINCH", "pidfd_send_signal", "pthread_sigmask"),
        ),
        "socket": ("AF_UNIX", "send_fds", "recv_fds", "MSG_CMSG_CLOEXEC", "SO_PEERCRED"),
        "select": ("poll", "epoll"),
        "time": ("CLOCK_MONOTONIC", "CLOCK_THREAD_CPUTIME_ID", "CLOCK_BOOTTIME"),
    },
}
"""Of each system: modules that it has not, and names that the modules lack which it has."""

PRETEND = """
import importlib, os, pkgutil, sys
import koth
for module in pkgutil.walk_packages(koth.__path__, "koth."):  # the libraries themselves know which system this is
    if not module.name.startswith((
        "koth.skeleton", "koth.__main__", "koth.learn.sb3", "koth.hill", "koth.cli.hill"
    )):
        try: importlib.import_module(module.name)
        except ImportError: pass  # an extra that is not installed
names = [name for name in sys.modules if name == "koth" or name.startswith("koth.")]
for name in names:
    del sys.modules[name]
import {libraries}
absent = {absent}
for name in absent.pop("modules"):
    sys.modules[name] = None
for module, lacking in absent.items():
    for name in lacking:
        vars(sys.modules[module]).pop(name, None)
sys.platform = {platform!r}
"""

PLAYS = """
import tempfile
from pathlib import Path
from koth.games import load
from koth.games.zombies.state import Settings
from koth.match import Hosting, InlineBot, play
from koth.replay.reader import Replay
from koth.replay.verify import verify
from koth.sandbox.isolation import PLAIN, SandboxError
from koth.sandbox.policy import SandboxPolicy as Policy

def walks(observations, match_info):
    return {"action": (observations.fields["clock"] + observations.fields["number"]) % 9}

folder = Path(tempfile.mkdtemp())
replay = folder / "match.koth.gz"
settings = Settings(players=3, vision=2, shoot_range=2, density=0.02)
game = load("zombies")
result = play(game, settings, [InlineBot("a", walks), InlineBot("b", walks)], 7, Hosting(replay=replay))
assert not any(record.faults for record in result.records.values())
print("played", result.turns > 0, verify(game, Replay(replay), settings))
try:
    child = PLAIN.start(["/bin/true"], folder, {}, Policy())
    print("started", child.wait(60))
    child.close()
except SandboxError as error:
    print(error)
"""


def run(platform: str, code: str) -> str:
    absent = ABSENT[platform]
    libraries = ", ".join(name for name in absent if name != "modules")
    pretend = PRETEND.format(libraries=libraries, absent=absent, platform=platform)
    done = subprocess.run(
        [sys.executable, "-c", pretend + code],
        capture_output=True,
        text=True,
        check=False,
        env={"NUMBA_DISABLE_JIT": "1", "PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize("platform", ABSENT)
def test_everything_can_be_imported(platform: str) -> None:
    code = """
for name in sorted(names):
    importlib.import_module(name)
print("all", len(names) > 150)
"""
    assert run(platform, code) == "all True\n"


@pytest.mark.parametrize(
    ("platform", "start"),
    [
        ("darwin", "started 0"),
        ("win32", "programs can be started on Linux, macOS and WSL2 alone, not on this system"),
    ],
)
def test_bots_that_are_functions_play(platform: str, start: str) -> None:
    """Programs are started on macOS, by the numbers of processes; on Windows koth says that it starts none."""
    played, *rest = run(platform, PLAYS).splitlines()
    assert played.startswith("played True None")
    assert rest == [start]


SITE = """
import importlib, sys
absent = {absent}
for name in (*absent.pop("modules"), "fcntl", "resource"):
    sys.modules[name] = None
for module, lacking in absent.items():
    for name in lacking:
        vars(importlib.import_module(module)).pop(name, None)
"""
"""A module that Python imports at its start, also in koth's workers, its spawner and its bots."""

BOT = """
import os, signal, time
from koth.games.zombies.bot import Move

class Bot:
    def do_turn(self, context):
        {}
        return Move.STAY
"""
BOTS = {
    "good": "pass",
    "killed": "context.game_clock == 2 and os.kill(os.getpid(), signal.SIGSEGV)",
    "exits": "context.game_clock == 2 and os._exit(3)",
    "hangs": "time.sleep(600)",
}


@pytest.mark.needs("bwrap")
def test_programs_play_without_proc_fcntl_and_resource(tmp_path: Path) -> None:
    """A contest of programs at isolation `none`: signals and exit statuses are known, and nothing is left."""
    word = uuid.uuid4().hex
    for name, line in BOTS.items():
        (tmp_path / f"{name}{word}.py").write_text(BOT.format(line))
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(SITE.format(absent=ABSENT["darwin"]))
    names = {name: f"{name}={name}{word}.py" for name in BOTS}
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site"), "NUMBA_DISABLE_JIT": "1"}

    def said(*words: str) -> str:
        bare = [shutil.which("bwrap") or "", "--dev-bind", "/", "/", "--tmpfs", "/proc", sys.executable, "-m", "koth"]
        done = subprocess.run(
            [*bare, *words], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    short = ["--set", "players=2", "--max-turns", "5", "--move-time", "0.3", "--seed", "3", "-n", "2"]
    run = ["run", "zombies", *names.values(), *short, "--jobs", "2", "--isolation", "none", "--out", "out", "--json"]
    faults = {line["bot"]: line["faults"] for line in json.loads(said(*run))["standings"]}
    assert {bot: sorted(kinds) for bot, kinds in faults.items()} == {
        "good": [],
        "killed": ["crash"],
        "exits": ["crash"],
        "hangs": ["late"],
    }
    wait_until(lambda: not processes(word))
    why = said("why", "out")
    assert "killed by SIGSEGV" in why
    assert "exit status 3" in why
    assert "2 matches" in said("verify", "out")
