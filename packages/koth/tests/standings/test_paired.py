"""The paired test: known answers, ties, few blocks, skewed scores, and how many blocks would do."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from koth.game import Array, ContestDefaults
from koth.standings.means import MeanDifferences, hall, hall_inverse, mean_test
from koth.standings.paired import Paired, compare, groups, holm, least_blocks
from koth.standings.scores import Blocks, Scores
from koth.standings.signs import meetings, sign_test


def compared(points: Array, aggregate: str = "mean", alpha: float = 0.05, least: int = 2) -> Paired:
    """Compare bots of which each played every block; a column is a bot."""
    scores = Scores.of((block, {f"b{k:02}": float(s) for k, s in enumerate(row)}) for block, row in enumerate(points))
    return compare(Blocks.of(scores, aggregate), aggregate, least, alpha)


def test_means_are_compared_by_the_paired_t_test() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(0, 10, (12, 1)) + rng.normal(0, 1, (12, 3)) + [2, 1, 0]
    paired = compared(points)
    known = stats.ttest_rel(points[:, 0], points[:, 2])
    assert paired.test.statistic[0, 2] == pytest.approx(known.statistic)
    assert paired.test.statistic[2, 0] == pytest.approx(-known.statistic)
    assert paired.test.df[0, 2] == known.df
    assert paired.test.skewness[0, 2] == pytest.approx(stats.skew(points[:, 0] - points[:, 2]) / 12**0.5)
    assert paired.own[0, 2] >= known.pvalue
    assert paired.significant[0, 2]
    assert not paired.significant[2, 0]


def test_luck_that_is_shared_does_not_blur() -> None:
    """Intervals side by side would overlap widely."""
    luck = np.random.default_rng(1).normal(0, 100, (10, 1))
    points = luck + np.random.default_rng(2).normal(0, 1, (10, 2)) + [5, 0]
    assert compared(points).significant.tolist() == [[False, True], [False, False]]


def p(t: float, skewness: float, blocks: int = 60) -> float:
    return float(mean_test(np.array(t), np.array(skewness), np.array(blocks - 1), np.array(blocks)))


def test_student_and_hall_must_agree() -> None:
    """A long tail to the left makes a mean above 0 doubtful: what is rare may not have been seen often enough."""
    assert p(2.2, 0) < 0.05 < p(2.2, -0.4)
    assert p(2.2, 0.4) == p(2.2, 0)
    assert p(-2.2, 0.4) > 0.05


def test_halls_test_does_not_stop_at_a_plateau() -> None:
    """The cubic alone is flat at t = -3 / skewness: no lead would ever be large enough."""
    assert p(10, -0.3, 12) < 0.1 * p(6, -0.3, 12) < 0.01
    t = np.linspace(0, 12, 200)
    assert (np.diff(hall(t, np.array(-0.7))) >= 0.5 * np.diff(t) - 1e-12).all()
    for skewness in (-0.7, -0.1, 0.0, 0.3):
        for value in (1.0, 2.0, 5.0):
            found = hall_inverse(value, skewness)
            assert hall(np.array(found), np.array(skewness)) == pytest.approx(value)


def test_copies_are_never_separated() -> None:
    one = np.random.default_rng(3).normal(5, 1, (20, 1))
    paired = compared(np.concatenate([one, one], axis=1))
    assert not paired.significant.any()
    assert paired.missing(0, 1) is None


def test_always_the_same_difference_needs_as_many_blocks_as_signs_do() -> None:
    assert not compared(np.tile([2.0, 1.0], (5, 1))).significant.any()
    assert compared(np.tile([2.0, 1.0], (6, 1))).significant[0, 1]
    assert not compared(np.tile([2.0, 1.0], (6, 1)), alpha=0.01).significant.any()
    assert compared(np.tile([2.0, 1.0], (5, 1))).missing(0, 1) == 1


@pytest.mark.parametrize("aggregate", ["median", "wins"])
def test_medians_and_wins_are_compared_by_signs(aggregate: str) -> None:
    points = np.zeros((10, 2))
    points[:9, 0] = 1
    points[9, 1] = 1
    paired = compared(points, aggregate)
    assert paired.significant[0, 1]
    assert paired.own[0, 1] == pytest.approx(stats.binomtest(9, 10).pvalue)
    points[8] = [0, 1]
    assert not compared(points, aggregate).significant.any()


def test_wins_at_tables_are_means() -> None:
    rng = np.random.default_rng(4)
    rows = [(block, {"a": float(rng.random() < 0.8), "b": 0.0}) for block in range(12) for _ in range(4)]
    paired = compare(Blocks.of(Scores.of(rows), "wins"), "wins", 2)
    assert isinstance(paired.test, MeanDifferences)
    assert paired.significant[0, 1]


@pytest.mark.parametrize(("wins", "decided"), [(0, 0), (3, 5), (9, 10), (60, 100)])
def test_sign_test(wins: int, decided: int) -> None:
    exact = stats.binomtest(wins, decided).pvalue if decided else 1.0
    assert sign_test(np.array(wins), np.array(decided)) == pytest.approx(exact)


def test_signs_against_the_medians_settle_nothing() -> None:
    """The first bot wins most blocks by a little and loses the others by much, so its median is lower."""
    points = np.array([[1.0, 0.9]] * 20 + [[0.0, 5.0]] * 1)
    points[:9, 1] = 9.0
    points = np.concatenate([points, np.tile([[2.0, 1.9]], (40, 1)), np.tile([[0.1, 3.0]], (3, 1))])
    points[:, 0] -= np.where(np.arange(len(points)) < 30, 0.0, 1.2)
    paired = compared(points, "median")
    medians = np.median(points, axis=0)
    assert not paired.significant[np.argmin(medians)].any()


def test_ties_count_in_the_blocks_needed() -> None:
    """Of 100 blocks 90 are level and 8 of 10 won: as many level ones are to be expected in what is still missing."""
    points = np.zeros((100, 2))
    points[:8, 0] = points[8:10, 1] = 1
    missing = compared(points, "wins").missing(0, 1)
    assert 20 < missing < 220


@pytest.mark.parametrize("aggregate", ["mean", "wins"])
def test_missing_blocks_are_enough_and_fewer_are_not(aggregate: str) -> None:
    rng = np.random.default_rng(5)
    points = (rng.random((60, 2)) < [0.55, 0.4]).astype(float)
    paired = compared(points, aggregate)
    missing, pair = paired.missing(0, 1), (np.array([0]), np.array([1]))
    assert paired.test.p_values(pair, 1 + missing / 60) <= paired.level
    assert paired.test.p_values(pair, 0.8 * (1 + missing / 60)) > paired.level
    assert paired.missing(1, 0) == missing


def test_blocks_without_the_other_bot_count_for_means() -> None:
    rng = np.random.default_rng(6)
    matches = [(block, {"a": 10 + rng.normal(), "c": rng.normal()}) for block in range(10)]
    matches += [(50 + block, {"b": rng.normal(), "c": rng.normal()}) for block in range(10)]
    paired = compare(Blocks.of(Scores.of(matches), "mean"), "mean", 2)
    assert paired.shared[0, 1] == 0
    assert paired.significant[0, 1]


def test_bots_that_no_match_connects_are_not_compared() -> None:
    matches = [(block, {"a": 10.0 + block % 2, "b": 1.0}) for block in range(20)]
    matches += [(50 + block, {"c": 90.0 + block % 3, "d": 1.0}) for block in range(20)]
    paired = compare(Blocks.of(Scores.of(matches), "mean"), "mean", 2)
    assert paired.significant.tolist()[0] == [False, True, False, False]
    assert not paired.significant[2, 0]


def test_too_few_blocks_tell_nothing() -> None:
    points = np.array([[10.0 + block % 2, 0.1 * block] for block in range(9)])
    assert compared(points, least=9).significant[0, 1]
    assert not compared(points, least=10).significant.any()


def test_least_blocks() -> None:
    """As many as show an event of 5 % once, but for the error of a pair; for medians as many as a sign test needs."""
    assert least_blocks(ContestDefaults(9, "mean"), 2) == 59
    assert least_blocks(ContestDefaults(9, "mean"), 5) == 104
    assert least_blocks(ContestDefaults(9, "mean", blocks=8), 5) == 8
    assert least_blocks(ContestDefaults(9, "median"), 2) == 6
    assert least_blocks(ContestDefaults(9, "median"), 8) == 11
    assert least_blocks(ContestDefaults(9, "wins"), 2) == 6
    assert least_blocks(ContestDefaults(9, "wins", seats=4), 2) == 59


def at_tables(rng: np.random.Generator, blocks: int) -> Blocks:
    """Five bots at tables of two: the points of a bot fall by the strength (10 to 50) of its opponent."""
    pairs = [(a, b) for a in range(5) for b in range(a)] * (blocks // 4)
    games = [{f"b{a}": 100 + 10.0 * (a - b) + rng.normal(), f"b{b}": 10.0 * (b - a) + rng.normal()} for a, b in pairs]
    return Blocks.of(Scores.of(enumerate(games)), "mean")


def test_the_strength_of_opponents_that_the_tables_balance_is_no_uncertainty() -> None:
    paired = compare(at_tables(np.random.default_rng(8), 12), "mean", 2)
    error = paired.test.difference[1, 0] / paired.test.statistic[1, 0]
    assert 0 < error < 0.8 * plain_error(at_tables(np.random.default_rng(8), 12))


def plain_error(blocks: Blocks) -> float:
    """Return the standard error of the first two means' difference, opponents' strength included."""
    one, other = (blocks.value[blocks.rows(bot)] for bot in (1, 0))
    return float((one.var(ddof=1) / len(one) + other.var(ddof=1) / len(other)) ** 0.5)


def test_what_seating_left_uneven_is_uncertainty() -> None:
    """The second bot only met the weak one, so its lead over the first proves little."""
    rng = np.random.default_rng(9)
    games = [{"strong": 30.0 + rng.normal(), "a": 10 + rng.normal()} for _ in range(12)]
    games += [{"a": 30 + rng.normal(), "weak": 1 + rng.normal()} for _ in range(12)]
    games += [{"b": 29 + rng.normal(), "weak": 1 + rng.normal()} for _ in range(22)]
    games += [{"b": 9 + rng.normal(), "strong": 30 + rng.normal()} for _ in range(2)]
    paired = compare(Blocks.of(Scores.of(enumerate(games)), "mean"), "mean", 2)
    a, b = 0, 1
    assert paired.test.difference[b, a] > 5
    assert not paired.significant[b, a]


def test_no_better_bot_is_separated_where_a_worse_one_is_not() -> None:
    rng = np.random.default_rng(10)
    points = rng.normal(0, [0.1, 0.1, 0.1, 60], (12, 4)) + np.array([30, 20, 10, 0])
    paired = compared(points)
    assert paired.own[0, 1] < paired.level < paired.own[0, 3]
    assert not paired.significant[0].any()
    assert (paired.holder(0, 1), paired.holder(0, 3)) == (3, None)
    assert paired.missing(0, 1) == paired.missing(0, 3) != 0
    assert compared(points[:, :3]).significant[0, 1]


def test_a_bot_with_fewer_blocks_holds_up_nobody() -> None:
    rng = np.random.default_rng(11)
    games = [{"a": 30 + rng.normal(), "b": 20 + rng.normal()} for _ in range(12)]
    for game in games[:4]:
        game["late"] = rng.normal(0, 60)
    paired = compare(Blocks.of(Scores.of(enumerate(games)), "mean"), "mean", 2)
    assert paired.significant[0].tolist() == [False, True, False]


def test_one_bot_alone_needs_less_than_the_whole_table() -> None:
    rng = np.random.default_rng(12)
    paired = compared(rng.normal(0, 1, (12, 6)) + np.array([2, 0, 0, 0, 0, 0]))
    assert (paired.alone >= paired.significant).all()
    assert paired.alone.sum() > paired.significant.sum()


def test_holms_procedure() -> None:
    p_value = np.ones((3, 3))
    for (a, b), p in {(0, 1): 0.04, (0, 2): 0.001, (1, 2): 0.02}.items():
        p_value[a, b] = p_value[b, a] = p
    level, rejected = holm(p_value, 0.05)  # 0.001 <= 0.05 / 3, 0.02 <= 0.05 / 2, 0.04 <= 0.05
    assert rejected.sum() == 6
    p_value[1, 2] = p_value[2, 1] = 0.03
    level, rejected = holm(p_value, 0.05)
    assert level == pytest.approx(0.025)
    assert rejected.tolist() == [[False, False, True], [False] * 3, [True, False, False]]
    assert holm(np.ones((1, 1)), 0.05) == (0.05, np.zeros((1, 1), bool))


def test_meetings() -> None:
    bot = np.array([[0, 1, -1], [2, 0, 1]], dtype=np.int32)
    met, more = meetings(bot, np.array([[3.0, 2, 9], [1, 1, 5]]), 3)
    assert met.tolist() == [[0, 2, 1], [2, 0, 1], [1, 1, 0]]
    assert more.tolist() == [[0, 1, 0], [1, 0, 1], [0, 0, 0]]


def test_groups() -> None:
    met = np.zeros((5, 5), int)
    for a, b in ((0, 3), (3, 4)):
        met[a, b] = met[b, a] = 1
    assert groups(met).tolist() == [0, 1, 2, 0, 0]
