"""The stopping rule of contests."""

from __future__ import annotations

import numpy as np
import pytest

from koth.errors import KothError
from koth.game import Array
from koth.standings.paired import ALPHA
from koth.standings.scores import Scores
from koth.standings.until import Goal, Look, Looks, look


def of(points: Array) -> tuple[Scores, list[str]]:
    names = [f"b{k}" for k in range(points.shape[1])]
    rows = (dict(zip(names, row, strict=True)) for row in points.tolist())
    return Scores.of(enumerate(rows)), names


def test_goals() -> None:
    assert Goal.of("settled") == Goal()
    assert Goal.of("top=3") == Goal(3)
    assert [str(goal) for goal in (Goal(), Goal(3))] == ["settled", "top=3"]
    for text in ("top=0", "top", "top=x", "soon", "top=-1"):
        with pytest.raises(KothError, match="settled, or top=N"):
            Goal.of(text)


def test_looks() -> None:
    assert Looks.of(192, 2).blocks == (12, 24, 48, 96, 192)
    assert Looks.of(192, 16).blocks == (16, 30, 55, 103, 192)
    assert Looks.of(100, 59).blocks == (59, 100)
    assert Looks.of(5, 12).blocks == (5,)
    assert Looks.of(60, 59).blocks == (60,)


@pytest.mark.parametrize(("most", "least"), [(192, 2), (192, 16), (100, 59), (5, 12), (10_000, 252)])
def test_looks_spend_the_error_once(most: int, least: int) -> None:
    looks = Looks.of(most, least)
    assert sum(map(looks.alpha, looks.blocks)) == pytest.approx(ALPHA)
    assert looks.alpha(looks.blocks[-1] - 1) == looks.alpha(most)  # an early look counts as the next one
    assert list(looks.blocks) == sorted(set(looks.blocks))


def test_who_is_far_apart_is_settled_at_once() -> None:
    scores, names = of(np.random.default_rng(0).normal(0, 1, (12, 4)) + np.array([30, 20, 10, 0]))
    seen = look(scores, "mean", names, Goal(), 2, ALPHA / 4)
    assert (seen.blocks, seen.settled, seen.open) == (12, True, ())


@pytest.mark.parametrize("aggregate", ["mean", "sum", "median"])
def test_copies_are_never_settled(aggregate: str) -> None:
    points = np.random.default_rng(1).normal(0, 1, (200, 3)) + np.array([30, 20, 20])
    points[:, 2] = points[:, 1]
    scores, names = of(points)
    seen = look(scores, aggregate, names, Goal(), 2, ALPHA / 4)
    assert not seen.settled
    assert seen.open == (("b1", "b2"),)
    assert look(scores, aggregate, names, Goal(1), 2, ALPHA / 4).settled


def test_the_top_must_be_above_all_others() -> None:
    points = np.random.default_rng(2).normal(0, 1, (40, 4)) + np.array([20, 10, 0, 0])
    scores, names = of(points)
    assert look(scores, "mean", names, Goal(2), 2, ALPHA / 3).settled
    assert not look(scores, "mean", names, Goal(3), 2, ALPHA / 3).settled


def test_who_is_no_bot_does_not_count() -> None:
    """Prey scores too; nobody waits for it."""
    points = np.random.default_rng(3).normal(0, 1, (12, 3)) + np.array([20, 10, 10])
    scores, names = of(points)
    assert look(scores, "mean", names[:2], Goal(), 2, ALPHA / 3).settled
    assert not look(scores, "mean", names, Goal(), 2, ALPHA / 3).settled


def test_a_bot_that_has_not_played_settles_nothing() -> None:
    scores, names = of(np.random.default_rng(4).normal(0, 1, (12, 2)) + np.array([20, 10]))
    assert not look(scores, "mean", [*names, "late"], Goal(), 2, ALPHA / 3).settled


def test_less_error_to_spend_needs_more() -> None:
    scores, names = of(np.random.default_rng(5).normal(0, 1, (12, 2)) + np.array([1.1, 0]))
    assert look(scores, "mean", names, Goal(), 2, ALPHA).settled
    assert not look(scores, "mean", names, Goal(), 2, ALPHA / 1000).settled
    assert not look(scores, "mean", names, Goal(), 13, ALPHA).settled


def test_of_many_open_pairs_four_are_named() -> None:
    text = Look(2, False, tuple((f"b{k}", f"b{k + 1}") for k in range(7))).text("settled")
    assert text.endswith("b0 and b1, b1 and b2, b2 and b3, b3 and b4, and 3 more.")
