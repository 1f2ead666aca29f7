"""The clock of a bot: what is charged, whatever it or its neighbours do. Nothing here says how fast anything is."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator

import pytest

from koth.adapter import bot_adapter
from koth.sandbox.descendants import descendants
from koth.sandbox.usage import peak_memory
from koth.session.clock import STILL_AFTER, ChargedClock, Start
from koth.session.cost import Cost
from koth.session.cpu_clocks import NANO, RunDelay, cpu_time, has_run_delay, now
from koth.session.marks import CpuTime, Mark, Waits, cost_between, cpu_between

pytestmark = pytest.mark.skipif(not has_run_delay(), reason="this system does not say how long threads wait")

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

    def __init__(self, source: str, stderr: int | None = None) -> None:
        code = TALK + textwrap.dedent(source)
        self.process = subprocess.Popen(
            [sys.executable, "-S", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,
        )
        self.hear()
        self.clock = ChargedClock(lambda: self.process.pid, lambda: ([pid := self.process.pid, *descendants(pid)], 0))

    def hear(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().decode().strip()

    def ask(self, line: str = "go\n") -> tuple[Cost, str]:
        """One question: what it cost, and the answer."""
        assert self.process.stdin is not None
        self.clock.begin()
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()
        answer = self.hear()
        heard = now()
        ended = self.clock.mark(heard)
        spent = self.clock.cost(ended, heard)
        self.clock.settle(ended)
        return spent, answer


def silent_cost(clock: ChargedClock) -> Cost:
    """Return the cost of the open question of a bot that has not answered."""
    mark = clock.mark()
    return clock.cost(mark, mark.at)


@contextlib.contextmanager
def program(source: str, stderr: int | None = None) -> Iterator[Program]:
    started = Program(source, stderr)
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
        for _ in range(2):  # the first looks at all threads, the other at the one that works
            spent, answer = bot.ask()
            assert spent.cpu >= float(answer)
            assert spent.charged >= spent.cpu
            assert 0 < spent.run_delay <= spent.wall
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
        for _ in range(2):
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
        assert spent.charged >= 0.2 - 0.05 - spent.run_delay
        assert spent.run_delay < spent.wall


def test_answering_the_location_signal_does_not_stop_the_clock() -> None:
    """koth sends the signal to bots that are silent, and reads their stack location while their clock runs."""
    source = f"""
    import importlib.util
    spec = importlib.util.spec_from_file_location("adapter", {bot_adapter.__file__!r})
    adapter = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(adapter)
    adapter.register_location_signal()
    for line in sys.stdin:
        burn(0.01)
        if line == "sleep\\n":
            print("sleeps", flush=True)
            time.sleep(0.3)
        print("done", flush=True)
    """
    with program(source, subprocess.PIPE) as bot:
        for _ in range(2):  # then only the thread that works is watched
            bot.ask()
        delay = RunDelay(f"/proc/{bot.process.pid}/schedstat")
        _, waited = delay.read() or (0, 0)
        _, answer = bot.ask("sleep\n")
        assert answer == "sleeps"
        before = silent_cost(bot.clock)
        os.kill(bot.process.pid, signal.SIGUSR2)
        assert bot.process.stdout is not None
        assert bot.process.stderr is not None
        assert b"most recent call first" in bot.process.stderr.readline()
        looks = [silent_cost(bot.clock)]
        while looks[-1].wall < 0.25 and not select.select([bot.process.stdout], [], [], STILL_AFTER)[0]:
            looks.append(silent_cost(bot.clock))
        assert bot.hear() == "done"
        _, waited_since = delay.read() or (0, 0)
        delay.close()
        assert max(look.run_delay for look in looks) <= (waited_since - waited) / NANO + STILL_AFTER
        assert looks[-1].charged - before.charged >= looks[-1].wall - before.wall - looks[-1].run_delay


def test_stopping_itself_is_charged() -> None:
    with program("for line in sys.stdin:\n    os.kill(os.getpid(), 19)") as bot:
        assert bot.process.stdin is not None
        bot.process.stdin.write(b"go\n")
        bot.process.stdin.flush()
        os.waitid(os.P_PID, bot.process.pid, os.WSTOPPED)
        bot.clock.begin()
        time.sleep(0.3)
        assert silent_cost(bot.clock).charged >= 0.29


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
            assert spent.run_delay <= spent.wall - spent.cpu + 0.005
            assert bot.hear() == "thought"


def test_a_new_process_is_charged_from_its_birth() -> None:
    process: list[subprocess.Popen[bytes]] = []
    pids = lambda: [one.pid for one in process]  # noqa: E731
    clock = ChargedClock(lambda: sum(pids()), lambda: (pids(), 0))
    clock.begin()
    assert silent_cost(clock).cpu == 0
    code = "import time\nwhile time.process_time() < 0.2: pass\nprint('ready', flush=True)\ntime.sleep(60)"
    process.append(subprocess.Popen([sys.executable, "-S", "-c", code], stdout=subprocess.PIPE))
    with process[0]:
        assert process[0].stdout is not None
        assert process[0].stdout.readline()
        assert silent_cost(clock).cpu >= 0.2
        process[0].kill()
    clock.close()


def test_a_bot_that_is_gone_costs_wall_time() -> None:
    clock = ChargedClock(lambda: 0)
    clock.begin()
    spent = silent_cost(clock)
    assert (spent.cpu, spent.run_delay) == (0, 0)
    assert spent.charged == spent.wall
    with program(WORK) as bot:
        bot.clock.begin()
        bot.process.kill()
        bot.process.wait()
        spent = silent_cost(bot.clock)
        assert spent.charged == spent.wall


def test_without_the_systems_help_the_wall_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("koth.session.clock.cpu_time", lambda pid: None)
    monkeypatch.setattr("koth.session.clock.read_all_threads", lambda pids: {})
    with program(WORK) as bot:
        spent, _ = bot.ask()
        assert spent.cpu == 0
        assert spent.charged == spent.wall - spent.run_delay  # koth's own reading of the answer


def test_what_koth_does_is_taken_off_but_never_below_its_work() -> None:
    """An answer that was heard before costs nothing after."""
    clock = ChargedClock(os.getpid)
    clock.begin()
    heard = now()
    while silent_cost(clock).cpu < 0.02:
        pass
    spent = clock.cost(clock.mark(heard), heard)
    assert spent.wall - spent.run_delay < 0.02
    assert spent.charged == spent.cpu >= 0.02
    clock.close()


def test_a_thread_counts_from_its_first_sight_or_its_birth() -> None:
    """One that is older than the question and was not looked at brings no waiting of its earlier life along."""
    source = """
    threads = []
    held, burnt = threading.Event(), threading.Barrier(31)
    def old():
        burn(0.02); burnt.wait(); held.wait(); time.sleep(60)
    for _ in range(30):
        threads.append(threading.Thread(target=old, daemon=True))
        threads[-1].start()
    burnt.wait()
    for line in sys.stdin:
        if line.strip() == "worker":
            worker = threading.Thread(target=lambda: burn(0.02)); worker.start(); worker.join()
        else:
            time.sleep(0.3)
        print("done", flush=True)
    """
    with program(source) as bot:
        bot.ask("sleep\n")
        bot.clock._busiest, bot.clock._delay = 1, RunDelay("/proc/0/schedstat")  # its thread has ended meanwhile
        bot.clock._begin = Mark(now(), cpu_time(bot.process.pid) or 0, 0, 0)
        time.sleep(0.1)
        first = silent_cost(bot.clock)
        time.sleep(0.2)
        spent = silent_cost(bot.clock)
        assert first.run_delay <= 0.12
        assert spent.run_delay <= spent.wall
        assert spent.charged >= 0.15


class Threads:
    """Threads that exist only in the readings of a clock."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times: dict[int, tuple[int, int]] = {1: (0, 0)}
        self.runnable: set[int] = set()
        self.moment = self.cpu = 0
        monkeypatch.setattr("koth.session.clock.read_all_threads", lambda pids: dict(self.times))
        monkeypatch.setattr("koth.session.clock.is_runnable", self.runnable.__contains__)
        monkeypatch.setattr("koth.session.clock.read_birth", lambda tid: -1)
        monkeypatch.setattr("koth.session.clock.cpu_time", lambda pid: self.cpu)
        monkeypatch.setattr("koth.session.clock.now", lambda: self.moment)
        self.began = 1
        self.clock = ChargedClock(lambda: 1, start=Start(0, lambda: self.began))

    def look(self, seconds: float) -> Cost:
        """Look at the silent bot after this time; return what its question has cost."""
        self.moment += int(seconds * NANO)
        return silent_cost(self.clock)


