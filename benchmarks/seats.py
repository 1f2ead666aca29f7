"""Fixed work is charged the same at every seat, on a quiet machine and beside spinning neighbours.

    python benchmarks/seats.py [questions]

Bots count to a number that their question names. What the median question is charged at each seat, when 20 or 250 are
asked at once, is compared with what the median bot is charged that is asked alone on the quiet machine. After each
question to all one bot is asked alone, another one each time, so that a machine that slows down slows both. A seat is
off when its median differs by more than 10 % and by more than 0.2 ms.

The same work does not take the same of a processor at every seat, whoever asks. The control is as many programs
without koth: a plain loop asks them, and reads their processors' clocks before and after. And each bot reads its own
thread's clock around its work and says what it took (`worked`): who is charged something else is charged wrongly.
"""

from __future__ import annotations

import contextlib
import os
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

import machine
import numpy as np

from koth.game import Field, Observations, Question, TimeControl, no_answers
from koth.protocol.frames import HEADER, FramesProtocol
from koth.sandbox.command import Command
from koth.sandbox.isolation import Isolation
from koth.sandbox.levels import choose_level
from koth.session.conversation import Limits
from koth.session.cpu_clock import NANO, cpu_time
from koth.session.referee import Referee
from koth.session.seats import SeatedBot

SOURCE = """
import struct, sys, time
HEADER = struct.Struct("<IIHHI")
read, write = sys.stdin.buffer.read, sys.stdout.buffer.write
while True:
    head = read(16)
    if len(head) < 16: break
    size, number, kind, _, rows = HEADER.unpack(head)
    data = read(size)
    if kind == 0xFFFF: break
    answer = b""
    if kind:
        begin = time.thread_time_ns()
        sum(range(struct.unpack_from("<i", data, 4)[0]))
        answer = struct.pack("<qB", time.thread_time_ns() - begin, 0)
    write(HEADER.pack(len(answer), number, kind, 0, rows) + answer); sys.stdout.buffer.flush()
"""
QUESTION = Question("work", observation={"count": Field("<i4")}, answer={"worked": Field("<i8")}, max_rows=250)
WORK = {"a moment": 100, "1 ms": 45_000, "5 ms": 230_000, "40 ms": 1_900_000}
CASES = (("a moment", 20, 1.0), ("a moment", 250, 1.0), ("1 ms", 20, 1.0), ("1 ms", 250, 0.5), ("5 ms", 20, 1.0),
         ("5 ms", 250, 0.2), ("40 ms", 20, 0.25))  # fmt: skip
"""What is to be done, by how many bots, and by how much fewer questions are asked."""
NEIGHBOURS = 4


class Told(NamedTuple):
    """Seconds of one bot's question: what it is charged for, and what its own clock says that the work took."""

    charged: float
    worked: float


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


class Plain:
    """As many programs without koth, asked by a plain loop that reads their processors' clocks."""

    def __init__(self, seats: int) -> None:
        argv = [sys.executable, "-S", "-c", SOURCE]
        pipe = subprocess.PIPE
        self._programs = [subprocess.Popen(argv, stdin=pipe, stdout=pipe, bufsize=0) for _ in range(seats)]

    def __enter__(self) -> Plain:
        return self

    def __exit__(self, *_: object) -> None:
        for program in self._programs:
            program.kill()
            program.communicate()

    def ask(self, count: int, seats: Sequence[int]) -> list[Told]:
        """What each of these takes for counting so far."""
        asked = [self._programs[seat] for seat in seats]
        before = [cpu_time(program.pid) or 0 for program in asked]
        for program in asked:
            assert program.stdin is not None
            program.stdin.write(HEADER.pack(8, 1, 1, 0, 1) + struct.pack("<ii", 0, count))
        told = []
        for program, first in zip(asked, before, strict=True):
            assert program.stdout is not None
            (worked,) = struct.unpack_from("<q", os.read(program.stdout.fileno(), 100), HEADER.size)
            told.append(Told(((cpu_time(program.pid) or 0) - first) / NANO, worked / NANO))
        return told


