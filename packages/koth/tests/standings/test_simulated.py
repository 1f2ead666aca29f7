"""Simulated contests of equally good bots whose scores are shaped unlike each other: how often are they separated?

The promise is 5 %; a few hundred contests with fixed seeds must stay below 8 %. `benchmarks/coverage.py` counts
thousands, for many more cases.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from koth.contest.tables import TableCounts, draw_tables
from koth.game import Array, ContestDefaults
from koth.standings.difference import Difference
from koth.standings.intervals import intervals
from koth.standings.paired import ALPHA, compare, least_blocks
from koth.standings.scores import Blocks, Scores
from koth.standings.until import Looks
from koth.testing.blocks import as_blocks

CONTESTS = 300
BOUND = 0.08
MEAN = ContestDefaults(1, "mean")
Draw = Callable[[np.random.Generator, int], Array]


def steady(value: float) -> Draw:
    return lambda rng, blocks: np.full(blocks, value)


SHAPES: dict[str, tuple[Draw, Draw]] = {
    "normal, 5 % x 100": (lambda rng, n: rng.normal(5, 1, n), lambda rng, n: 100.0 * (rng.random(n) < 0.05)),
    "lognormal, constant": (lambda rng, n: rng.lognormal(0, 1, n), steady(float(np.exp(0.5)))),
    "exponential, constant": (lambda rng, n: rng.exponential(5, n), steady(5)),
    "four matches won 5 %, .05": (lambda rng, n: rng.binomial(4, 0.05, n) / 4, steady(0.05)),
    "a win of 10 %, .1": (lambda rng, n: 1.0 * (rng.random(n) < 0.1), steady(0.1)),
}
UNLIKE = pytest.mark.parametrize("shapes", SHAPES.values(), ids=SHAPES)


def contests(shapes: tuple[Draw, ...], bots: int, blocks: int) -> list[Array]:
    """Float64[blocks, bots] of each contest; bots take the shapes in turn."""
    rng = np.random.default_rng(20)
    return [
        np.stack([shapes[bot % len(shapes)](rng, blocks) for bot in range(bots)], axis=1) for _ in range(CONTESTS)
    ]


def blocks_of(points: Array) -> Blocks:
    return as_blocks(points, np.ones(points.shape, np.int64))


def separates(points: Array, alpha: float = ALPHA, aggregate: str = "mean") -> bool:
    return bool(compare(blocks_of(points), aggregate, 2, alpha).significant.any())


@pytest.mark.slow
@UNLIKE
def test_two_bots_at_the_least_number_of_blocks(shapes: tuple[Draw, Draw]) -> None:
    wrong = np.mean([separates(points) for points in contests(shapes, 2, least_blocks(MEAN, 2))])
    assert wrong < BOUND


@pytest.mark.slow
@UNLIKE
def test_a_table_at_the_least_number_of_blocks(shapes: tuple[Draw, Draw]) -> None:
    wrong = np.mean([separates(points) for points in contests(shapes, 5, least_blocks(MEAN, 5))])
    assert wrong < BOUND


@pytest.mark.slow
@UNLIKE
def test_all_looks_together(shapes: tuple[Draw, Draw]) -> None:
    least = least_blocks(MEAN, 2)
    looks = Looks.of(4 * least, least)
    wrong = [
        any(separates(points[:blocks], looks.alpha(blocks)) for blocks in looks.blocks)
        for points in contests(shapes, 2, 4 * least)
    ]
    assert np.mean(wrong) < BOUND


def test_each_half_of_the_test_alone_would_err_too_often() -> None:
    """Student's t alone calls these two different in one contest of ten; the simulation must see that."""
    points = np.array(contests(SHAPES["lognormal, constant"], 2, 59))
    difference = points[:, :, 0] - points[:, :, 1]
    t = difference.mean(axis=1) / difference.std(axis=1, ddof=1) * 59**0.5
    assert np.mean(np.abs(t) > 2.0017) > BOUND


