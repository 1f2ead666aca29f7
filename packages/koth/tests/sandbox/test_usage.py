"""The usage of a program, measured repeatedly from outside."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from koth.sandbox.policy import FOR_BOTS, MEGABYTE
from koth.sandbox.seccomp_notify import _is_alone
from koth.sandbox.supervised_process import SupervisedProcess
from koth.sandbox.usage import Usage, peak_memory
from koth.session import stack_location
from tests.sandbox.zoo import isolation, running
from tests.session.arena import good_bot, json_bot, result_of

SIX_THREADS = """
import threading
for _ in range(5):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
print("all there", flush=True)
threading.Event().wait()
"""


@pytest.fixture
def six(tmp_path: Path) -> Iterator[SupervisedProcess]:
    """A program with six threads."""
    with running("limits", tmp_path, SIX_THREADS) as child:
        assert child.stdout.readline() == b"all there\n"
        yield child


def test_its_files_are_opened_once(six: SupervisedProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    assert six.program_pid() > 0  # whose descriptor comes with its number
    before = len(os.listdir("/proc/self/fd"))
    with closing(Usage(six, FOR_BOTS, has_family=False)) as usage:
        assert usage.find_excess() == ""
        with monkeypatch.context() as without_open:
            without_open.delattr(os, "open")
            assert usage.find_excess() == ""
        six.end()
        assert usage.find_excess() == ""
    assert len(os.listdir("/proc/self/fd")) == before


def test_threads_beyond_the_limit_are_seen_as_they_come(six: SupervisedProcess) -> None:
    with closing(Usage(six, replace(FOR_BOTS, tasks=5), has_family=False)) as usage:
        assert usage.find_excess() == "had 6 threads; 5 are allowed"


SHARED = """
import ctypes, mmap, os, threading, time
def fill():
    mapped = mmap.mmap(-1, 100 << 20, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
    for at in range(0, len(mapped), 4096): mapped[at] = 1
    print("all there", flush=True)
    threading.Event().wait()
"""
"""`fill` takes 100 MB, which no limit inside counts, and stays."""

HEADLESS = """
threading.Thread(target=fill).start()
ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[os.uname().machine], 0)  # the first thread ends, and no other
"""
CHILD = """
if os.fork() == 0: fill()
threading.Event().wait()
"""


@pytest.mark.parametrize(
    ("what", "has_family"),
    [(HEADLESS, False), (HEADLESS, True), (CHILD, True)],
    ids=["first thread", "in a family", "child"],
)
def test_memory_is_seen_wherever_it_is(what: str, has_family: bool, tmp_path: Path) -> None:
    """Behind a first thread that has ended, and in children where nothing keeps a bot from starting them."""
    with running("limits", tmp_path, SHARED + what) as child:
        assert child.stdout.readline() == b"all there\n"
        small = replace(FOR_BOTS, memory=32 * MEGABYTE)
        with closing(Usage(child, small, has_family=has_family)) as usage:
            assert re.fullmatch(r"used 1\d\d MB of memory; 32 are allowed", usage.find_excess())
        with closing(Usage(child, FOR_BOTS, has_family=has_family)) as usage:
            assert usage.find_excess() == ""
        assert (peak_memory(child.program_pid()) > 100 * MEGABYTE) == (what == HEADLESS)


NAMED = """
import ctypes, sys
for line in sys.stdin:
    ctypes.CDLL(None).prctl(15, bytes.fromhex(line), 0, 0, 0)
    print("done", flush=True)
"""
FIELDS = ["VmPTE:", "VmHWM:", "RssAnon:", "RssShmem:", "Threads:", "SigCgt:", "kB", "99999", "-"]
PIECES = [*(bytes([code]) for code in b"\r\n\v\f\x1c\x85:\t \\\\)(0"), *map(str.encode, FIELDS)]
NAMES = st.lists(st.sampled_from(PIECES), max_size=15).map(lambda pieces: b"".join(pieces)[:15])


def test_no_name_of_a_thread_changes_what_is_read(tmp_path: Path) -> None:
    @given(NAMES)
    @example(b"\rVmHWM:")
    @example(b"\rVmPTE: -999999")
    @example(b"RssAnon:")
    @example(b"\rThreads: 9")
    def is_read_as_ever(name: bytes) -> None:
        child.stdin.write(name.hex().encode() + b"\n")
        assert child.stdout.readline() == b"done\n"
        with closing(Usage(child, replace(FOR_BOTS, memory=MEGABYTE, tasks=0), has_family=False)) as usage:
            assert re.fullmatch(r"used 1\d\d MB of memory; 1 are allowed", usage.find_excess())
        with closing(Usage(child, replace(FOR_BOTS, tasks=0), has_family=False)) as usage:
            assert usage.find_excess() == "had 1 threads; 0 are allowed"
        assert 100 * MEGABYTE < peak_memory(child.program_pid()) < 200 * MEGABYTE
        assert _is_alone(child.program_pid())
        assert not stack_location.request_location(child)
        assert stack_location.describe_activity(child.program_pid())

    with running("limits", tmp_path, "kept = b'x' * (100 << 20)" + NAMED) as child:
        is_read_as_ever()


def test_a_process_that_cannot_be_read_counts_as_it_was_read_last(
    six: SupervisedProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(task: str) -> dict[bytes, bytes]:
        raise PermissionError

    few = replace(FOR_BOTS, tasks=5)
    with closing(Usage(six, few, has_family=False)) as usage:
        said = usage.find_excess()
        for reading in (refused, lambda task: {}, lambda task: {b"Threads": b"many", b"VmHWM": b""}):
            monkeypatch.setattr("koth.sandbox.usage.read_status", reading)
            assert usage.find_excess() == said == "had 6 threads; 5 are allowed"
            assert peak_memory(six.program_pid()) == 0
        monkeypatch.undo()
        six.end()
        assert usage.find_excess() == ""


FORGER = r"""
import ctypes
ctypes.CDLL(None).prctl(15, b"\rVmHWM:", 0, 0, 0)
for question in questions():
    say(stay(question))
"""


def test_a_bot_that_forges_lines_of_its_status_plays_on(tmp_path: Path) -> None:
    forger = json_bot(tmp_path, FORGER, "forger")
    report = result_of([forger], turns=3, isolation=isolation("limits")).records["forger"]
    assert report.faults == {}
    assert report.memory > MEGABYTE


def test_a_match_leaves_no_file_open(tmp_path: Path) -> None:
    bots = [good_bot(tmp_path)]
    left = []
    for _ in range(2):
        result_of(bots, turns=12, isolation=isolation("limits"))
        left.append(len(os.listdir("/proc/self/fd")))
    assert left[0] == left[1]


@pytest.mark.slow
def test_a_match_may_open_more_files_than_most_systems_begin_with(tmp_path: Path) -> None:
    """The soft limit is raised to the hard one; what bots have is theirs."""
    run = (
        "import resource; hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]; "
        "resource.setrlimit(resource.RLIMIT_NOFILE, (90, hard)); "
        "from koth.cli import main; main()"
    )
    words = ["run", "pacman", *["@random_walk"] * 20, "--matches", "1", "--max-turns", "3", "--replays", "none"]
    argv = [sys.executable, "-c", run, *words, "--out", str(tmp_path / "out")]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
