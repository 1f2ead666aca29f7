"""Simulated contests at tables, whose truth is known: errors of verdicts, what they find, and absurdities.

    python benchmarks/tables.py [--contests N] [--seed N] [--blocks N ...] [case ...]

Wrong: contests in which any two bots are separated that are equal, or the wrong way round. Found: the share of truly
different pairs that are separated; `zeros` only the best against those that never score. Odd: contests in which a bot
is separated from the first and a worse one with as many blocks is not. Until: contests with `--until settled` that
any look judges wrongly. Rank: true ranks outside "95 % sure". Contradiction: contests whose first bot has a chance of
80 % or more, though its ranks reach below the upper half.
"""

from __future__ import annotations

if __name__ != "__main__":
    raise ImportError("this is a script; Numba looks for a module of this name beside every other script here")

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from koth.contest.tables import TableCounts, draw_tables
from koth.standings.chance import chance_to_be_first
from koth.standings.paired import compare
from koth.standings.scores import Blocks, Scores
from koth.standings.until import Looks
from koth.testing.blocks import separates_at

Rng = np.random.Generator
PLANS = 8
"""Plans of tables that are drawn for a case; each contest renames the bots of one."""
LIKELY = 0.8
"""A chance to be first that spectators take for certain."""


def survivors(weight: Any, matches: int = 4, shared: float = 0.15, luck: float = 0.5) -> Callable[[Rng, Any], Any]:
    """Draw scores of Metal Man's kind: a point per match to the last one alive, now and then shared; bots of weight 0
    never survive.
    """
    strength = np.log(np.maximum(weight, 1e-300))

    def draw(rng: Rng, seat: Any) -> Any:
        own = rng.gumbel(size=(*seat.shape, matches)) * (1 - luck**2) ** 0.5
        latent = strength[seat][..., None] + rng.gumbel(size=(*seat.shape, 1)) * luck + own
        latent[weight[seat] == 0] = -np.inf
        top = latent.max(axis=1, keepdims=True)
        slack = 1.0 * (rng.random((len(seat), 1, matches)) < shared)
        lives = (latent >= top - slack) & np.isfinite(latent)
        return (lives / np.maximum(lives.sum(axis=1, keepdims=True), 1)).mean(axis=2)

    return draw


SHAPES: tuple[Callable[[Rng, int], Any], ...] = (
    lambda rng, n: rng.normal(5, 1, n),
    lambda rng, n: rng.exponential(5, n),
    lambda rng, n: 5 * rng.lognormal(-0.5, 1, n),
    lambda rng, n: (rng.random(n) < 0.3) * rng.lognormal(np.log(5 / 0.3) - 0.125, 0.5, n),
    lambda rng, n: np.full(n, 5.0),
)
"""Scores of mean 5: normal, exponential, lognormal, seven in ten of them 0, constant."""


def shaped(rng: Rng, seat: Any, effect: Any, luck: float = 1.0) -> Any:
    """Draw scores of unlike shapes, by bot, and luck that a table shares."""
    value = np.empty(seat.shape)
    for place, shape in enumerate(SHAPES):
        own = seat % len(SHAPES) == place
        value[own] = shape(rng, int(own.sum()))
    return value + effect[seat] + luck * rng.normal(size=(len(seat), 1))


def spoiled(rng: Rng, seat: Any) -> Any:
    """Draw scores of equal means among 12 bots at tables of 4, where the first bot lowers those that it meets."""
    others = seat != 0
    return rng.normal(5, 1, seat.shape) - 1.5 * ((seat == 0).any(axis=1, keepdims=True) & others) + 4.5 / 11 * others


