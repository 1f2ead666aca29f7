"""A full-size aliens match of 43 Java species in processes of their own: `python benchmarks/aliens_jvm.py [matches]`.

Six fighters (Ravager) to one that keeps the peace (Sidestep), under 43 names, and the prey: 4,800 aliens, 1,000
rounds. Printed: wall time without the JVMs' start, the same per stretch of rounds (the JIT compilers' warm-up shows
in the first ones, where most aliens live), how many messages the waves of meetings took, what the bots' own thinking
is charged in all, and what the rules alone take with as many species answering inside this process.

For comparison: the historic host, with all bots inside one JVM, needed 2.1 s a match.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from itertools import pairwise

import machine
import numpy as np

from koth.bots.folder import Interpreters, load, sample_path
from koth.bots.sandbox.levels import choose
from koth.games.aliens import GAME
from koth.games.aliens.state import Settings
from koth.match import Inline, play

SPECIES = 43
SAMPLES = (*["Ravager"] * 6, "Sidestep")
STRETCHES = (0, 10, 50, 200, 1000)


def hosted(matches: int) -> None:
    """Matches over JVM processes."""
    made = [load(GAME, sample_path("aliens", name), Interpreters()) for name in SAMPLES]
    bots = [replace(made[i % len(made)], name=f"{made[i % len(made)].name}{i}") for i in range(SPECIES)]
    isolation = choose()
    print(f"isolation: {isolation.level}, as koth run would choose")
    for seed in range(matches):
        marks: list[float] = []
        began = time.perf_counter()
        result = play(
            GAME,
            Settings(),
            bots,
            seed,
            isolation=isolation,
            on_turn=lambda turn, marks=marks: marks.append(time.perf_counter()),
        )
        records = list(result.records.values())
        faults = sum(sum(record.faults.values()) for record in records)
        spent = [spent for record in records for _, spent in record.times]
        messages = max(len(record.times) for record in records)
        print(
            f"match {seed}: {marks[-1] - marks[0]:.2f} s for rounds 2 to 1,000 (start and round 1: "
            f"{marks[0] - began:.2f} s), {faults} faults; at most {messages:,} messages to a species"
        )
        print(f"  bots' own thinking, charged to all 43: {sum(s.charged for s in spent):.2f} s")
        for a, b in pairwise(STRETCHES):
            wall = marks[b - 1] - marks[max(a - 1, 0)]
            print(f"  rounds {a + 1:4} to {b:4}: {wall / (b - max(a, 1)) * 1e3:6.2f} ms a round")


def rules_alone() -> None:
    """The same number of species, answered inside this process by constants."""

    def act(asks, facts):  # type: ignore[no-untyped-def]
        if asks.question.name == "move":
            return {"move": np.arange(len(asks)) % 9}
        if asks.question.name == "points":
            return {"points": 2.0}
        return {}

    names = [Inline(f"bot{i}", act) for i in range(SPECIES)]
    play(GAME, Settings(rounds=5), names, 1)
    start = time.perf_counter()
    play(GAME, Settings(), names, 1)
    print(f"rules, views and the match loop alone, 43 inline species: {time.perf_counter() - start:.2f} s a match")


def main() -> None:
    print(machine.name())
    hosted(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
    rules_alone()


if __name__ == "__main__":
    main()
