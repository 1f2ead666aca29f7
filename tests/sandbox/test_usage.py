"""What a program uses, looked at from outside again and again."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from koth.bots.sandbox.child import Child
from koth.bots.sandbox.policy import FOR_BOTS
from koth.bots.sandbox.usage import Usage
from koth.match import play
from tests.bots.arena import GAME, PATIENT, SEED, SETTINGS, good_bot
from tests.sandbox.zoo import isolation

SIX_THREADS = """
import threading
for _ in range(5):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
print("all there", flush=True)
threading.Event().wait()
"""


@pytest.fixture
def six(tmp_path: Path) -> Child:
    """A program with six threads."""
    argv = (sys.executable, "-S", "-c", SIX_THREADS)
    child = isolation("limits").start(argv, tmp_path, {}, FOR_BOTS, (), stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"all there\n"
    return child


def test_its_files_are_opened_once(six: Child, monkeypatch: pytest.MonkeyPatch) -> None:
    before = len(os.listdir("/proc/self/fd"))
    with closing(Usage(six, FOR_BOTS)) as usage:
        assert usage.excess() == ""
        with monkeypatch.context() as without_open:
            without_open.delattr(os, "open")
            assert usage.excess() == ""
        six.end()
        assert usage.excess() == ""
    assert len(os.listdir("/proc/self/fd")) == before
    six.abandon()


def test_threads_beyond_the_limit_are_seen_as_they_come(six: Child) -> None:
    with closing(Usage(six, replace(FOR_BOTS, tasks=5))) as usage:
        assert usage.excess() == "it had 6 threads; 5 are allowed"
    six.end()
    six.abandon()


def test_a_match_leaves_no_file_open(tmp_path: Path) -> None:
    bots = [good_bot(tmp_path)]
    left = []
    for _ in range(2):
        play(GAME, SETTINGS, bots, SEED, budgets=PATIENT, isolation=isolation("limits"), turns=12)
        left.append(len(os.listdir("/proc/self/fd")))
    assert left[0] == left[1]


def test_a_match_may_open_more_files_than_most_systems_begin_with(tmp_path: Path) -> None:
    """The soft limit is raised to the hard one; what bots have is theirs."""
    run = (
        "import resource; hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]; "
        "resource.setrlimit(resource.RLIMIT_NOFILE, (90, hard)); "
        "from koth.cli import main; main()"
    )
    words = ["run", "pacman", *["@random_walk"] * 20, "--games", "1", "--turns", "3", "--replays", "none"]
    argv = [sys.executable, "-c", run, *words, "--out", str(tmp_path / "out")]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
