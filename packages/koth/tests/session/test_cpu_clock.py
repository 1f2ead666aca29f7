"""The clock of a bot: what CPU time it reads, and whether the bot sleeps, whatever the bot does."""

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

from koth.sandbox.descendants import descendants
from koth.sandbox.usage import peak_memory
from koth.session import cpu_clock
from koth.session.cpu_clock import NANO, CpuClock, Stopwatch, cpu_time, has_cpu_clocks, is_ending

pytestmark = pytest.mark.skipif(not has_cpu_clocks(), reason="this system does not report CPU times of processes")

TALK = """
import ctypes, os, subprocess, sys, threading, time

def burn(seconds):
    start = time.thread_time()
    while time.thread_time() - start < seconds:
        pass

print("ready", flush=True)
"""


class Program:
    """A program that does one thing per line of its input and then answers."""

    def __init__(self, source: str, *, is_alone: bool = False) -> None:
        code = TALK + textwrap.dedent(source)
        pipe = subprocess.PIPE
        argv = [sys.executable, "-S", "-c", code]
        self.process = subprocess.Popen(argv, stdin=pipe, stdout=pipe, start_new_session=True)
        self.hear()
        pid = self.process.pid
        self.clock = CpuClock(lambda: pid, None if is_alone else lambda: ([pid, *descendants(pid)], 0))

    def hear(self) -> str:
        """Return the next line of the program."""
        return self.process.stdout.readline().decode().strip()

    def say(self) -> None:
        """Send a line."""
        self.process.stdin.write(b"go\n")
        self.process.stdin.flush()

    def ask(self) -> tuple[float, str]:
        """Return the CPU seconds of one question, and the answer."""
        begun = self.clock.read()
        self.say()
        answer = self.hear()
        return (self.clock.read() - begun) / NANO, answer


@contextlib.contextmanager
def program(source: str, *, is_alone: bool = False) -> Iterator[Program]:
    """Run a program."""
    started = Program(source, is_alone=is_alone)
    try:
        yield started
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(started.process.pid, signal.SIGKILL)
        started.process.communicate()
        started.clock.close()


WORK = """
for line in sys.stdin:
    start = time.process_time()
    KIND
    print(time.process_time() - start, flush=True)
"""
THREADS = """threads = [threading.Thread(target=burn, args=(0.03,)) for _ in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()"""


@pytest.mark.parametrize("is_alone", [True, False])
@pytest.mark.parametrize("kind", ["burn(0.1)", THREADS], ids=["one thread", "threads that end"])
def test_all_work_of_a_process_is_read(kind: str, is_alone: bool) -> None:
    with program(WORK.replace("KIND", kind), is_alone=is_alone) as bot:
        for _ in range(2):
            used, own = bot.ask()
            assert float(own) - 0.001 <= used <= 1.05 * float(own) + 0.02


CHILDREN = """
CODE = "import time\\nwhile time.process_time() < 0.2: pass\\nprint(1, flush=True)\\nREST"
for line in sys.stdin:
    child = subprocess.Popen([sys.executable, "-S", "-c", CODE], stdout=subprocess.PIPE)
    child.stdout.readline()
    END
    print("done", flush=True)
"""


@pytest.mark.parametrize(("rest", "end"), [("", "child.wait()"), ("time.sleep(60)", "pass")], ids=["ended", "living"])
def test_work_of_children_is_read(rest: str, end: str) -> None:
    with program(CHILDREN.replace("REST", rest).replace("END", end)) as bot:
        used, _ = bot.ask()
        assert used >= 0.18  # ended children are counted in ticks


def test_a_program_that_executes_another_keeps_its_clock() -> None:
    source = """
    for line in sys.stdin:
        burn(0.1)
        os.execv(sys.executable, [sys.executable, "-S", "-c", "input(print('other', flush=True))"])
    """
    with program(source, is_alone=True) as bot:
        used, answer = bot.ask()
        assert answer == "other"
        assert used >= 0.1
        assert bot.clock.read() / NANO >= used


def test_the_last_reading_stays_when_the_process_has_ended() -> None:
    with program("for line in sys.stdin: burn(0.05); sys.exit()", is_alone=True) as bot:
        bot.clock.read()
        bot.say()
        bot.process.wait()
        assert bot.clock.read() == bot.clock.read() > 0


