"""Ranks, scores and intervals."""

from __future__ import annotations

import numpy as np
import pytest

from koth.contest.standings import FEW, Played, standings


def contest(*games: dict[str, float]) -> list[Played]:
    return [Played(index, scores) for index, scores in enumerate(games)]


def test_best_first_and_equal_scores_share_a_rank() -> None:
    lines = standings(contest({"a": 1, "b": 5, "c": 3, "d": 3, "e": 0}), "mean", 0)
    assert [(line.rank, line.bot, line.score) for line in lines] == [
        (1, "b", 5), (2, "c", 3), (2, "d", 3), (4, "a", 1), (5, "e", 0),
    ]  # fmt: skip


@pytest.mark.parametrize(("aggregate", "score"), [("median", 2.5), ("mean", 4), ("sum", 16)])
def test_aggregates(aggregate: str, score: float) -> None:
    (line,) = standings(contest({"a": 1}, {"a": 10}, {"a": 2}, {"a": 3}), aggregate, 0)
    assert line.score == score
    assert line.games == 4


@pytest.mark.parametrize(("aggregate", "low", "high"), [("median", 1, 9), ("mean", 1, 9), ("sum", 5, 45)])
def test_few_games_have_a_range(aggregate: str, low: float, high: float) -> None:
    games = [{"a": float(score)} for score in (4, 1, 9, 5, 5)]
    assert len(games) < FEW
    (line,) = standings(contest(*games), aggregate, 0)
    assert (line.low, line.high, line.is_range) == (low, high, True)


@pytest.mark.parametrize("aggregate", ["median", "mean", "sum"])
def test_six_games_have_an_interval(aggregate: str) -> None:
    games = [{"a": float(score), "b": 7.0} for score in (4, 1, 9, 5, 5, 2)]
    a, b = sorted(standings(contest(*games), aggregate, 0), key=lambda line: line.bot)
    assert not a.is_range
    assert a.low < a.score < a.high
    assert b.low == b.score == b.high


def test_the_bootstrap_is_seeded_and_its_own() -> None:
    rng = np.random.default_rng(0)
    games = contest(*({"a": float(a), "b": float(b)} for a, b in rng.normal(0, 1, (12, 2))))
    assert standings(games, "mean", 1) == standings(games, "mean", 1)
    assert standings(games, "mean", 1) != standings(games, "mean", 2)
    alone = [Played(game.block, {"a": game.scores["a"]}) for game in games]
    assert standings(alone, "mean", 1)[0] in [
        line.__class__(1, *list(line.__dict__.values())[1:]) for line in standings(games, "mean", 1)
    ]


@pytest.mark.parametrize("aggregate", ["median", "mean"])
def test_intervals_cover(aggregate: str) -> None:
    """Nominally 95 %; with 30 games a percentile bootstrap comes near."""
    rng = np.random.default_rng(4)
    held = 0
    for seed in range(150):
        (line,) = standings(contest(*({"a": float(x)} for x in rng.normal(10, 3, 30))), aggregate, seed)
        held += line.low <= 10 <= line.high
    assert 0.86 <= held / 150 <= 1


def test_who_plays_in_few_blocks_is_judged_by_those() -> None:
    """Games in which a bot does not play say nothing about it, least of all 0."""
    games = [Played(block, {"others": 5.0}) for block in range(30) for _ in range(4)]
    games += [Played(block, {"a": 100.0 + block}) for block in range(30, 37) for _ in range(4)]
    line = next(line for line in standings(games, "median", 0) if line.bot == "a")
    assert not line.is_range
    assert 130 <= line.low <= line.high <= 136


def test_few_blocks_have_a_range_whatever_their_matches() -> None:
    games = [Played(block, {"a": float(block)}) for block in range(FEW - 1) for _ in range(4)]
    (line,) = standings(games, "mean", 0)
    assert (line.low, line.high, line.is_range, line.games) == (0, FEW - 2, True, 4 * (FEW - 1))


def test_matches_of_a_block_count_as_one_observation() -> None:
    rng = np.random.default_rng(5)
    blocks = rng.normal(0, 1, 10)
    together = [Played(b, {"a": float(x)}) for b, x in enumerate(blocks) for _ in range(10)]
    apart = [Played(10 * b + i, {"a": float(x)}) for b, x in enumerate(blocks) for i in range(10)]
    wide, narrow = standings(together, "mean", 0)[0], standings(apart, "mean", 0)[0]
    assert wide.high - wide.low > 2 * (narrow.high - narrow.low)


def test_nobody_played() -> None:
    assert standings([], "median", 0) == []
