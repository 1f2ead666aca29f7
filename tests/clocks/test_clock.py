"""The clock of a bot: what is charged, whatever it or its neighbours do. Nothing here says how fast anything is."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator

import pytest

from koth.bots.clock import Clock, Queue, Spent, cpu_time, now, tells_queues
from koth.bots.sandbox.family import below
from koth.bots.sandbox.usage import peak_memory

pytestmark = pytest.mark.skipif(not tells_queues(), reason="this system does not say how long threads wait")

TALK = """
import os, subprocess, sys, threading, time

def burn(seconds):
    start = time.thread_time()
    while time.thread_time() - start < seconds:
        pass

def spin():
    while True:
        pass

print("ready", flush=True)
"""


class Program:
    """A program that does one thing per line of its input and then answers."""

    def __init__(self, source: str) -> None:
        code = TALK + textwrap.dedent(source)
        self.process = subprocess.Popen(
            [sys.executable, "-S", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        self.hear()
        self.clock = Clock(lambda: self.process.pid, family=lambda: ([pid := self.process.pid, *below(pid)], 0))

    def hear(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().decode().strip()

    def ask(self, line: str = "go\n") -> tuple[Spent, str]:
        """One question: what it cost, and the answer."""
        assert self.process.stdin is not None
        self.clock.start()
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()
        answer = self.hear()
        spent = self.clock.read()
        self.clock.settle(spent)
        return spent, answer


@contextlib.contextmanager
def program(source: str) -> Iterator[Program]:
    started = Program(source)
    try:
        yield started
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(started.process.pid, signal.SIGKILL)
        started.process.communicate()
        started.clock.close()


@contextlib.contextmanager
def spinning(count: int) -> Iterator[None]:
    """Neighbours that hold the cores."""
    others = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


WORK = """
for line in sys.stdin:
    start = time.process_time()
    burn(0.1)
    print(time.process_time() - start, flush=True)