@dataclass(frozen=True)
class Case:
    """Contests of some bots at tables of a size; `truth` are the true scores, if they are not those of `weight`."""

    bots: int
    size: int
    draw: Callable[[Rng, Any], Any]
    truth: Any
    late: int = 0
    fewer: int = 1
    """Divides the number of contests, where they are large."""

    def plans(self, rng: Rng, blocks: int) -> list[Any]:
        """Draw tables as `koth run` does, int[tables, size]; the last `late` bots enter after two thirds."""
        found = []
        for _ in range(PLANS):
            before, old = (2 * blocks // 3 if self.late else 0), self.bots - self.late
            drawn = partial(draw_tables, seed=int(rng.integers(1 << 30)))
            parts = [
                drawn(-(-n * each // self.size), had=TableCounts.of([], n, self.size))
                for n, each in ((old, before), (self.bots, blocks - before))
                if each
            ]
            found.append(np.concatenate(parts))
        return found

    def contest(self, rng: Rng, plan: Any) -> Blocks:
        """Play one contest: a block is one table."""
        old = self.bots - self.late
        names = np.concatenate([rng.permutation(old), np.arange(old, self.bots)])
        seat = names[plan]
        scores = Scores(
            tuple(map(str, range(self.bots))), np.arange(len(seat)), seat.astype(np.int32), self.draw(rng, seat)
        )
        return Blocks.of(scores, "mean")


def of_weights(size: int, weight: Any, late: int = 0, fewer: int = 1) -> Case:
    """Return a case of survivors, whose true scores are those of a long simulation."""
    rng, weight = np.random.default_rng(7), np.array(weight, float)
    seat = np.argsort(rng.random((40_000, len(weight))), axis=1)[:, :size]
    draw = survivors(weight)
    mean = np.bincount(seat.ravel(), draw(rng, seat).ravel()) / np.bincount(seat.ravel())
    return Case(len(weight), size, draw, np.array([mean[weight == w].mean() for w in weight]), late, fewer)


def of_shapes(bots: int, size: int, effect: Any, late: int = 0, fewer: int = 1) -> Case:
    """Return a case of unlike shapes."""
    effect = np.resize(np.array(effect, float), bots)
    return Case(bots, size, partial(shaped, effect=effect), effect, late, fewer)


def cases() -> dict[str, Callable[[], Case]]:
    partial_order = [4, 4, 4, 1, 1, 1] + [0] * 5
    return {
        "one far ahead, five zeros": lambda: of_weights(4, [14, 3.6, 2.6, 2, 1.6, 1.2] + [0] * 5),
        "11 equal survivors": lambda: of_weights(4, [1] * 11),
        "strong, weak, zeros": lambda: of_weights(4, partial_order),
        "strong, weak, zeros, two late": lambda: of_weights(4, [*partial_order, 1], late=2),
        "16 at tables of 2": lambda: of_weights(2, np.repeat([8, 4, 2, 1], 4)),
        "five shapes, 12 bots": lambda: of_shapes(12, 3, [0]),
        "five shapes, two late": lambda: of_shapes(12, 3, [0], late=2),
        "five shapes between far ends": lambda: of_shapes(12, 4, [60] + [0] * 10 + [-60]),
        "five shapes, pairs": lambda: of_shapes(12, 4, np.arange(12) // 2 * 2.5),
        "a spoiler": lambda: Case(12, 4, spoiled, np.zeros(12)),
        "60 bots": lambda: of_shapes(60, 4, [0], fewer=4),
        "200 bots": lambda: of_shapes(200, 4, [0], fewer=16),
    }


@dataclass(frozen=True)
class Seen:
    """What one contest showed."""

    wrong: bool
    found: float
    zeros: float
    odd: bool
    outside: float
    contradiction: bool


def seen(contest: Blocks, truth: Any) -> Seen:
    """Judge the verdicts on one contest by the truth."""
    paired, better = compare(contest, "mean", 2), truth[:, None] > truth
    separated, difference = paired.significant, paired.test.difference
    leader = int((difference > 0).sum(axis=1).argmax())
    worse = (difference > 0) & (contest.played >= contest.played[:, None])  # [bot, other]
    best, worst = 1 + paired.alone.sum(axis=0), len(truth) - paired.alone.sum(axis=1)
    chance = chance_to_be_first(contest, "mean", paired.group, ~paired.alone.any(axis=0))
    low, high = 1 + better.sum(axis=0), len(truth) - better.sum(axis=1)
    return Seen(
        bool((separated & ~better).any()),
        float((separated & better).sum() / max(better.sum(), 1)),
        float(separated[truth == truth.max()][:, truth == 0].mean())
        if (truth == 0).any() and truth.any()
        else np.nan,
        bool((worse & separated[leader][:, None] & ~separated[leader]).any()),
        float(((best > high) | (worst < low)).mean()),
        bool(chance[leader] >= LIKELY and worst[leader] > (len(truth) + 1) // 2),
    )


def judge(name: str, case: Case, blocks: int, contests: int, seed: int) -> None:
    """Print the line of a case."""
    rng, count = np.random.default_rng([seed, blocks, *name.encode()]), max(contests // case.fewer, 10)
    plans = case.plans(rng, blocks)
    found = [seen(case.contest(rng, plans[k % PLANS]), case.truth) for k in range(count)]
    mean = {key: np.mean([getattr(one, key) for one in found]) for key in Seen.__dataclass_fields__}
    looks, until = Looks.of(192, blocks), "     -"
    if np.ptp(case.truth) == 0 and case.fewer == 1:
        plans = case.plans(rng, looks.blocks[-1])
        drawn = (case.contest(rng, plans[k % PLANS]) for k in range(count // 2))
        until = f"{np.mean([separates_at(looks, contest, 'mean') for contest in drawn]):6.1%}"
    cells = "  ".join(f"{key} {value:6.1%}" for key, value in mean.items())
    print(f"{name:29} {blocks:4} blocks {count:5} contests  {cells}  until {until}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("cases", nargs="*", metavar="case", help="beginnings of names (default: all)")
    parser.add_argument("--contests", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--blocks", type=int, nargs="+", default=[12, 24, 60])
    chosen = parser.parse_args()
    for name, make in cases().items():
        if not chosen.cases or name.startswith(tuple(chosen.cases)):
            case = make()
            for blocks in chosen.blocks:
                judge(name, case, blocks, chosen.contests, chosen.seed)


if __name__ == "__main__":
    main()