def at_tables(weight: Array, blocks: int) -> list[Blocks]:
    """Contests at tables of four, drawn as `koth run` does: each of four matches is won by chances as the weights."""
    rng, bots, found = np.random.default_rng(20), len(weight), []
    plan = np.array(draw_tables(-(-bots * blocks // 4), 1, TableCounts.of([], bots, 4)))
    for _ in range(100):
        seat = rng.permutation(bots)[plan]
        wins = rng.multinomial(4, weight[seat] / weight[seat].sum(axis=1, keepdims=True))
        matches = np.zeros((len(seat), bots), np.int64)
        total = np.zeros(matches.shape)
        np.put_along_axis(matches, seat, 4, axis=1)
        np.put_along_axis(total, seat, 1.0 * wins, axis=1)
        found.append(as_blocks(total, matches))
    return found


def test_a_bot_that_never_wins_is_separated_from_one_that_wins_three_in_four() -> None:
    weight = np.array([14, 3.6, 2.6, 2, 1.6, 1.2] + [1e-9] * 5)
    found = [compare(blocks, "mean", 2).significant[0, 6:].all() for blocks in at_tables(weight, 12)]
    assert np.mean(found) > 0.9


def test_equal_bots_at_tables() -> None:
    wrong = [compare(blocks, "mean", 2).significant.any() for blocks in at_tables(np.ones(11), 24)]
    assert np.mean(wrong) < BOUND


@pytest.mark.parametrize("aggregate", ["wins", "median"])
def test_signs_of_bots_that_are_alike(aggregate: str) -> None:
    win = SHAPES["a win of 10 %, .1"][0]
    assert np.mean([separates(points, aggregate=aggregate) for points in contests((win,), 5, 60)]) < BOUND


@pytest.mark.slow
@pytest.mark.parametrize(("chance", "blocks"), [(0.05, 12), (0.1, 12), (0.1, 48), (0.2, 48), (0.3, 96)])
def test_the_interval_of_a_difference_of_wins_holds_the_truth(chance: float, blocks: int) -> None:
    """A bot that never wins and one that rarely does: where no win was seen the interval must leave room for some."""
    wins = ContestDefaults(1, "wins", blocks=blocks, score_range=(0, 1))
    found = [
        Difference.of(scores, wins)
        for scores in map(scores_of, contests((steady(0), lambda rng, n: 1.0 * (rng.random(n) < chance)), 2, blocks))
    ]
    held = [d.low <= chance <= d.high for d in found if d.low is not None and d.high is not None]
    assert len(held) == CONTESTS
    assert np.mean(held) > 1 - BOUND
    assert np.mean([d.is_within(0.9 * chance) for d in found]) < BOUND


@pytest.mark.slow
@UNLIKE
def test_the_interval_of_a_difference_holds_the_truth(shapes: tuple[Draw, Draw]) -> None:
    found = [Difference.of(scores_of(points), MEAN) for points in contests(shapes, 2, least_blocks(MEAN, 2))]
    held = [d.low <= 0 <= d.high for d in found if d.low is not None and d.high is not None]
    assert np.mean(held) > 1 - BOUND


def test_the_interval_of_a_score_holds_the_truth() -> None:
    rng = np.random.default_rng(20)
    found = intervals(blocks_of(rng.exponential(5, (24, CONTESTS))), "mean", 24)
    assert np.mean([i.low is not None and i.low <= 5 <= (i.high or np.inf) for i in found]) > 1 - BOUND


def test_looks_spend_the_error_once() -> None:
    looks = Looks.of(400, 59)
    assert sum(looks.alpha(blocks) for blocks in looks.blocks) == pytest.approx(ALPHA)
    assert all(first < second for first, second in pairwise(looks.blocks))


def scores_of(points: Array) -> Scores:
    """Both bots in every block."""
    return Scores(("a", "b"), np.arange(len(points)), np.tile(np.arange(2, dtype=np.int32), (len(points), 1)), points)
