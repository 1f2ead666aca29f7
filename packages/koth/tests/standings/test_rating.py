"""Ratings by Plackett and Luce: ties, names, order, and a known answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from koth.standings.rating import PRIOR, SCALE, _information, _loss, _rank_matches, ratings, ratings_with_margins
from koth.standings.scores import Scores


def rated(matches: list[dict[str, float]]) -> dict[str, float]:
    scores = Scores.of(enumerate(matches))
    return dict(zip(scores.names, ratings(scores, np.arange(len(scores.names))).tolist(), strict=True))


def test_bots_that_always_tie_rate_equal() -> None:
    assert rated([dict.fromkeys("abc", 0.0)] * 20) == pytest.approx(dict.fromkeys("abc", 1000), abs=1e-3)


def test_equal_losers_rate_equal_whatever_their_names() -> None:
    """One winner, all others level at 0, each of twelve bots once."""
    names = [f"b{k:02}" for k in range(12)]
    matches = [{name: float(name == winner) for name in names} for winner in names]
    assert rated(matches) == pytest.approx(dict.fromkeys(names, 1000), abs=1e-3)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=1, max_size=12), st.permutations(range(4)))
def test_names_and_orders_change_nothing(scores: list[tuple[int, ...]], order: list[int]) -> None:
    found = rated([{"abcd"[k]: float(row[k]) for k in range(4)} for row in scores])
    renamed = rated([{"abcd"[order[k]]: float(row[k]) for k in range(4)} for row in reversed(scores)])
    assert [found["abcd"[k]] for k in range(4)] == pytest.approx(
        [renamed["abcd"[order[k]]] for k in range(4)], abs=0.05
    )


def test_two_bots_have_the_odds_of_their_wins() -> None:
    """With many matches the prior does not matter: 3 : 1 is 400 * log10(3) points."""
    found = rated([{"a": 1.0, "b": 0.0}] * 3000 + [{"a": 0.0, "b": 1.0}] * 1000)
    assert found["a"] - found["b"] == pytest.approx(400 * np.log10(3), abs=1)


def test_who_always_wins_stays_finite() -> None:
    found = rated([{"a": 1.0, "b": 0.0}] * 10)
    assert 1000 < found["a"] < 1600
    assert PRIOR > 0


def test_the_gradient_is_that_of_the_likelihood() -> None:
    rng = np.random.default_rng(1)
    matches = [{name: float(rng.integers(0, 3)) for name in rng.permutation(list("abcdef"))[:4]} for _ in range(30)]
    bot, group = _rank_matches(Scores.of(enumerate(matches)), np.arange(6))
    at, step = rng.normal(0, 1, 6), 1e-6
    _, gradient = _loss(at, bot, group)
    moved = [_loss(at + step * unit, bot, group)[0] - _loss(at - step * unit, bot, group)[0] for unit in np.eye(6)]
    assert np.allclose(np.array(moved) / (2 * step), gradient, atol=1e-5)


def test_ties_are_efrons() -> None:
    """Two level of three, the third one behind: w1 w2 / (w1 + w2 + w3) / (w3 + (w1 + w2) / 2), w3 / w3."""
    bot, group = _rank_matches(Scores.of([(0, {"a": 1.0, "b": 1.0, "c": 0.0})]), np.arange(3))
    strength = np.array([0.3, -0.2, 0.1])
    w = np.exp(strength)
    likelihood = strength[:2].sum() - np.log(w.sum()) - np.log(w[2] + (w[0] + w[1]) / 2)
    prior = PRIOR * (strength - 2 * np.log1p(w)).sum()
    assert _loss(strength, bot, group)[0] == pytest.approx(-(likelihood + prior))
    assert pytest.approx(400 / np.log(10)) == SCALE


def test_the_information_is_the_slope_of_the_gradient() -> None:
    rng = np.random.default_rng(2)
    matches = [{name: float(rng.integers(0, 3)) for name in rng.permutation(list("abcdef"))[:4]} for _ in range(30)]
    bot, group = _rank_matches(Scores.of(enumerate(matches)), np.arange(6))
    at, step = rng.normal(0, 1, 6), 1e-6
    moved = [_loss(at + step * unit, bot, group)[1] - _loss(at - step * unit, bot, group)[1] for unit in np.eye(6)]
    assert np.allclose(np.array(moved) / (2 * step), _information(at, bot, group), atol=1e-5)


def test_margins_shrink_with_matches_and_old_versions_move_no_rating() -> None:
    matches = [{"a": 1.0, "b": 0.0}, {"a": 0.0, "b": 1.0}, {"b": 1.0, "old": 0.0}]
    few, many = (Scores.of(enumerate(matches * count)) for count in (2, 50))
    current = np.array([True, True, False])
    rating, margin = ratings_with_margins(few, np.arange(3), current)
    assert rating[:2].mean() == pytest.approx(1000)
    again, smaller = ratings_with_margins(many, np.arange(3), current, start=rating)
    assert (smaller < margin).all()
    assert again.tolist() == pytest.approx(ratings_with_margins(many, np.arange(3), current)[0].tolist(), abs=1e-3)
