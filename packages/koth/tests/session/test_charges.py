"""Charges of bots beside busy neighbours, compared with what the bots measure themselves."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from koth.game import TimeControl
from koth.match import Hosting, Watching, play
from koth.sandbox.levels import choose_level
from koth.session.cpu_clock import has_cpu_clocks
from tests.session.arena import GAME, SEED, SETTINGS, good_bot, json_bot

pytestmark = pytest.mark.skipif(not has_cpu_clocks(), reason="this system does not report CPU times of processes")

COMPUTING = """
import queue, threading

def burn(seconds, clock=time.thread_time):
    end = clock() + seconds
    while clock() < end:
        pass

def new_threads():
    for _ in range(2):
        workers = [threading.Thread(target=burn, args=(0.02,)) for _ in range(3)]
        for worker in workers: worker.start()
        for worker in workers: worker.join()

jobs, done = queue.Queue(), queue.Queue()

def work():
    while True:
        burn(jobs.get())
        done.put(True)

def pool():
    for _ in range(4 - threading.active_count()):
        threading.Thread(target=work, daemon=True).start()
    for _ in range(12): jobs.put(0.01)
    for _ in range(12): done.get()

def one_thread():
    burn(0.12)

for q in questions():
    begun = time.process_time()
    KIND()
    print(time.process_time() - begun, file=sys.stderr, flush=True)
    say(stay(q))
"""
TIMES = [TimeControl(start=60, question=30), TimeControl(start=60, question=0.02, bank=60)]


@contextlib.contextmanager
def busy_neighbours() -> Iterator[None]:
    """Programs that start others without end, and one that only computes."""
    sources = ["while :; do /bin/true; done"] * 4 + ["while :; do :; done"]
    neighbours = [subprocess.Popen(["/bin/sh", "-c", source]) for source in sources]
    try:
        yield
    finally:
        for neighbour in neighbours:
            neighbour.kill()
            neighbour.wait()


@pytest.mark.slow_but
@pytest.mark.parametrize("times", TIMES, ids=["no bank", "bank"])
@pytest.mark.parametrize("kind", ["one_thread", "pool", "new_threads"])
def test_a_bot_that_only_computes_is_charged_what_it_measures(kind: str, times: TimeControl, tmp_path: Path) -> None:
    with busy_neighbours():
        bots = [json_bot(tmp_path, COMPUTING.replace("KIND", kind)), good_bot(tmp_path)]
        hosting = Hosting(time_control=times, isolation=choose_level())
        report = play(GAME, SETTINGS, bots, SEED, hosting, Watching(max_turns=4)).records["bad"]
    assert report.faults == {}
    measured = [float(line) for line in report.stderr.split()]
    for (_, spent), own in zip(report.times, measured, strict=True):
        assert own - 0.0002 <= spent.charged <= 1.05 * own + 0.003
