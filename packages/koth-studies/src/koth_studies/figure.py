"""The figure of a study: a panel for each game, with the scores of authors and yardsticks by round."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from koth.services.line_chart import BotCurve, Chart, draw_charts
from koth_studies.results import Row, StudyResults, student_interval


def draw_figure(results: StudyResults) -> str:
    """Return the figure as SVG, with 95 % intervals of means."""
    charts = []
    for game in results.study.games:
        rows = [row for row in results.rounds if row["game"] == game and row["score"] is not None]
        names = dict.fromkeys(row["bot"] for row in rows)
        curves = [_make_curve(name, [row for row in rows if row["bot"] == name]) for name in names]
        charts += [Chart(f"{game}: points of a match", "round", curves)] if curves else []
    return draw_charts(charts)


def _make_curve(name: str, rows: Sequence[Row]) -> BotCurve:
    by_repetition: dict[int, dict[int, float]] = {}
    by_round: dict[int, list[float]] = {}
    for row in rows:
        by_repetition.setdefault(row["repetition"], {})[row["round"]] = row["score"]
        by_round.setdefault(row["round"], []).append(row["score"])
    bounds = {at: student_interval(values) for at, values in by_round.items()}
    known = {at: (low, high) for at, (low, high) in bounds.items() if low is not None and high is not None}
    means = {at: fmean(values) for at, values in sorted(by_round.items())}
    return BotCurve(name, means, list(by_repetition.values()), known, rows[0]["is_yardstick"])
