"""The cost of isolation: a start, and a question, at every level had here: `python benchmarks/sandbox.py`.

The levels take turns, so that other load on the machine falls on all of them; in brackets stands what a level costs
more, the median of its differences to the plain start of the same turn. Beside the wall time stands the processor's,
koth's own included: other programs on a busy machine have the least part in that.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import machine

from koth.sandbox.descendants import descendants
from koth.sandbox.isolation import LEVELS, Isolation
from koth.sandbox.levels import try_level
from koth.sandbox.policy import SandboxPolicy
from koth.sandbox.supervised_process import SupervisedProcess

ECHO = "import sys\nfor line in sys.stdin: sys.stdout.write(line); sys.stdout.flush()\n"
PROGRAMS = {
    "sh": ("/bin/sh", "-c", "while read line; do echo $line; done"),
    "python": (sys.executable, "-s", "-S", "main.py"),
}
STARTS, QUESTIONS = 40, 4000


def start(isolation: Isolation, argv: tuple[str, ...], folder: Path) -> tuple[SupervisedProcess, float, float]:
    """Start a program and wait for its first answer; the milliseconds that took, and what of these koth computed."""
    pipe = subprocess.PIPE
    begin, spent = time.perf_counter(), time.process_time()
    child = isolation.start(
        argv, folder, {"PATH": "/usr/bin:/bin"}, SandboxPolicy(), stdin=pipe, stdout=pipe, stderr=pipe
    )
    ask(child, b"hello\n")
    return child, 1000 * (time.perf_counter() - begin), 1000 * (time.process_time() - spent)


def worked(child: SupervisedProcess) -> float:
    """Milliseconds of the processor's time that a program and its sandbox have used."""
    assert child.program_pid()
    pids = [child.supervisor_pid(), *descendants(child.supervisor_pid())]
    return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in pids) / 1e6


def ask(child: SupervisedProcess, line: bytes) -> None:
    """A question and its answer."""
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(line)
    if child.stdout.read(len(line)) != line:
        assert child.stderr is not None
        raise SystemExit(child.stderr.read().decode())


def end(child: SupervisedProcess) -> None:
    child.end()
    for pipe in (child.stdin, child.stdout, child.stderr):
        assert pipe is not None
        pipe.close()
    child.release()


def main() -> None:
    print(machine.name())
    levels = {level: try_level(level).isolation for level in LEVELS if try_level(level).works}
    for level in LEVELS:
        if level not in levels:
            print(f"{level}: can't be had here ({try_level(level).why})")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folder.chmod(0o755)
        (folder / "main.py").write_text(ECHO)
        for name, argv in PROGRAMS.items():
            took: dict[str, list[tuple[float, float]]] = {level: [] for level in levels}
            for _ in range(STARTS):
                for level, isolation in levels.items():
                    child, milliseconds, own = start(isolation, argv, folder)
                    took[level].append((milliseconds, worked(child) + own))
                    end(child)
            for level, times in took.items():
                wall, work = (median(each) for each in zip(*times, strict=True))
                turns = zip(times, took["none"], strict=True)
                dearer = [(one[0] - plain[0], one[1] - plain[1]) for one, plain in turns]
                more, harder = (median(each) for each in zip(*dearer, strict=True))
                best = min(each for each, _ in times)
                least = best - min(each for each, _ in took["none"])
                told = f"{wall:6.1f} ms ({more:+5.1f}), best {best:5.1f} ms ({least:+5.1f})"
                print(f"start {name:7} {level:14} {told}, of the processor {work:5.1f} ms ({harder:+5.1f})")
        questions(levels, folder)


def questions(levels: dict[str, Isolation], folder: Path) -> None:
    """Round trips of 100 bytes, in rounds of 100, every level in turn."""
    children = {level: start(isolation, PROGRAMS["python"], folder)[0] for level, isolation in levels.items()}
    took: dict[str, list[float]] = {level: [] for level in levels}
    line = b"x" * 99 + b"\n"
    for _ in range(QUESTIONS // 100):
        for level, child in children.items():
            begin = time.perf_counter()
            for _ in range(100):
                ask(child, line)
            took[level].append(1e4 * (time.perf_counter() - begin))
    for level, times in took.items():
        print(f"question       {level:14} {median(times):6.1f} us, best {min(times):.1f} us")
        end(children[level])


if __name__ == "__main__":
    main()
