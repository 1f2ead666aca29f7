"""Intervals: known answers, few blocks, no variance, and that they hold the truth."""

from __future__ import annotations

import numpy as np
import pytest

from koth.game import Array
from koth.standings.intervals import (
    BINS,
    Interval,
    binomial_interval,
    bootstrap_t,
    intervals,
    median_order,
    resample_counts,
    sum_bins,
    t_quantile,
)
from koth.standings.scores import Blocks, Scores


def of(values: list[float], aggregate: str, least: int = 2, games: int = 1) -> Interval:
    """The interval of one bot whose blocks of so many games came to these values each."""
    scores = Scores.of((block, {"a": value}) for block, value in enumerate(values) for _ in range(games))
    return intervals(Blocks.of(scores, aggregate), aggregate, least)[0]


def test_medians_have_order_statistics() -> None:
    assert of([3, 1, 4, 1, 5, 9, 2, 6, 5], "median") == Interval(1, 6, pytest.approx(0.9609375))
    assert of([5, 1, 2, 4, 3], "median").note == "too few"
    assert of([3, 1, 4, 1, 5, 9, 2, 6, 5], "median", games=4) == Interval(1, 6, pytest.approx(0.9609375))


def test_wins_are_binomial() -> None:
    assert of([1.0] * 6, "wins") == Interval(pytest.approx(0.5407, abs=1e-4), 1)
    assert of([1, 0], "wins").high == pytest.approx(0.9874, abs=1e-4)


@pytest.mark.parametrize("aggregate", ["mean", "sum", "median"])
def test_no_variance_no_interval(aggregate: str) -> None:
    assert of([7.0] * 9, aggregate) == Interval(note="all 9 equal")


@pytest.mark.parametrize("aggregate", ["mean", "sum", "median"])
def test_few_blocks_have_none(aggregate: str) -> None:
    assert of([1.0, 2, 3, 4, 5, 6], aggregate, least=6).note == ""
    few = "" if aggregate == "median" else "6 of 7 matches"
    assert of([1.0, 2, 3, 4, 5, 6], aggregate, least=7).note == few


def test_an_undetermined_bound_is_left_open() -> None:
    """Five zeros and a one: most resamples that leave the one out say nothing of how large it may get."""
    interval = of([0, 0, 0, 0, 0, 1.0], "mean")
    assert interval.high is None or interval.low is None


def test_a_sum_has_the_interval_of_its_mean() -> None:
    values = [4.0, 1, 9, 5, 5, 2, 8]
    assert of(values, "sum") == of(values, "mean")


def test_matches_of_a_block_count_as_one_observation() -> None:
    values = np.random.default_rng(5).normal(0, 1, 12).tolist()
    assert of(values, "mean", games=4) == of(values, "mean")


def test_bots_with_other_games_are_judged_by_their_own() -> None:
    values = np.random.default_rng(6).normal(0, 1, 12).tolist()
    matches = [(block, {"a": value}) for block, value in enumerate(values)]
    more = [(100 + block, {"b": float(block)}) for block in range(30)]
    both = intervals(Blocks.of(Scores.of(matches + more), "mean"), "mean", 6)
    assert both[0] == of(values, "mean")


def test_it_is_students_t_where_scores_are_normal() -> None:
    values = np.random.default_rng(7).normal(10, 2, (200, 40))
    low, high = bootstrap_t(values, np.ones_like(values))
    expected = 2 * t_quantile(0.05, 199) * values.std(axis=0, ddof=1) / np.sqrt(200)
    assert ((high - low) / expected).mean() == pytest.approx(1, abs=0.02)


def test_it_moves_and_stretches_with_the_scores() -> None:
    values = np.random.default_rng(8).exponential(1, (12, 3))
    low, high = bootstrap_t(values, np.ones_like(values))
    moved_low, moved_high = bootstrap_t(5 - 3 * values, np.ones_like(values))
    assert moved_low == pytest.approx(5 - 3 * high, rel=0.1)  # the resamples are the same, not mirrored
    assert moved_high == pytest.approx(5 - 3 * low, rel=0.1)
    up_low, up_high = bootstrap_t(5 + 3 * values, np.ones_like(values))
    assert np.allclose([up_low, up_high], [5 + 3 * low, 5 + 3 * high])


def test_binning_keeps_sums() -> None:
    values = np.arange(2345.0)
    assert len(sum_bins(values)) == BINS
    assert sum_bins(values).sum() == values.sum()
    assert sum_bins(values[:9]).tolist() == values[:9].tolist()


def test_resamples_are_always_the_same() -> None:
    drawn = resample_counts(7, 50)
    assert (drawn.sum(axis=1) == 7).all()
    resample_counts.cache_clear()
    assert np.array_equal(drawn, resample_counts(7, 50))


def held(values: Array, truth: float, aggregate: str) -> float:
    """The share of bots (columns) whose interval holds it."""
    blocks, bots = values.shape
    cells = np.arange(blocks * bots)
    table = Blocks(
        bots, blocks, cells // bots, cells % bots, values.ravel(), np.ones(len(cells), int), values.ravel()
    )
    found = intervals(table, aggregate, 2)
    return float(np.mean([
        (i.low is None or i.low <= truth) and (i.high is None or truth <= i.high) for i in found if not i.note
    ]))  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("blocks", [6, 10])
def test_intervals_hold_the_truth(blocks: int) -> None:
    rng = np.random.default_rng(blocks)
    assert held(rng.normal(5, 1, (blocks, 800)), 5, "mean") > 0.92
    chance = rng.beta(1.2, 2.8, (blocks, 800))  # matches of a block are alike
    assert held(rng.binomial(4, chance) / 4, 0.3, "mean") > 0.92
    assert held(rng.exponential(1, (blocks, 800)), np.log(2), "median") > 0.94


@pytest.mark.parametrize(("df", "alpha", "quantile"), [(1, 0.05, 12.7062), (5, 0.05, 2.5706), (30, 0.01, 2.75)])
def test_students_t(df: int, alpha: float, quantile: float) -> None:
    assert t_quantile(alpha, df) == pytest.approx(quantile, abs=5e-5)


def test_binomial_intervals() -> None:
    assert binomial_interval(6, 6) == (pytest.approx(0.025 ** (1 / 6)), 1)
    assert binomial_interval(0, 10) == (0, pytest.approx(1 - 0.025**0.1))
    assert binomial_interval(3, 10) == (pytest.approx(0.0667, abs=5e-5), pytest.approx(0.6525, abs=5e-5))


@pytest.mark.parametrize(
    ("values", "found"), [(1, None), (5, None), (6, (1, 1 - 2 / 64)), (8, (1, 1 - 2 / 256)), (9, (2, 1 - 20 / 512))]
)
def test_order_statistics_of_the_median(values: int, found: tuple[int, float] | None) -> None:
    order = median_order(values)
    assert (order is None) == (found is None)
    assert order is None or order == (found[0], pytest.approx(found[1]))  # type: ignore[index]
