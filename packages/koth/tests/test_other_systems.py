"""The promises of docs/isolation.md on macOS, on a Python without names that it lacks."""

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
    "os": ("pidfd_open", "memfd_create", "setns", "O_PATH", "sched_getaffinity"),
    "signal": ("pidfd_send_signal",),
    "socket": ("MSG_CMSG_CLOEXEC", "SO_PEERCRED"),
    "time": ("CLOCK_BOOTTIME",),
}
"""The names that modules of macOS lack."""

PRETEND = """
import importlib, os, pkgutil, sys
import koth
for module in pkgutil.walk_packages(koth.__path__, "koth."):  # the libraries themselves know which system this is
    if not module.name.startswith((
        "koth.skeleton", "koth.__main__"
    )):
        try: importlib.import_module(module.name)
        except ImportError: pass  # an extra that is not installed
names = [name for name in sys.modules if name == "koth" or name.startswith("koth.")]
for name in names:
    del sys.modules[name]
import {libraries}
for module, lacking in {absent}.items():
    for name in lacking:
        vars(sys.modules[module]).pop(name, None)
sys.platform = "darwin"
"""

PLAYS = """
import tempfile
from pathlib import Path
from koth.games import load
from koth.games.zombies.state import Settings
from koth.match import Hosting, play
from koth.session.local import InlineBot
from koth.replay.reader import Replay
from koth.replay.verify import verify
from koth.sandbox.isolation import PLAIN
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
child = PLAIN.start(["/bin/true"], folder, {}, Policy())
print("started", child.wait(60))
child.close()
"""


def run(code: str) -> str:
    pretend = PRETEND.format(libraries=", ".join(ABSENT), absent=ABSENT)
    done = subprocess.run(
        [sys.executable, "-c", pretend + code],
        capture_output=True,
        text=True,
        check=False,
        env={"NUMBA_DISABLE_JIT": "1", "PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.slow
def test_everything_can_be_imported() -> None:
    code = """
for name in sorted(names):
    importlib.import_module(name)
print("all", len(names) > 150)
"""
    assert run(code) == "all True\n"


def test_bots_that_are_functions_play_and_programs_start() -> None:
    played, started = run(PLAYS).splitlines()
    assert played.startswith("played True None")
    assert started == "started 0"


SITE = """
import importlib
for module, lacking in {absent}.items():
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
def test_programs_play_without_proc(tmp_path: Path) -> None:
    """A contest of programs at isolation `none`: signals and exit statuses are known, and nothing is left."""
    word = uuid.uuid4().hex
    for name, line in BOTS.items():
        (tmp_path / f"{name}{word}.py").write_text(BOT.format(line))
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(SITE.format(absent=ABSENT))
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
