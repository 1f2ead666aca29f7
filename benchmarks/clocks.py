"""Bots that only compute are charged for the CPU time that they measure themselves, beside busy neighbours.

    python benchmarks/clocks.py [quick] [KIND ...]

Bots of several kinds (`KINDS`) play matches beside neighbours of several kinds. A question names the milliseconds of
CPU time that a bot is to use; the bot reads its process's CPU clock before and after, and writes the difference to
stderr. A charge is right if it differs from this time by at most 2 % and 1 ms (5 ms for a bot with child processes,
whose cgroup is counted in ticks). 1,000 questions are asked, 60 of them of 0.5 to 3 s, in some ten minutes on two
cores; with `quick`, 120 in two minutes.
"""

from __future__ import annotations

import contextlib
import itertools
import random
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import machine

from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.game import Constants, ContestDefaults, Field, Question, TimeControl
from koth.match import Hosting, play
from koth.plain import Match, PlainGame
from koth.sandbox.isolation import Isolation
from koth.sandbox.levels import choose_level

SEED = 7
BOTS = 2
"""Bots of one kind in a match, asked at once."""
BOT = """
import hashlib, os, queue, resource, sys, threading, time

def used():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.clock_gettime(time.CLOCK_PROCESS_CPUTIME_ID) + children.ru_utime + children.ru_stime

def burn(seconds, clock=time.thread_time):
    end = clock() + seconds
    while clock() < end:
        sum(range(200))

def one_thread(seconds):
    burn(seconds)

def new_threads(seconds):
    workers = [threading.Thread(target=burn, args=(seconds / 4,)) for _ in range(4)]
    for worker in workers: worker.start()
    for worker in workers: worker.join()

jobs, done = queue.Queue(), queue.Queue()

def work():
    while True:
        burn(jobs.get())
        done.put(True)

def pool(seconds):
    for _ in range(4 - threading.active_count() + 1):
        threading.Thread(target=work, daemon=True).start()
    for _ in range(20): jobs.put(seconds / 20)
    for _ in range(20): done.get()

def relay(seconds):
    for part in range(8):
        if part % 2: burn(seconds / 8)
        else:
            worker = threading.Thread(target=burn, args=(seconds / 8,))
            worker.start(); worker.join()

def parallel(seconds):
    def hash_until(end):
        while time.process_time() < end:
            hashlib.pbkdf2_hmac("sha256", b"koth", b"salt", 2000)  # other threads may run meanwhile
    workers = [threading.Thread(target=hash_until, args=(time.process_time() + seconds,)) for _ in range(3)]
    for worker in workers: worker.start()
    for worker in workers: worker.join()

def children(seconds):
    for _ in range(3):
        if not os.fork():
            burn(seconds / 3)
            os._exit(0)
    for _ in range(3): os.wait()

class Bot:
    def act(self, observation):
        begun = used()
        KIND(observation.milliseconds / 1000)
        print(f"used {used() - begun:.6f}", file=sys.stderr, flush=True)
        return "done"
"""
KINDS = ("one_thread", "pool", "new_threads", "relay", "parallel", "children")
NEIGHBOURS = {
    "nothing": ("", 0),
    "4 spinning": ("while True: pass", 4),
    "4 starting programs": ("import subprocess\nwhile True: subprocess.run(['/bin/true'])", 4),
    "16 sleeping and waking": ("import time\nwhile True: time.sleep(0.0005); sum(range(3000))", 16),
    "2 taking memory": ("while True: bytearray(1 << 28)", 2),
}
"""The program of each kind of neighbours, and their number."""
TIMES = {
    "no bank": TimeControl(start=120, question=60, lateness=600),
    "bank": TimeControl(start=120, question=0.02, bank=600, lateness=600),
}


@dataclass(frozen=True)
class Settings(Constants):
    """The processor time of each question in milliseconds."""

    milliseconds: tuple[int, ...] = (100,)


class Computing(Match[Settings]):
    """A match in which bots compute for as long as they are asked to."""

    score: list[int]

    def reset(self) -> None:
        """Begin; nothing counts."""
        self.score = [0] * self.seats

    def observe(self, seat: int) -> dict[str, Any]:
        """Return the milliseconds of this turn."""
        return {"milliseconds": self.settings.milliseconds[self.turn]}

    def step(self, actions: Mapping[int, Mapping[str, Any]]) -> None:
        """Take any answer."""

    def is_over(self) -> bool:
        """Return whether all questions have been asked."""
        return self.turn >= len(self.settings.milliseconds)


class ComputingGame(PlainGame):
    """The game of such matches."""

    name = "computing"
    title = "Computing"
    seats = range(1, 1 + BOTS)
    rulesets = {"standard": Settings()}  # noqa: RUF012
    contest_defaults = ContestDefaults(matches=1, aggregate="mean", seats=BOTS)
    match = Computing

    def questions(self, settings: Settings, seats: int) -> dict[str, Question]:
        """Return the one question: compute for this long."""
        observation = {"milliseconds": Field("<i4", low=0, high=60_000, doc="processor time to use")}
        answer = {"action": Field("u1", names=("done",), doc="nothing else can be answered")}
        return {"act": Question("act", observation, answer, max_rows=seats, doc="Compute")}


