"""How often the standings' intervals hold the truth: `python benchmarks/coverage.py [contests] [SCORES.csv ...]`.

For each number of blocks: the share of intervals that hold the true mean or median, and how many bots got one. Scores
are made up (normal, exponential, lognormal, 0 or 1; single games, and blocks of four that hang together) or resampled
from real contests of the games (`benchmarks/scores/GAME.csv`: a row per match, `block` and a column per bot; files
of yours can be given). The least number of blocks is the first from which on at least 93 % hold it; it belongs into
the game's `Convention.blocks` (and, over all that is made up, into `LEAST` of `koth.standings.intervals`).
"""

from __future__ import annotations

if __name__ != "__main__":
    raise ImportError("this is a script; Numba looks for a module of this name beside every other script here")

import csv
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from koth.standings.intervals import intervals
from koth.standings.ranks import ranks
from koth.standings.scores import Blocks, Scores, estimates

SCORES = Path(__file__).with_name("scores")
BLOCKS = (5, 6, 8, 9, 10, 12, 16, 24, 36, 48)
ENOUGH = 0.93
Draw = Callable[[np.random.Generator, int, int], Any]


def clustered(chance: float, alike: float) -> Draw:
    """Blocks of four games won or lost, whose chance differs from block to block."""

    def draw(rng: np.random.Generator, blocks: int, bots: int) -> Any:
        of_block = rng.beta(chance * (1 / alike - 1), (1 - chance) * (1 / alike - 1), (blocks, bots, 1))
        return (rng.random((blocks, bots, 4)) < of_block).astype(float)

    return draw


def single(draw: Callable[[np.random.Generator, tuple[int, int, int]], Any]) -> Draw:
    return lambda rng, blocks, bots: draw(rng, (blocks, bots, 1))


MADE_UP: dict[str, tuple[Draw, float, float]] = {  # how to draw [blocks, bots, games]; true mean and median
    "normal": (single(lambda rng, n: rng.normal(5, 1, n)), 5, 5),
    "exponential": (single(lambda rng, n: rng.exponential(1, n)), 1, np.log(2)),
    "lognormal": (single(lambda rng, n: rng.lognormal(0, 1, n)), np.exp(0.5), 1),
    "0/1, 0.5": (single(lambda rng, n: rng.integers(0, 2, n).astype(float)), 0.5, np.nan),
    "0/1, 0.25": (single(lambda rng, n: (rng.random(n) < 0.25).astype(float)), 0.25, np.nan),
    "4 x 0/1, 0.5": (clustered(0.5, 0.2), 0.5, np.nan),
    "4 x 0/1, 0.25": (clustered(0.25, 0.2), 0.25, np.nan),
    "4 x 0/1, 0.1": (clustered(0.1, 0.2), 0.1, np.nan),
}


def held(values: Any, truth: float, aggregate: str) -> tuple[float, float, float]:
    """Of columns that are bots: the share of intervals that hold it, of bots that have one, that is closed."""
    count, bots, games = values.shape
    cells = np.arange(count * bots)
    value = np.median(values, axis=2) if aggregate == "median" else values.mean(axis=2)
    table = Blocks(
        bots,
        count,
        cells // bots,
        cells % bots,
        values.sum(axis=2).ravel(),
        np.full(len(cells), games),
        value.ravel(),
    )
    given = [found for found in intervals(table, aggregate, 2) if not found.note]
    closed = [found for found in given if found.low is not None and found.high is not None]
    hold = [(f.low is None or f.low <= truth) and (f.high is None or truth <= f.high) for f in given]
    return float(np.mean(hold)) if hold else np.nan, len(given) / bots, len(closed) / bots


def least(shares: dict[int, float]) -> str:
    """The first number of blocks from which on enough hold the truth."""
    good = [blocks for blocks in shares if all(not s < ENOUGH for b, s in shares.items() if b >= blocks)]
    return str(good[0]) if good else f"more than {max(shares)}"


def made_up(contests: int) -> None:
    rng = np.random.default_rng(1)
    for aggregate, true in (("mean", 1), ("median", 2), ("wins", 1)):
        for name, kind in MADE_UP.items():
            if np.isnan(kind[true]) or (aggregate == "wins" and not name.startswith("0/1")):
                continue
            tried = {n: held(kind[0](rng, n, contests), kind[true], aggregate) for n in BLOCKS}
            show(f"{aggregate}, {name}", tried)


