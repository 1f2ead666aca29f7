"""How often the 95 % intervals of the standings hold the truth: `python benchmarks/coverage.py [contests]`.

Contests of 9 and of 30 games are simulated with scores whose true median, mean and sum are known, spread
evenly, like waiting times, or with a long tail; the share of contests whose interval holds the truth is printed.
"""

from __future__ import annotations

import sys

import numpy as np

from koth.contest.standings import Played, standings

SPREADS = {
    "normal": lambda rng, n: rng.normal(1000, 200, n),
    "exponential": lambda rng, n: rng.exponential(1000, n),
    "lognormal": lambda rng, n: rng.lognormal(6, 1, n),
}


def main() -> None:
    contests = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    rng = np.random.default_rng(1)
    print(f"{contests} contests each; 95 % is the promise")
    for aggregate in ("median", "mean", "sum"):
        for games in (9, 30):
            for name, scores in SPREADS.items():
                many = scores(np.random.default_rng(2), 1_000_000)
                truth = {"median": np.median(many), "mean": many.mean(), "sum": many.mean() * games}[aggregate]
                held = 0
                for contest in range(contests):
                    played = [Played(i, {"bot": float(s)}) for i, s in enumerate(scores(rng, games))]
                    line = standings(played, aggregate, contest)[0]
                    held += line.low <= truth <= line.high
                print(f"{aggregate:7} of {games:2} games, {name:12}: {held / contests:6.1%} of the intervals hold it")


if __name__ == "__main__":
    main()