class Crowd:
    """So many bots, started once and asked again and again."""

    def __init__(self, seats: int, isolation: Isolation) -> None:
        command = Command((sys.executable, "-S", "-c", SOURCE), Path("/usr"))
        time_control = TimeControl(start=300, question=600)
        protocol = {"work": QUESTION}
        seated = {
            seat: SeatedBot(seat, command, FramesProtocol(protocol), Limits(), isolation) for seat in range(seats)
        }
        self.seats = seats
        self.referee = Referee(seated, time_control)
        self.asked = 0

    def __enter__(self) -> Crowd:
        self.referee.__enter__()
        self.referee.start({seat: {} for seat in range(self.seats)})
        return self

    def __exit__(self, *_: object) -> None:
        self.referee.__exit__()

    def ask(self, count: int, seats: Sequence[int]) -> list[Told]:
        """What each of these seats is charged for counting so far."""
        rows = np.array(seats, np.int32)
        observation = {"count": np.full(len(rows), count, np.int32)}
        observations = Observations(
            QUESTION, np.zeros(len(rows), np.int32), rows, np.zeros(len(rows), np.int32), observation
        )
        self.asked += 1
        answers = no_answers(observations, np.zeros((1, self.seats), np.bool_))
        self.referee.ask(observations, answers, self.asked)
        charged = [self.referee.seats[seat].conversation.costs.table()[-1, 1] for seat in seats]
        return [Told(one, worked / 1e9) for one, worked in zip(charged, answers["worked"].tolist(), strict=True)]


def main() -> None:
    questions = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    isolation = choose_level()
    print(f"{machine.name()}, isolation {isolation.level}, {questions} questions (fewer where they take long)")
    print(
        f"{'work':9} {'situation':42} {'charged':>9} {'lowest':>9} {'highest':>9} {'worked':>9}"
        f" {'seats off':>10} {'wrongly':>9}"
    )
    with Plain(250) as plain, Crowd(250, isolation) as crowd:
        for _ in range(3):
            for asked in (plain, crowd):
                asked.ask(WORK["1 ms"], range(250))
        for work, seats, part in CASES:
            compare(plain, crowd, work, seats, max(10, int(part * questions)))


def compare(plain: Plain, crowd: Crowd, work: str, seats: int, questions: int) -> None:
    """One work, by all at once and by one alone: without koth, with it, and with neighbours, in turns."""
    situations = (
        (", without koth", plain, 0),
        ("", crowd, 0),
        (f", {NEIGHBOURS} spinning neighbours", crowd, NEIGHBOURS),
    )
    together: list[list[list[Told]]] = [[[] for _ in range(seats)] for _ in situations]
    apart: list[list[Told]] = [[] for _ in situations]
    rounds = 5
    for _ in range(rounds):
        for place, (_, asked, load) in enumerate(situations):
            with spinners(load):
                for number in range(questions // rounds):
                    for seat, told in enumerate(asked.ask(WORK[work], range(seats))):
                        together[place][seat].append(told)
                    apart[place] += asked.ask(WORK[work], [number % seats])
    for place, (beside, _, load) in enumerate(situations):
        alone = median(told.charged for told in apart[1 if load else place])
        tell(work, f"alone{beside}", [apart[place]], alone)
        tell(work, f"{seats} asked at once{beside}", together[place], alone)


def tell(work: str, situation: str, each: list[list[Told]], alone: float) -> None:
    """One line: the median seat's median charge, the lowest and the highest one, and how many are off, or wrong."""
    charged = [median(told.charged for told in one) for one in each]
    worked = [median(told.worked for told in one) for one in each]
    off = sum(differs(value, alone) for value in charged)
    wrongly = sum(differs(*both) for both in zip(charged, worked, strict=True))
    shown = " ".join(
        f"{value * 1e3:6.2f} ms" for value in (median(charged), min(charged), max(charged), median(worked))
    )
    print(f"{work:9} {situation:42} {shown} {off:3} of {len(each):3} {wrongly:2} of {len(each):3}", flush=True)


def differs(value: float, right: float) -> bool:
    """By more than 10 % and by more than 0.2 ms."""
    return abs(value - right) > max(0.1 * right, 0.0002)


if __name__ == "__main__":
    main()