"""


def test_work_is_charged_and_waiting_behind_neighbours_is_not() -> None:
    with program(WORK) as bot, spinning(3 * (os.cpu_count() or 1)):
        for _ in range(4):  # the first looks at all threads, the others at the one that works
            spent, answer = bot.ask()
            assert spent.cpu >= float(answer)
            assert spent.charged >= spent.cpu
            assert 0 < spent.queue <= spent.wall
            assert spent.charged < spent.wall


def test_own_threads_do_not_stop_the_clock() -> None:
    """A thread that waits behind spinning threads of its own process waits on its own account."""
    source = """
    for _ in range(15):
        threading.Thread(target=spin, daemon=True).start()
    for line in sys.stdin:
        burn(0.02)
        print("done", flush=True)
    """
    with program(source) as bot:
        for _ in range(3):
            spent, _ = bot.ask()
            assert spent.charged >= spent.cpu > 0
            assert spent.cpu > spent.wall / 50  # all its threads are counted, not only the one that answers


def test_own_processes_do_not_stop_the_clock() -> None:
    source = """
    for line in sys.stdin:
        hogs = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(6)]
        burn(0.1)
        print(len(hogs), flush=True)
        for hog in hogs: hog.kill()
        for hog in hogs: hog.wait()
        sys.stdin.readline()
        print("clean", flush=True)
    """
    with program(source) as bot:
        spent, answer = bot.ask()
        assert answer == "6"
        assert spent.cpu >= 0.1
        assert spent.charged >= spent.cpu


def test_work_of_children_that_have_ended_is_charged() -> None:
    source = """
    for line in sys.stdin:
        code = "import time\\nwhile time.process_time() < 0.2: pass"
        subprocess.run([sys.executable, "-S", "-c", code])
        print("done", flush=True)
    """
    with program(source) as bot:
        spent, _ = bot.ask()
        assert spent.charged >= 0.19
        assert spent.cpu >= 0.15  # ended children are told in ticks


def test_sleep_is_charged() -> None:
    with program("for line in sys.stdin:\n    time.sleep(0.2)\n    print('done', flush=True)") as bot:
        spent, _ = bot.ask()
        assert spent.cpu < spent.charged
        assert spent.charged >= 0.2 - 0.05 - spent.queue
        assert spent.queue < spent.wall


def test_stopping_itself_is_charged() -> None:
    with program("for line in sys.stdin:\n    os.kill(os.getpid(), 19)") as bot:
        assert bot.process.stdin is not None
        bot.clock.start()
        bot.process.stdin.write(b"go\n")
        bot.process.stdin.flush()
        os.waitid(os.P_PID, bot.process.pid, os.WSTOPPED)
        before = bot.clock.read()
        time.sleep(0.3)
        after = bot.clock.read()
        assert after.charged - before.charged >= 0.29


def test_thoughts_between_questions_are_not_charged() -> None:
    source = """
    for line in sys.stdin:
        print("done", flush=True)
        if line.strip() == "go":
            burn(0.3)
            print("thought", flush=True)
    """
    with program(source) as bot:
        bot.ask()
        assert bot.hear() == "thought"
        spent, _ = bot.ask("answer only\n")
        assert spent.cpu < 0.3


def test_what_waited_before_a_question_is_not_taken_off() -> None:
    """Spinning between questions makes a thread wait; the next question starts from there."""
    source = """
    for line in sys.stdin:
        burn(0.2)
        print("done", flush=True)
        burn(0.2)
        print("thought", flush=True)
    """
    with program(source) as bot, spinning(2 * (os.cpu_count() or 1)):
        for _ in range(3):
            spent, _ = bot.ask()
            assert spent.queue <= spent.wall - spent.cpu + 0.005
            assert bot.hear() == "thought"


def test_a_new_process_is_charged_from_its_birth() -> None:
    process: list[subprocess.Popen[bytes]] = []
    pids = lambda: [one.pid for one in process]  # noqa: E731
    clock = Clock(lambda: sum(pids()), family=lambda: (pids(), 0))
    clock.start()
    assert clock.read().cpu == 0
    code = "import time\nwhile time.process_time() < 0.2: pass\nprint('ready', flush=True)\ntime.sleep(60)"
    process.append(subprocess.Popen([sys.executable, "-S", "-c", code], stdout=subprocess.PIPE))
    with process[0]:
        assert process[0].stdout is not None
        assert process[0].stdout.readline()
        assert clock.read().cpu >= 0.2
        process[0].kill()
    clock.close()


def test_a_bot_that_is_gone_costs_wall_time() -> None:
    clock = Clock(lambda: 0)
    clock.start()
    spent = clock.read()
    assert (spent.cpu, spent.queue) == (0, 0)
    assert spent.charged == spent.wall
    with program(WORK) as bot:
        bot.clock.start()
        bot.process.kill()
        bot.process.wait()
        spent = bot.clock.read()
        assert spent.charged == spent.wall


def test_without_the_systems_help_the_wall_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("koth.bots.clock.cpu_time", lambda pid: None)
    monkeypatch.setattr("koth.bots.clock._threads", lambda pids: {})
    with program(WORK) as bot:
        spent, _ = bot.ask()
        assert (spent.cpu, spent.queue) == (0, 0)
        assert spent.charged == spent.wall


def test_what_koth_does_is_taken_off_but_never_below_its_work() -> None:
    """An answer that was heard before costs nothing after, and who waits for koth is not charged for that."""
    clock = Clock(os.getpid)
    clock.start()
    heard = now()
    while clock.read().cpu < 0.02:
        pass
    spent = clock.read(heard)
    assert spent.wall - spent.queue < 0.02
    assert spent.charged == spent.cpu >= 0.02
    clock.skip(heard)
    spent = clock.read()
    assert spent.wall - spent.queue < 0.02
    clock.close()


def test_a_thread_counts_from_its_first_sight_or_its_birth() -> None:
    """One that is older than the question and was not looked at brings no waiting of its earlier life along."""
    source = """
    threads = []
    held = threading.Event()
    def old():
        burn(0.1); held.wait(); time.sleep(60)
    for _ in range(30):
        threads.append(threading.Thread(target=old, daemon=True))
        threads[-1].start()
    for line in sys.stdin:
        if line.strip() == "worker":
            worker = threading.Thread(target=lambda: burn(0.02)); worker.start(); worker.join()
        else:
            time.sleep(0.3)
        print("done", flush=True)
    """
    with program(source) as bot:
        bot.ask("sleep\n")
        bot.clock._busiest, bot.clock._queue = 1, Queue("/proc/0/schedstat")  # its thread has ended meanwhile
        bot.clock.start_at(now(), int(1e9 * (cpu_time(bot.process.pid) or 0)), 0, 0)
        time.sleep(0.1)
        first = bot.clock.read()
        time.sleep(0.2)
        spent = bot.clock.read()
        assert first.queue <= 0.12
        assert spent.queue <= spent.wall
        assert spent.charged >= 0.15


def test_waiting_is_no_longer_than_the_time_in_which_it_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that becomes another one has that one's waiting all at once."""
    told = {1: (0, 0)}
    monkeypatch.setattr("koth.bots.clock._threads", lambda pids: told)
    monkeypatch.setattr("koth.bots.clock._stat", lambda pid: [])
    monkeypatch.setattr("koth.bots.clock.cpu_time", lambda pid: 0.0)
    clock = Clock(lambda: 1)
    clock.start()
    told[1] = (0, 10**12)
    spent = clock.read()
    assert spent.queue <= spent.wall < 10
    time.sleep(0.05)
    told[1] = (0, 2 * 10**12)
    assert clock.read().queue <= clock.read().wall < 10


def test_pieces() -> None:
    assert (cpu_time(os.getpid()) or 0) > 0
    assert cpu_time(2**22 + 1) is None
    assert peak_memory(os.getpid()) > 1 << 20
    assert peak_memory(2**22 + 1) == 0
    assert Queue("/proc/0/schedstat").read() is None
    queue = Queue("/proc/thread-self/schedstat")
    assert queue.read() is not None
    queue.close()
    assert queue.read() is None
