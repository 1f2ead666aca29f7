"""Differences over repetitions, and the figure."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from scipy import special, stats

from koth_studies.figure import _make_curves, draw_figure
from koth_studies.results import StudyResults, _correct, _student_p, more_repetitions, student_interval


def test_the_interval_of_a_mean_is_students() -> None:
    assert student_interval([1.0, 2.0, 3.0]) == pytest.approx((2 - 4.30265 / 3**0.5, 2 + 4.30265 / 3**0.5), abs=1e-4)
    assert student_interval([1.0]) == student_interval([2.0, 2.0]) == (None, None), "no variance is seen"


def test_differences_have_holms_p_values_and_what_a_verdict_would_take() -> None:
    rows = [{"repetition": "all", "p": p, "repetitions": 5} for p in (0.03, 0.01, None, 0.04)]
    corrected = [row.get("p_holm") for row in _correct(rows)]
    assert corrected[:2] + corrected[3:] == pytest.approx([0.06, 0.03, 0.06])
    assert corrected[2] is None
    more = [row.get("more_repetitions") for row in rows]
    assert more[1] == 0
    values = np.array([1.0, 2.0, 4.0, 0.0, 1.0])
    assert _student_p(values) == pytest.approx(stats.ttest_1samp(values, 0).pvalue)
    missing = more_repetitions(5, _student_p(values), 3.0)
    assert missing is not None
    spread = values.std(ddof=1)
    at, before = (3 * 2 * special.stdtr(n - 1, -values.mean() / spread * n**0.5) for n in (5 + missing, 4 + missing))
    assert at <= 0.05 < before
    assert more_repetitions(5, 0.99, 1.0) is None


def row(bot: str, repetition: int, at: int, score: float | None, is_yardstick: bool = False) -> dict[str, Any]:
    return {
        "game": "zombies", "bot": bot, "repetition": repetition, "round": at, "score": score,
        "is_yardstick": is_yardstick,
    }  # fmt: skip


def test_the_figure_has_repetitions_means_intervals_and_yardsticks() -> None:
    scores = {"ann": (1.0, 5.0, 2.0, 8.0), "<ben>": (1.0, 1.0, None, None)}
    rows = [row(bot, 1 + at // 2, at % 2, score) for bot, values in scores.items() for at, score in enumerate(values)]
    rows += [row("yard", repetition, at, 4.0, True) for repetition in (1, 2) for at in (0, 1)]
    study = cast(Any, SimpleNamespace(games={"zombies": None}, folder=Path()))
    drawn = draw_figure(StudyResults(study, rows, []))
    assert len(re.findall("<polyline", drawn)) == 2 + 1 + 1 + 1, "two repetitions and their mean, ben, the yardstick"
    assert drawn.count("stroke-dasharray") == 1
    assert drawn.count('stroke-width="1.2"') == 2, "an interval of each round of ann"
    assert "&lt;ben&gt;" in drawn
    assert all(0 <= float(y) <= 260 for y in re.findall(r",([-\d.]+)", drawn))
    bars = [(float(top), float(end)) for top, end in re.findall(r'M[\d.]+ ([-\d.]+)V([-\d.]+)" stroke="rgb', drawn)]
    assert len(bars) == 2
    assert all(30 <= end < top <= 226 for top, end in bars), "within the axes"
    assert len({end for _, end in bars}) == 2, "and not cut there"


def test_scores_are_drawn_by_cost_too() -> None:
    costs = {0: 0.0, 1: 2.5, 2: 1.0}
    rows = [{**row("ann", 1, at, 3.0 + at), "usage_cost": cost} for at, cost in costs.items()]
    rows += [row("yard", 1, at, 4.0, True) for at in costs]
    curves = _make_curves(rows, "usage_cost")
    assert [(curve.name, curve.mean) for curve in curves] == [
        ("ann", {0.0: 3.0, 2.5: 4.0, 3.5: 5.0}),
        ("yard", {0.0: 4.0, 3.5: 4.0}),
    ]
    study = cast(Any, SimpleNamespace(games={"zombies": None}, folder=Path()))
    drawn = draw_figure(StudyResults(study, rows, []))
    assert ">round<" in drawn
    assert ">cost of an author so far<" in drawn
