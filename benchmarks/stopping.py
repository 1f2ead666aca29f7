"""What `--until settled` may get wrong and what it saves: `python benchmarks/stopping.py [contests]`.

Contests are simulated (normal and exponential scores with luck that all bots of a match share; blocks resampled from
the real contests in `benchmarks/scores`), with the same rule that `koth run` uses. Wrong is a contest in which any
two bots are called separated at any look though the lower one is as good or better.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from koth.standings.intervals import ERROR
from koth.standings.pairs import compare
from koth.standings.scores import Blocks, Scores, aggregated
from koth.standings.until import Goal, look, looks

CAP = 192
Draw = Callable[[np.random.Generator], Any]


def contest(points: Any) -> Scores:
    """Everybody in every match."""
    blocks, bots = points.shape
    names = tuple(f"b{k:02}" for k in range(bots))
    return Scores(names, np.arange(blocks), np.tile(np.arange(bots, dtype=np.int32), (blocks, 1)), points)


def fields() -> dict[str, tuple[Draw, list[float], str]]:
    """By name: how to draw [blocks, bots], everybody's true score, and the aggregate."""
    found: dict[str, tuple[Draw, list[float], str]] = {}
    for name, means in {
        "5 equal bots": [0.0] * 5,
        "2 equal pairs": [1.0, 1, 0, 0],
        "near": [2.0, 1.5, 1, 0.5, 0],
        "apart": [4.0, 3, 2, 1, 0],
    }.items():
        found[f"normal, {name}"] = (normal(means), means, "mean")
        found[f"exponential, {name}"] = (skewed(means), means, "mean")
        found[f"medians, {name}"] = (skewed(means), means, "median")
    for file in sorted(Path(__file__).with_name("scores").glob("*.csv")):
        with file.open(encoding="utf-8", newline="") as lines:
            _, *rows = csv.reader(lines)
        if all(all(row) for row in rows):  # everybody in every match
            pool = np.array([[float(score) for score in row[1:]] for row in rows])
            pool = np.concatenate([pool, pool[:, :1]], axis=1)  # and a copy of the first, with luck of its own
            aggregate = "median" if file.stem == "zombies" else "mean"
            found[file.stem] = (resampled(pool), [aggregated(column, aggregate) for column in pool.T], aggregate)
    return found


def normal(means: list[float]) -> Draw:
    return lambda rng: rng.normal(0, 1, (CAP, 1)) + rng.normal(0, 1, (CAP, len(means))) + means


def skewed(means: list[float]) -> Draw:
    return lambda rng: rng.exponential(1, (CAP, 1)) + rng.exponential(1, (CAP, len(means))) + means


def resampled(pool: Any) -> Draw:
    def draw(rng: np.random.Generator) -> Any:
        points = pool[rng.integers(0, len(pool), CAP)]
        points[:, -1] = pool[rng.integers(0, len(pool), CAP), 0]
        return points

    return draw


def main() -> None:
    contests = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(f"{contests} contests each, looks after {looks(CAP)} blocks; wrong may be {ERROR:.0%} of the contests")
    for name, (draw, truth, aggregate) in fields().items():
        rng = np.random.default_rng(4)
        wrong, settled, spent = 0, 0, []
        fixed = dict.fromkeys(range(6, CAP + 1, 6), 0)
        for _ in range(contests):
            scores = contest(draw(rng))
            errs, ended, used = play(scores, aggregate, np.array(truth))
            wrong, settled = wrong + errs, settled + ended
            spent.append(used)
            for blocks in fixed if len(set(truth)) == len(truth) else ():
                fixed[blocks] += is_settled(scores, aggregate, blocks)
        shares = f"wrong {wrong / contests:5.1%}, settled {settled / contests:5.1%}"
        told = f"{name:26} {shares}, {np.mean(spent):5.0f} blocks"
        equal = [blocks for blocks, count in fixed.items() if settled and count >= settled]
        if equal:
            told += f"; as often settled by {equal[0]} fixed: {1 - np.mean(spent) / equal[0]:.0%} saved"
        print(told, flush=True)


def play(scores: Scores, aggregate: str, truth: Any) -> tuple[bool, bool, int]:
    """Whether any call at any look was wrong, whether it was settled, and after how many blocks it ended."""
    names, stages, wrong = list(scores.names), looks(CAP), False
    error = ERROR / len(stages) / (len(names) * (len(names) - 1) / 2)
    for blocks in stages:
        part = scores.take(np.arange(blocks))
        apart = compare(Blocks.of(part, aggregate), aggregate, error, 2).apart
        wrong = wrong or bool((apart & (truth[:, None] <= truth)).any())
        if look(part, aggregate, names, Goal(), len(stages)).settled:
            return wrong, True, blocks
    return wrong, False, CAP


def is_settled(scores: Scores, aggregate: str, blocks: int) -> bool:
    """By one look after a fixed number of blocks."""
    return look(scores.take(np.arange(blocks)), aggregate, list(scores.names), Goal(), 1).settled


if __name__ == "__main__":
    main()
