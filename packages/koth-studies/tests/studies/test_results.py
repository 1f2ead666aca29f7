"""Differences over repetitions, and the figure."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from koth_studies.figure import draw_figure
from koth_studies.results import StudyResults, student_interval


def test_the_interval_of_a_mean_is_students() -> None:
    assert student_interval([1.0, 2.0, 3.0]) == pytest.approx((2 - 4.30265 / 3**0.5, 2 + 4.30265 / 3**0.5), abs=1e-4)
    assert student_interval([1.0]) == student_interval([2.0, 2.0]) == (None, None), "no variance is seen"


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