def show(name: str, tried: dict[int, tuple[float, float, float]]) -> None:
    words = " ".join(
        f"{n}: {hold:.1%}{'' if given == 1 else f' of {given:.0%}'}" for n, (hold, given, _) in tried.items()
    )
    print(f"{name:34} least {least({n: hold for n, (hold, _, _) in tried.items()}):>12}   {words}", flush=True)


def read(file: Path) -> tuple[list[str], dict[str, Any]]:
    """The bots of a file of scores, and of each bot `[blocks, games]`."""
    with file.open(encoding="utf-8", newline="") as lines:
        head, *rows = csv.reader(lines)
    found: dict[str, dict[str, list[float]]] = {name: {} for name in head[1:]}
    for block, *scores in rows:
        for name, score in zip(head[1:], scores, strict=True):
            if score:
                found[name].setdefault(block, []).append(float(score))
    return head[1:], {name: np.array(list(blocks.values())) for name, blocks in found.items()}


def real(file: Path, contests: int) -> None:
    """Every bot's blocks, resampled; what all of them come to is the truth."""
    rng = np.random.default_rng(2)
    names, pools = read(file)
    for aggregate in ("mean", "median"):
        each: dict[int, list[tuple[float, float, float]]] = {n: [] for n in BLOCKS}
        for name in names:
            pool = pools[name]
            of_block = np.median(pool, axis=1) if aggregate == "median" else pool.mean(axis=1)
            if np.ptp(of_block) == 0:
                continue  # nothing varies, so there is no interval
            truth = float(np.median(of_block) if aggregate == "median" else of_block.mean())
            for n in BLOCKS:
                each[n].append(held(pool[rng.integers(0, len(pool), (n, contests))], truth, aggregate))
        tried = {n: tuple(np.nanmean(np.array(found), axis=0)) for n, found in each.items()}
        show(f"{file.stem}, {aggregate}", tried)  # type: ignore[arg-type]
        worst = {
            n: min(hold for hold, _, _ in found if hold == hold)
            for n, found in each.items()
            if n > 5 or aggregate == "mean"
        }
        print(f"{'':34} the worst bot's: {' '.join(f'{n}: {share:.1%}' for n, share in worst.items())}")


def rank_intervals(file: Path, contests: int) -> None:
    """Contests of whole blocks, drawn anew for all bots together: how often do ranks hold the true one?"""
    with file.open(encoding="utf-8", newline="") as lines:
        head, *rows = csv.reader(lines)
    matches = [(int(row[0]), {n: float(s) for n, s in zip(head[1:], row[1:], strict=True) if s}) for row in rows]
    by_block: dict[int, list[dict[str, float]]] = {}
    for block, scores in matches:
        by_block.setdefault(block, []).append(scores)
    pool, rng = list(by_block.values()), np.random.default_rng(3)
    aggregate = "median" if file.stem == "zombies" else "mean"
    truth = estimates(Blocks.of(Scores.of(matches), aggregate), aggregate)
    true_rank = 1 + (truth[None, :] > truth[:, None]).sum(axis=1)
    size = round(len(pool[0][0]) * len(pool) / len(head[1:]))
    for each in (6, 10, 24):
        count, hold = each if len(pool[0][0]) == len(head) - 1 else each * (len(head) - 1) // len(pool[0][0]), []
        for _ in range(contests):
            drawn = rng.integers(0, len(pool), count)
            chosen = [(k, scores) for k, block in enumerate(drawn) for scores in pool[block]]
            found = Scores.of(chosen)
            if len(found.names) == len(head) - 1:
                told = ranks(Blocks.of(found, aggregate), aggregate, np.zeros(len(found.names), int))
                hold += ((told.best <= true_rank) & (true_rank <= told.worst)).tolist()
        print(
            f"{file.stem}, ranks over {each} blocks: {np.mean(hold):.1%} hold the rank over all {size} blocks",
            flush=True,
        )


def main() -> None:
    words = sys.argv[1:]
    contests = int(words.pop(0)) if words and words[0].isdigit() else 2000
    files = [Path(word) for word in words] or sorted(SCORES.glob("*.csv"))
    print(f"{contests} bots each; 95 % is the promise, {ENOUGH:.0%} what is asked of it here")
    if not words:
        made_up(contests)
    for file in files:
        real(file, max(100, contests // 4))
        rank_intervals(file, max(20, contests // 25))


if __name__ == "__main__":
    main()
