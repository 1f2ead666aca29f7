"""Fixed work is charged the same at every seat, on a quiet machine and beside spinning neighbours.

    python benchmarks/clocks.py [questions]

Bots count to a number that their question names. What the median question is charged at each seat is compared with
what one bot is charged that is asked alone: 20 and 250 bots at once, with and without neighbours, in turns. A seat is
off when its median differs by more than 10 % and by more than 0.2 ms.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import machine
import numpy as np

from koth.bots.clock import Spent
from koth.bots.command import Command
from koth.bots.frames import FramesWire
from koth.bots.guest import Guest, Limits
from koth.bots.panel import Panel
from koth.bots.sandbox.isolation import Isolation
from koth.bots.sandbox.levels import choose
from koth.game import Asks, Budgets, Field, Question, no_answers

SOURCE = """
import struct, sys
HEADER = struct.Struct("<IIHHI")
read, write = sys.stdin.buffer.read, sys.stdout.buffer.write
while True:
    head = read(16)
    if len(head) < 16: break
    size, number, kind, _, rows = HEADER.unpack(head)
    data = read(size)
    if kind == 0xFFFF: break
    if kind: sum(range(struct.unpack_from("<i", data, 4)[0]))
    answer = bytes(2) if kind else b""
    write(HEADER.pack(len(answer), number, kind, 0, rows) + answer); sys.stdout.buffer.flush()
"""
QUESTION = Question("work", view={"count": Field("<i4")}, answer={"done": Field("u1")}, most=250)
WORK = {"a moment": 100, "1 ms": 45_000, "5 ms": 230_000, "40 ms": 1_900_000}
CASES = (("a moment", 20, 1.0), ("a moment", 250, 1.0), ("1 ms", 20, 1.0), ("1 ms", 250, 0.2), ("5 ms", 20, 0.5),
         ("40 ms", 4, 0.2))  # fmt: skip
"""What is to be done, by how many bots, and by how much fewer questions are asked."""
NEIGHBOURS = 4


@contextlib.contextmanager
def spinners(count: int) -> Iterator[None]:
    """So many processes that do nothing but hold a core."""
    spinning = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()


class Crowd:
    """So many bots, started once and asked again and again."""

    def __init__(self, seats: int, isolation: Isolation) -> None:
        command = Command((sys.executable, "-S", "-c", SOURCE), Path("/usr"))
        budgets = Budgets(start=300, question=600)
        guests = {seat: Guest(command, FramesWire({"work": QUESTION}), Limits(), isolation) for seat in range(seats)}
        self.seats = seats
        self.panel = Panel(guests, budgets)
        self.asked = 0

    def __enter__(self) -> Crowd:
        self.panel.__enter__()
        self.panel.start({seat: {} for seat in range(self.seats)})
        return self

    def __exit__(self, *_: object) -> None:
        self.panel.__exit__()

    def ask(self, count: int, seats: int, questions: int) -> list[list[Spent]]:
        """What each of the first seats is charged for counting so far, question by question."""
        rows = np.arange(seats, dtype=np.int32)
        view = {"count": np.full(seats, count, np.int32)}
        asks = Asks(QUESTION, np.zeros(seats, np.int32), rows, np.zeros(seats, np.int32), view)
        for _ in range(questions):
            self.asked += 1
            self.panel.ask(asks, no_answers(asks, np.zeros((1, self.seats), np.bool_)), self.asked)
        return [[spent for _, spent in self.panel.times(seat)][-questions:] for seat in range(seats)]


def main() -> None:
    questions = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    isolation = choose()
    print(f"{machine.name()}, isolation {isolation.level}, {questions} questions (fewer where they take long)")
    print(f"{'work':9} {'situation':42} {'charged':>9} {'lowest':>9} {'highest':>9} {'cpu':>9} {'seats off':>10}")
    with Crowd(250, isolation) as crowd:
        crowd.ask(WORK["1 ms"], 250, 3)
        for work, seats, part in CASES:
            compare(crowd, work, seats, max(10, int(part * questions)))


def compare(crowd: Crowd, work: str, seats: int, questions: int) -> None:
    """One work, alone and by all, with and without neighbours, in turns."""
    found: dict[str, list[list[Spent]]] = {}
    rounds = 5
    for _ in range(rounds):  # in turns, so that a machine that slows down slows all of them
        for many, load in ((1, 0), (seats, 0), (1, NEIGHBOURS), (seats, NEIGHBOURS)):
            name = "alone" if many == 1 else f"{many} asked at once"
            name += f", {load} spinning neighbours" if load else ""
            with spinners(load):
                each = crowd.ask(WORK[work], many, questions // rounds)
            sofar = found.setdefault(name, [[] for _ in range(many)])
            for seat, spent in enumerate(each):
                sofar[seat] += spent
    alone = median(spent.charged for spent in found["alone"][0])
    for name, each in found.items():
        medians = [median(spent.charged for spent in one) for one in each]
        cpu = median(spent.cpu for one in each for spent in one)
        off = sum(abs(value - alone) > max(0.1 * alone, 0.0002) for value in medians)
        figures = (median(medians), min(medians), max(medians), cpu)
        told = " ".join(f"{value * 1e3:6.2f} ms" for value in figures)
        print(f"{work:9} {name:42} {told} {off:6} of {len(medians)}", flush=True)


if __name__ == "__main__":
    main()
