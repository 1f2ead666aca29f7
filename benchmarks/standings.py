"""The time of standings and schedules of large contests: `python benchmarks/standings.py`.

100,000 matches of 20 bots in memory: scores and intervals, then chances to be first and comparisons, by aggregate;
the most memory that was in use. And the tables of 1,000 bots.
"""

from __future__ import annotations

import resource
import time

import numpy as np

from koth.contest.schedule import schedule_contest
from koth.contest.seating import Format
from koth.standings.chance import chance_to_be_first
from koth.standings.intervals import intervals
from koth.standings.paired import compare
from koth.standings.scores import Blocks, Scores, estimates

MATCHES, BOTS = 100_000, 20


def main() -> None:
    rng = np.random.default_rng(0)
    names = tuple(f"b{k:02}" for k in range(BOTS))
    bot = np.tile(np.arange(BOTS, dtype=np.int32), (MATCHES, 1))
    scores = Scores(names, np.arange(MATCHES), bot, rng.lognormal(0, 1, (MATCHES, BOTS)))
    compare(Blocks.of(scores.take(np.arange(9)), "mean"), "mean", 2)  # compiles
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for aggregate in ("mean", "median"):
        begun = time.perf_counter()
        blocks = Blocks.of(scores, aggregate)
        estimates(blocks, aggregate), intervals(blocks, aggregate, 6)
        middle = time.perf_counter()
        paired = compare(blocks, aggregate, 6)
        chance_to_be_first(blocks, aggregate, paired.group, ~paired.alone.any(axis=0))
        end = time.perf_counter()
        print(
            f"{aggregate}: scores and intervals {middle - begun:.2f} s, chances and pairs {end - middle:.2f} s",
            flush=True,
        )
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"memory: {before >> 10} MB with the scores, {after >> 10} MB at most")
    schedule_contest(5, 4, 1, Format(3))  # compiles
    for bots, form, games in (
        (1000, Format(4, 4), 24),
        (1000, Format(4, 4), 400),
        (1000, Format(50), 9),
        (24, Format(4, 4), 24),
    ):
        begun = time.perf_counter()
        matches = len(schedule_contest(bots, games, 1, form))
        print(
            f"{bots} bots at tables of {form.size}: {matches:,} matches drawn in {time.perf_counter() - begun:.2f} s"
        )


if __name__ == "__main__":
    main()
