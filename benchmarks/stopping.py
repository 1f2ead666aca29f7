"""The errors of `--until settled` and its savings: `python benchmarks/stopping.py [--contests N] [--seed N]`.

Contests are simulated with luck that all bots of a match share, by the rule that `koth run` uses. Wrong is a contest
in which any look separates two bots of which the lower one is as good or better. `fixed` is the number of blocks
after which a single look settles as often.

For two bots whose blocks are pairs of won, drawn or lost matches the sequential test of fastchess stands beside it:
the generalized SPRT over pairs (pentanomial) of elo0 = 0 against elo1 = 50 with 5 % for either error.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

from koth.game import ContestDefaults
from koth.standings.paired import ALPHA, compare, least_blocks
from koth.standings.scores import Blocks, Scores
from koth.standings.until import Goal, Looks, look

MOST = 192
DECLARED = 12
"""Blocks that the simulated game declares."""
MEANS: dict[str, list[float]] = {
    "five equal bots": [0.0] * 5,
    "two equal pairs": [1.0, 1, 0, 0],
    "half an SD apart": [2.0, 1.5, 1, 0.5, 0],
    "one SD apart": [4.0, 3, 2, 1, 0],
}
ELO = (0.0, 50.0)
DRAWN = 0.3
BOUND = float(np.log((1 - ALPHA) / ALPHA))
Rng = np.random.Generator


def normal(rng: Rng, size: tuple[int, int]) -> Any:
    return rng.normal(0, 1, size)


def exponential(rng: Rng, size: tuple[int, int]) -> Any:
    return rng.exponential(1, size)


def contest(rng: Rng, shape: Callable[[Rng, tuple[int, int]], Any], means: list[float]) -> Scores:
    """All bots in each match, with luck of their own and luck that they share."""
    points = shape(rng, (MOST, 1)) + shape(rng, (MOST, len(means))) + means
    return Scores(tuple("abcdefgh"[: len(means)]), np.arange(MOST), seats(MOST, len(means)), points)


def seats(matches: int, bots: int) -> Any:
    return np.tile(np.arange(bots, dtype=np.int32), (matches, 1))


def played(scores: Scores, defaults: ContestDefaults, truth: Any, size: int = 1) -> tuple[bool, bool, int]:
    """Return whether any look was wrong, whether the contest was settled, and after how many blocks it ended."""
    names, least = list(scores.names), least_blocks(defaults, len(scores.names))
    looks, wrong = Looks.of(len(scores) // size, least), False
    for blocks in looks.blocks:
        part, alpha = scores.take(np.arange(blocks * size)), looks.alpha(blocks)
        separated = compare(Blocks.of(part, defaults.aggregate), defaults.aggregate, least, alpha).significant
        wrong = wrong or bool((separated & (truth[:, None] <= truth)).any())
        if look(part, defaults.aggregate, names, Goal(), least, alpha).settled:
            return wrong, True, blocks
    return wrong, False, looks.blocks[-1]


def fixed_plan(contests: list[Scores], defaults: ContestDefaults, settled: int) -> int:
    """Return the number of blocks after which one look settles as many contests: by bisection."""
    least = least_blocks(defaults, len(contests[0].names))

    def enough(blocks: int) -> bool:
        parts = (scores.take(np.arange(blocks)) for scores in contests)
        names = list(contests[0].names)
        return sum(look(p, defaults.aggregate, names, Goal(), least, ALPHA).settled for p in parts) >= settled

    low, high = least - 1, MOST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def fields(contests: int, seed: int) -> None:
    """Print a line for each kind of contest."""
    print(f"{'contest':38}  wrong  settled  blocks  fixed  more than fixed", flush=True)
    shapes = {
        "normal, mean": (normal, "mean"),
        "exponential, mean": (exponential, "mean"),
        "exponential, median": (exponential, "median"),
    }
    for number, (kind, (shape, aggregate)) in enumerate(shapes.items()):
        for name, means in MEANS.items():
            rng, truth = np.random.default_rng((seed, number, len(name))), np.array(means)
            defaults = ContestDefaults(1, aggregate, blocks=DECLARED)
            drawn = [contest(rng, shape, means) for _ in range(contests)]
            found = [played(scores, defaults, truth) for scores in drawn]
            settled, spent = sum(ended for _, ended, _ in found), np.mean([used for _, _, used in found])
            wrong = np.mean([errs for errs, _, _ in found])
            line = f"{f'{name}, {kind}':38} {wrong:6.1%} {settled / contests:8.1%} {spent:7.0f}"
            if settled and len(set(means)) == len(means):
                fixed = fixed_plan(drawn, defaults, settled)
                line += f" {fixed:6} {spent / fixed - 1:16.0%}"
            print(line, flush=True)


def pairs(rng: Rng, elo: float) -> Any:
    """Draw the points of the first of two bots, [pairs, 2]: 1, 0.5 or 0 in each match."""
    expected = 1 / (1 + 10 ** (-elo / 400))
    won = expected - DRAWN / 2
    return rng.choice([1, 0.5, 0], (MOST, 2), p=[won, DRAWN, 1 - DRAWN - won])


def gsprt(points: Any) -> tuple[int, int]:
    """Return 1 (elo1), -1 (elo0) or 0 (open) of the generalized SPRT, and after how many pairs.

    As in fastchess: each hypothesis is as likely as the most likely distribution of the points of a pair (0, 0.5, 1,
    1.5, 2) that has its mean; points that were not seen count 0.001.
    """
    pair = np.rint(2 * points.sum(axis=1)).astype(int)
    seen = np.maximum(np.cumsum(np.eye(5)[pair], axis=0), 1e-3)
    ratio = log_likelihood(seen, ELO[1]) - log_likelihood(seen, ELO[0])
    ends = np.flatnonzero(np.abs(ratio) >= BOUND)
    return (int(np.sign(ratio[ends[0]])), int(ends[0]) + 1) if len(ends) else (0, len(points))


def log_likelihood(seen: Any, elo: float) -> Any:
    """Return the largest log-likelihood of counts, [pairs, 5], under a mean score, but for a common constant.

    The most likely distribution is the share seen over 1 + t * off, where t makes the mean right (by bisection).
    """
    off = np.arange(5) / 4 - 1 / (1 + 10 ** (-elo / 400))
    low, high = np.full((len(seen), 1), -1 / off[-1]), np.full((len(seen), 1), -1 / off[0])
    for _ in range(60):
        middle = (low + high) / 2
        rises = (seen * off / (1 + middle * off)).sum(axis=1, keepdims=True) > 0
        low, high = np.where(rises, middle, low), np.where(rises, high, middle)
    return -(seen * np.log1p(low * off)).sum(axis=1)


def beside_fastchess(contests: int, seed: int) -> None:
    """Print how often two bots are told apart by `--until` and by the GSPRT, and after how many pairs."""
    print(
        "\ntwo bots, pairs of matches: true Elo   until: better, worse, pairs    GSPRT: elo1, elo0, pairs", flush=True
    )
    for elo in (0.0, 25.0, 50.0, 100.0, 200.0):
        rng, ours, theirs = np.random.default_rng((seed, int(elo))), [], []
        for _ in range(contests):
            points = pairs(rng, elo)
            theirs.append(gsprt(points))
            matches = points.reshape(-1)
            scores = Scores(
                ("a", "b"), np.arange(2 * MOST) // 2, seats(2 * MOST, 2), np.stack([matches, 1 - matches], 1)
            )
            _, settled, used = played(scores, ContestDefaults(1, "mean", blocks=DECLARED), np.zeros(2), 2)
            lead = float(points[:used].mean()) - 0.5
            ours.append((int(np.sign(lead)) * settled, used))
        cells = [
            f"{np.mean([e == 1 for e, _ in found]):9.1%} {np.mean([e == -1 for e, _ in found]):6.1%}"
            f" {np.mean([used for _, used in found]):6.0f}"
            for found in (ours, theirs)
        ]
        print(f"{elo:37.0f} {'      '.join(cells)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--contests", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    looks = Looks.of(MOST, DECLARED)
    print(f"{chosen.contests} contests, seed {chosen.seed}; looks after {looks.blocks}")
    fields(chosen.contests, chosen.seed)
    beside_fastchess(chosen.contests, chosen.seed)


if __name__ == "__main__":
    main()