def test_a_delay_that_began_before_the_last_look_is_deducted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system adds it when the thread gets its core."""
    threads = Threads(monkeypatch)
    threads.clock.begin()
    threads.runnable.add(1)
    threads.look(0.05)
    threads.look(0.05)
    threads.times[1], threads.cpu = (NANO // 100, NANO // 10), NANO // 100
    spent = threads.look(0.01)
    assert spent == Cost(0.11, 0.01, 0.1)


def test_a_thread_that_becomes_another_brings_no_waiting_along(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that executes a program takes over the id of the first: it seems to have waited all at once."""
    threads = Threads(monkeypatch)
    threads.clock.begin()
    threads.look(1.0)
    threads.times[1] = (0, 10**12)
    assert threads.look(0.05).run_delay <= 0.05


def test_an_id_that_is_used_again_is_another_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = Threads(monkeypatch)
    threads.times[1] = (NANO, NANO)
    threads.clock.begin()
    threads.times[1] = (0, 0)
    threads.look(0.05)
    threads.times[1] = (0, NANO // 2)
    assert threads.look(0.05).run_delay <= 0.05


@pytest.mark.parametrize(("is_asleep", "charged"), [(False, 0.1), (True, 0.4)])
def test_time_counts_as_waiting_if_a_thread_was_runnable_at_each_look(
    is_asleep: bool, charged: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Threads that hand work over and end tell nobody for how long they waited."""
    threads = Threads(monkeypatch)
    threads.clock.begin()
    for worker in (2, 3, 4, 5):
        threads.times, threads.cpu = {1: (0, 0), worker: (NANO // 50, NANO // 20)}, threads.cpu + NANO // 40
        threads.runnable.clear()
        threads.runnable.update([] if is_asleep else [worker])
        threads.look(0.09)
    threads.times = {1: (0, 0)}
    threads.moment += NANO // 25
    spent = threads.clock.cost(threads.clock.mark(threads.moment), threads.moment)
    assert spent.charged == pytest.approx(charged)


@pytest.mark.parametrize("is_asked", [False, True])
def test_the_time_before_the_program_begins_is_not_charged(is_asked: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """koth's own processes make the sandbox, and may have to wait for a core themselves."""
    threads = Threads(monkeypatch)
    threads.began = 0
    if is_asked:
        threads.clock.begin()
    assert threads.look(7).charged == threads.look(7).charged == 0
    threads.began = threads.moment + NANO // 2
    spent = threads.look(0.75)
    assert (spent.charged, spent.run_delay) == (0.25, 14.5)


def test_time_before_the_program_began_is_deducted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = Threads(monkeypatch)
    threads.began = 0
    threads.moment = 5 * NANO
    threads.clock.excuse(4 * NANO)
    threads.began = threads.moment + NANO
    assert threads.look(3).charged == 2


def test_the_delay_of_a_starting_thread_is_deducted_even_if_koth_could_not_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A thread that began before koth was kept from reading still belongs to the question."""
    threads = Threads(monkeypatch)
    monkeypatch.setattr("koth.session.clock.read_birth", lambda tid: NANO // 100)
    threads.began = threads.moment = NANO // 100
    threads.moment += 5 * NANO
    threads.clock.excuse(5 * NANO)
    threads.times, threads.cpu = {1: (NANO, 9 * NANO)}, NANO
    assert threads.look(10).charged == pytest.approx(1)


def test_time_in_which_koth_could_not_read_is_no_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = Threads(monkeypatch)
    threads.clock.begin()
    threads.look(1)
    threads.moment += 5 * NANO
    threads.clock.excuse(5 * NANO)
    threads.runnable.add(1)
    threads.look(1)
    threads.times, threads.cpu = {1: (NANO // 2, 0), 2: (NANO // 2, 0)}, NANO
    assert threads.look(10).charged == pytest.approx(3)


def test_a_look_after_the_answer_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """koth may have to wait for a core itself before it hears that the bot has answered, and sleeps."""
    threads = Threads(monkeypatch)
    threads.clock.begin()
    threads.cpu = NANO // 10
    threads.runnable.add(1)
    threads.look(0.2)
    answered = threads.moment + 1
    threads.runnable.clear()
    threads.look(0.2)
    assert threads.clock.cost(threads.clock.mark(answered), answered).charged == pytest.approx(0.1)


def test_what_was_used_before_a_question_can_be_charged_to_it() -> None:
    spent = cost_between(Mark(10 * NANO), Mark(13 * NANO), Waits(13 * NANO), debt=2 * NANO)
    assert spent == Cost(5.0, 2.0, 0.0)
    assert spent.charged == 5.0


def test_a_cgroup_counts_short_lived_processes() -> None:
    """And newborn processes once; what it has not counted yet is seen of those that were there before."""
    begun = CpuTime({1: 5}, cgroup=100)
    assert cpu_between(begun, CpuTime({1: 6, 2: 70}, cgroup=150)) == 50
    assert cpu_between(begun, CpuTime({1: 95}, cgroup=150)) == 90
    assert cpu_between(CpuTime({1: 5}, ended=3), CpuTime({1: 6, 2: 70}, ended=13)) == 81


def test_pieces() -> None:
    assert (cpu_time(os.getpid()) or 0) > 0
    assert cpu_time(2**22 + 1) is None
    assert cpu_time(0) is None, "there is no process: not this one's"
    assert peak_memory(os.getpid()) > 1 << 20
    assert peak_memory(2**22 + 1) == 0
    assert RunDelay("/proc/0/schedstat").read() is None
    delay = RunDelay("/proc/thread-self/schedstat")
    assert delay.read() is not None
    delay.close()
    assert delay.read() is None
