"""Fixed work is charged the same alone, beside spinning neighbours, and with several bots asked at once.

    python benchmarks/clocks.py [rounds]

A bot counts to a fixed number at each question. What it is charged is compared with what it is charged alone; all
figures are medians.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from machine import name as machine

from koth.bots.clock import Spent
from koth.bots.folder import load
from koth.bots.interpreters import Interpreters
from koth.game import Budgets
from koth.games import load as load_game
from koth.games.zombies.state import Settings
from koth.match import Inline, play

SOURCE = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        print(json.dumps({"ready": True}), flush=True)
    elif "ask" in message:
        sum(range(WORK))
        moves = {player["number"]: "STAY" for player in message["players"]}
        print(json.dumps({"ask": message["ask"], "moves": moves}), flush=True)
"""
GAME = load_game("zombies")
QUESTIONS = 8
WORK = {"5 ms": 230_000, "40 ms": 1_900_000}


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


def times(folder: Path, work: int, bots: int, questions: int) -> list[Spent]:
    """What each question costs bots that do this work and are asked together."""
    home = folder / f"work{work}"
    if not home.exists():
        home.mkdir()
        (home / "koth.toml").write_text('wire = "json"\ncommand = ["python", "main.py"]\n')
        (home / "main.py").write_text(SOURCE.replace("WORK", str(work)))
    entrants = [load(GAME, home, Interpreters(), f"bot{number}") for number in range(bots)]
    still = Inline("still", lambda asks, facts: {})
    settings = Settings(players=1, density=0.001)
    result = play(GAME, settings, [*entrants, still], 1, budgets=Budgets(question=5), turns=questions)
    return [spent for bot in entrants for _, spent in result.records[bot.name].times]


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    neighbours = 2 * (os.cpu_count() or 1)
    situations = (
        ("alone", 1, 0),
        (f"beside {neighbours} spinning neighbours", 1, neighbours),
        ("four asked at once", 4, 0),
        ("four, beside the neighbours", 4, neighbours),
    )
    print(machine())
    print(f"{'work':6} {'situation':30} {'charged':>10} {'of alone':>9} {'CPU':>10} {'wall':>10} {'queue':>10}")
    with tempfile.TemporaryDirectory() as place:
        for name, work in WORK.items():
            spent: dict[str, list[Spent]] = {situation: [] for situation, _, _ in situations}
            for _ in range(rounds):  # in turns, so that a machine that slows down slows all of them
                for situation, bots, load_ in situations:
                    with spinners(load_):
                        spent[situation] += times(Path(place), work, bots, QUESTIONS)[1:]
            alone = median(s.charged for s in spent["alone"])
            for situation, found in spent.items():
                charged, cpu = median(s.charged for s in found), median(s.cpu for s in found)
                wall, queue = median(s.wall for s in found), median(s.queue for s in found)
                figures = " ".join(f"{value * 1e3:7.1f} ms" for value in (cpu, wall, queue))
                print(f"{name:6} {situation:30} {charged * 1e3:7.1f} ms {charged / alone:9.2f} {figures}")


if __name__ == "__main__":
    main()