GAME = ComputingGame()


def install(folder: Path) -> None:
    """Make koth find the game, as a package in this folder."""
    (folder / "computing").mkdir()
    (folder / "computing" / "__init__.py").write_text("from clocks import GAME\n")
    package = folder / "computing-0.egg-info"
    package.mkdir()
    (package / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: computing\nVersion: 0\n")
    (package / "entry_points.txt").write_text("[koth.games]\ncomputing = computing\n")
    sys.path.append(str(folder))


class Answer(NamedTuple):
    """The seconds that one question was charged, and that the bot measured; `tolerance` is the fixed part allowed."""

    charged: float
    own: float
    tolerance: float

    @property
    def is_right(self) -> bool:
        """True if the charge is within its bounds."""
        return abs(self.charged - self.own) <= 0.02 * self.own + self.tolerance


@contextlib.contextmanager
def neighbours(kind: str) -> Iterator[None]:
    """Run the neighbours of a kind meanwhile."""
    source, count = NEIGHBOURS[kind]
    processes = [subprocess.Popen([sys.executable, "-S", "-c", source]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def ask(kind: str, milliseconds: Sequence[int], times: TimeControl, isolation: Isolation) -> list[Answer]:
    """Play one match of bots of a kind; return the charge of each question."""
    with tempfile.TemporaryDirectory() as folder:
        bots = []
        for seat in range(BOTS):
            home = Path(folder, f"bot{seat}")
            home.mkdir()
            (home / "koth.toml").write_text(f"subprocesses = {str(kind == 'children').lower()}\n")
            (home / "bot.py").write_text(BOT.replace("KIND", kind))
            bots.append(load_bot(GAME, home, Interpreters(), home.name, isolation))
        settings = Settings(tuple(milliseconds))
        result = play(GAME, settings, bots, SEED, Hosting(time_control=times, isolation=isolation))
    answers = []
    for bot in bots:
        report = result.records[bot.name]
        if report.faults:
            raise SystemExit(f"{kind}: {report.fault_reports}\n{report.stderr.decode()[-2000:]}")
        own = [float(line.split()[1]) for line in report.stderr.decode().splitlines() if line.startswith("used ")]
        tolerance = 0.005 if kind == "children" else 0.001
        answers += [Answer(cost.charged, used, tolerance) for (_, cost), used in zip(report.times, own, strict=True)]
    return answers


def plan(questions: int, long: int, kinds: Collection[str]) -> Iterator[tuple[str, str, str, list[int]]]:
    """Yield each match: kind of bot, kind of neighbours, kind of time control, milliseconds of each question."""
    dice = random.Random(SEED)
    matches = list(itertools.product(NEIGHBOURS, kinds, TIMES))
    turns = [dice.randrange(50, 501) for _ in range((questions - long) // BOTS)]
    turns += [dice.randrange(500, 3001) for _ in range(long // BOTS)]
    dice.shuffle(turns)
    for place, (beside, kind, times) in enumerate(matches):
        yield kind, beside, times, turns[place :: len(matches)]


def main() -> None:
    is_quick = "quick" in sys.argv[1:]
    kinds = [word for word in sys.argv[1:] if word in KINDS] or list(KINDS)
    isolation = choose_level()
    print(f"{machine.name()}, isolation {isolation.level}")
    found: dict[tuple[str, str], list[Answer]] = {}
    with tempfile.TemporaryDirectory() as folder:
        install(Path(folder))
        for kind, beside, times, milliseconds in plan(120 if is_quick else 1000, 6 if is_quick else 60, kinds):
            with neighbours(beside):
                answers = ask(kind, milliseconds, TIMES[times], isolation)
            found.setdefault((kind, beside), []).extend(answers)
            for charged, own in (answer for answer in answers if not answer.is_right):
                print(f"    {kind}, {beside}, {times}: {own:.4f} s were charged as {charged:.4f} s", flush=True)
    words = f"{'charge / own: least':>20} {'median':>7} {'most':>7} {'wrong':>6}"
    print(f"{'bot':12} {'neighbours':22} {'questions':>9} {words}")
    for key, answers in found.items():
        tell(*key, answers)
    tell("all", "", [answer for answers in found.values() for answer in answers])


def tell(kind: str, beside: str, answers: Sequence[Answer]) -> None:
    """Print one line on these answers."""
    ratios = [answer.charged / answer.own for answer in answers]
    wrong = sum(not answer.is_right for answer in answers)
    shown = f"{min(ratios):20.3f} {median(ratios):7.3f} {max(ratios):7.3f}"
    print(f"{kind.replace('_', ' '):12} {beside:22} {len(answers):9} {shown} {wrong:6}", flush=True)


if __name__ == "__main__":
    main()