ASLEEP = {
    "waiting for input": "sys.stdin.readline()",
    "sleeping": "time.sleep(60)",
    "stopped": "os.kill(os.getpid(), 19)",
    "vfork, state D": "ctypes.CDLL(None).vfork() or time.sleep(60)",
    "threads that sleep": "[threading.Thread(target=time.sleep, args=(60,)).start() for _ in range(5)]; input()",
    "a child that sleeps": "subprocess.Popen(['/bin/sleep', '60']); time.sleep(60)",
}
AWAKE = {
    "computing": "burn(60)",
    "another thread": "threading.Thread(target=burn, args=(60,)).start(); time.sleep(60)",
    "a child": "subprocess.Popen([sys.executable, '-S', '-c', 'while True: pass']); time.sleep(60)",
}


@pytest.mark.parametrize("source", ASLEEP.values(), ids=ASLEEP)
def test_a_bot_without_a_thread_that_runs_or_waits_for_a_core_is_asleep(source: str) -> None:
    with program(f"sys.stdin.readline()\n{source}") as bot:
        bot.say()
        end = time.monotonic() + 60
        while not bot.clock.is_asleep() and time.monotonic() < end:
            time.sleep(0.01)
        assert all(bot.clock.is_asleep() for _ in range(20))


@pytest.mark.parametrize("source", AWAKE.values(), ids=AWAKE)
def test_a_bot_is_awake_while_any_of_its_threads_runs_or_waits_for_a_core(source: str) -> None:
    with program(f"sys.stdin.readline()\n{source}") as bot:
        bot.say()
        end = time.monotonic() + 60
        while bot.clock.is_asleep() and time.monotonic() < end:
            time.sleep(0.01)
        assert not any(bot.clock.is_asleep() for _ in range(20))


def test_a_bot_whose_program_has_not_begun_is_not_asleep_and_has_used_nothing() -> None:
    clock = CpuClock(lambda: 0, lambda: ([], 0))
    assert not clock.is_asleep()
    assert clock.read() == CpuClock(lambda: 0).read() == 0


def test_without_cpu_clocks_wall_time_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_clock, "has_cpu_clocks", lambda: False)
    clock = CpuClock(lambda: 0)
    begun = clock.read()
    time.sleep(0.02)
    assert clock.read() - begun >= NANO // 50


class Looks(CpuClock):
    """A clock of a program that is asleep, or not, and has used some CPU time."""

    def __init__(self, *, asleep: bool, cpu: float = 0.0) -> None:
        self.asleep, self.cpu = asleep, cpu

    def is_asleep(self) -> bool:
        return self.asleep

    def read(self) -> int:
        return int(self.cpu * NANO)


@pytest.mark.parametrize(
    ("asleep", "cpu", "over", "overloaded"),
    [(True, 0.0, 10, False), (False, 28.0, 12, False), (False, 0.0, 30, True)],
    ids=["sleeps", "computes", "gets no core"],
)
def test_a_stopwatch_deducts_waiting_for_a_core_up_to_two_thirds(
    asleep: bool, cpu: float, over: float, overloaded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 10 s: with a look each quarter of a second."""
    moment = 0
    monkeypatch.setattr(cpu_clock, "now", lambda: moment)
    monkeypatch.setattr(cpu_clock, "draw_look", lambda: NANO // 4)
    stopwatch = Stopwatch(Looks(asleep=asleep, cpu=cpu))
    while not stopwatch.is_over(10):
        moment += NANO // 4
    assert stopwatch.wall == pytest.approx(over, abs=2.1 if cpu else 0.3)
    assert stopwatch.is_overloaded == overloaded


def test_looks_can_not_be_foreseen() -> None:
    """Their times are exponential, a quarter of a second in the mean."""
    times = sorted(cpu_clock.draw_look() / NANO for _ in range(4000))
    assert sum(times) / 4000 == pytest.approx(0.25, rel=0.1)
    assert times[2000] == pytest.approx(0.25 * 0.693, rel=0.1)


def test_pieces() -> None:
    assert cpu_time(os.getpid()) > 0
    assert cpu_time(2**22 + 1) == 0
    assert cpu_time(0) == 0, "there is no process: not this one's"
    assert is_ending(2**22 + 1)
    assert not is_ending(os.getpid())
    assert peak_memory(os.getpid()) > 1 << 20
    assert peak_memory(2**22 + 1) == 0
