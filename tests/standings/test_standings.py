"""The table: order, places, what is said where nothing can be said, and its captions."""

from __future__ import annotations

import numpy as np
import pytest

from koth.game import Convention
from koth.standings.scores import Scores
from koth.standings.table import Standing, Standings, least_blocks, standings


def table(*games: dict[str, float], aggregate: str = "mean", least: int = 6) -> Standings:
    return standings(Scores.of(enumerate(games)), Convention(9, aggregate, blocks=least))


def by_bot(told: Standings) -> dict[str, Standing]:
    return {line.bot: line for line in told.lines}


def field(blocks: int, *means: float, spread: float = 1.0, seed: int = 0) -> list[dict[str, float]]:
    points = np.random.default_rng(seed).normal(0, spread, (blocks, len(means))) + means
    return [{f"b{k}": float(score) for k, score in enumerate(row)} for row in points]


def test_best_first_and_equal_scores_share_a_rank() -> None:
    told = table({"a": 1, "b": 5, "c": 3, "d": 3, "e": 0})
    assert [(line.rank, line.bot, line.score) for line in told.lines] == [
        (1, "b", 5), (2, "c", 3), (2, "d", 3), (4, "a", 1), (5, "e", 0),
    ]  # fmt: skip
    assert all(line.place is None and line.first is None for line in told.lines)


@pytest.mark.parametrize(("aggregate", "score"), [("median", 2.5), ("mean", 4), ("sum", 16)])
def test_aggregates(aggregate: str, score: float) -> None:
    (line,) = table({"a": 1}, {"a": 10}, {"a": 2}, {"a": 3}, aggregate=aggregate).lines
    assert line.score == score
    assert line.games == 4


@pytest.mark.parametrize("aggregate", ["median", "mean", "sum"])
def test_who_is_far_apart_has_a_place_of_its_own(aggregate: str) -> None:
    told = table(*field(12, 30, 20, 10), aggregate=aggregate)
    assert [(line.place, line.best, line.worst, line.first) for line in told.lines] == [
        (1, 1, 1, 1), (2, 2, 2, 0), (3, 3, 3, 0),
    ]  # fmt: skip
    assert [line.below and line.below.apart for line in told.lines] == [True, True, None]


def test_who_cannot_be_told_apart_shares_a_place() -> None:
    told = table(*field(12, 20.1, 20, 0))
    assert [line.place for line in told.lines] == [1, 1, 3]
    assert [line.rank for line in told.lines] == [1, 2, 3]
    first = told.lines[0].below
    assert first is not None
    assert not first.apart


def test_places_count_who_is_surely_above() -> None:
    """a is above c; b can't be told from either: a and b share a place, c is behind one."""
    wave = np.resize([1.0, -1], 40)
    told = table(*({"a": 1.0, "b": 0.8 + 2 * up, "c": 0.4 * abs(up - 1)} for up in wave.tolist()))
    assert [line.place for line in told.lines] == [1, 1, 2]


def test_about_how_many_more_games() -> None:
    told = table(*field(100, 0.25, 0, seed=4))
    below = told.lines[0].below
    assert below is not None
    assert not below.apart
    assert below.games is not None
    assert 10 < below.games < 5000


def test_too_few_games() -> None:
    told = table(*field(5, 1, 2, 3))
    assert {line.interval.note for line in told.lines} == {"5 of 6 games"}
    assert any("fewer than 6 games" in caption and "about 1 more" in caption for caption in told.captions)


def test_tables_are_told_in_blocks() -> None:
    games = [(block, {"a": float(block % 5), "b": 1.0}) for block in range(8) for _ in range(4)]
    told = standings(Scores.of(games), Convention(24, "median", table=2, blocks=6))
    assert by_bot(told)["a"].blocks == 8
    assert by_bot(told)["a"].games == 32
    assert by_bot(told)["b"].interval.note == "all 8 equal"
    assert told.captions[0] == "Score: the median of a bot's block medians."
    assert told.captions[1].startswith("A block is 4 matches")
    assert any("99.2 %, by order statistics over 8 blocks" in caption for caption in told.captions)


def test_groups_that_never_met() -> None:
    rng = np.random.default_rng(5)
    games = [(block, {"a": rng.normal(), "b": 9 + rng.normal()}) for block in range(9)]
    games += [(50 + block, {"c": 40 + rng.normal(), "d": 50 + rng.normal()}) for block in range(9)]
    told = standings(Scores.of(games), Convention(9, "mean", blocks=6))
    assert [(line.group, line.rank, line.place, line.bot) for line in told.lines] == [
        (0, 1, 1, "d"), (0, 2, 2, "c"), (1, 1, 1, "b"), (1, 2, 2, "a"),
    ]  # fmt: skip
    assert told.lines[1].below is None
    assert "Groups that never met are not compared." in told.captions


def test_where_not_everybody_met_everybody_there_is_a_rating() -> None:
    """c scores as b does, but against whom a beats; choix is in the tests' extra."""
    rng = np.random.default_rng(6)
    games: list[tuple[int, dict[str, float]]] = []
    for block in range(0, 60, 3):
        games.append((block, {"a": float(rng.random() < 0.8), "b": 0.5}))
        games.append((block + 1, {"b": float(rng.random() < 0.8), "c": 0.5}))
        games.append((block + 2, {"c": float(rng.random() < 0.8), "d": 0.5}))
    told = by_bot(standings(Scores.of(games), Convention(9, "mean", blocks=6)))
    rated = [told[bot].rating or 0 for bot in "abcd"]
    assert rated == sorted(rated, reverse=True)
    assert sum(rated) / 4 == pytest.approx(1000)


def test_the_order_of_the_matches_does_not_matter() -> None:
    games = [(block, scores) for block, scores in enumerate(field(12, 3, 2, 1, seed=7)) for _ in range(2)]
    games += [(90 + block, {"b0": 1.0, "x": float(block)}) for block in range(4)]
    shuffled = [games[place] for place in np.random.default_rng(8).permutation(len(games))]
    reseated = [(block, dict(reversed(scores.items()))) for block, scores in shuffled]
    convention = Convention(9, "mean", blocks=6)
    assert standings(Scores.of(games), convention) == standings(Scores.of(reseated), convention)


def test_a_game_that_declares_nothing_needs_as_many_blocks_as_any() -> None:
    assert least_blocks(Convention(9, "median")) == 6
    assert least_blocks(Convention(9, "mean")) >= 30
    assert least_blocks(Convention(9, "mean", blocks=8)) == 8


def test_nobody_played() -> None:
    assert table().lines == []


def test_json() -> None:
    (line,) = table({"a": 1.5}).as_json({"a": {"late": 2, "crash": 1}})
    assert line["faults"] == {"crash": 1, "late": 2}
    assert (line["low"], line["high"], line["note"], line["place"]) == (None, None, "1 of 6 games", None)
