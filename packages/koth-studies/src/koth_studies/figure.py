"""The figure of a study: panels for each game, with the scores of authors and yardsticks by round and by cost."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from koth.services.line_chart import BotCurve, Chart, draw_charts
from koth_studies.results import Row, StudyResults, student_interval

COST = "usage_cost"
"""The column by which scores are drawn, if anybody has reported it; else the first reported one is taken."""


def draw_figure(results: StudyResults) -> str:
    """Return the figure as SVG, with 95 % intervals of means."""
    charts = []
    for game in results.study.games:
        rows = [row for row in results.rounds if row["game"] == game]
        reported = [key for row in rows for key in row if key.startswith("usage_") and row[key]]
        for cost in ("", *([COST if COST in reported else reported[0]] if reported else [])):
            label = f"{cost.removeprefix('usage_')} of an author so far" if cost else "round"
            if curves := _make_curves(rows, cost):
                charts.append(Chart(f"{game}: points of a match", label, curves))
    return draw_charts(charts)


def _make_curves(rows: Sequence[Row], cost: str) -> list[BotCurve]:
    by_bot: dict[str, list[Row]] = {}
    for row in rows:
        by_bot.setdefault(row["bot"], []).append(row)
    curves = [
        _make_curve(name, its, cost) for name, its in by_bot.items() if any(row["score"] is not None for row in its)
    ]
    if not cost:
        return curves
    last = max(at for curve in curves for at in curve.mean)
    level = {curve.name: fmean(curve.mean.values()) for curve in curves}
    return [
        BotCurve(curve.name, {0.0: level[curve.name], last: level[curve.name]}, is_yardstick=True)
        if curve.is_yardstick
        else curve
        for curve in curves
    ]


def _make_curve(name: str, rows: Sequence[Row], cost: str) -> BotCurve:
    """Return a bot's curve by round, or with `cost`, a column, by what the author has used in a repetition so far."""
    spent: dict[int, float] = {}
    by_repetition: dict[int, dict[float, float]] = {}
    by_round: dict[int, list[tuple[float, float]]] = {}
    for row in rows:
        repetition, at = row["repetition"], row["round"]
        spent[repetition] = spent.get(repetition, 0.0) + row.get(cost, 0.0)
        if row["score"] is not None:
            place = spent[repetition] if cost else at
            by_repetition.setdefault(repetition, {})[place] = row["score"]
            by_round.setdefault(at, []).append((place, row["score"]))
    means: dict[float, float] = {}
    bounds: dict[float, tuple[float, float]] = {}
    for at, points in sorted(by_round.items()):
        place = fmean(one for one, _ in points) if cost else at
        scores = [score for _, score in points]
        means[place] = fmean(scores)
        low, high = student_interval(scores)
        if low is not None and high is not None:
            bounds[place] = low, high
    return BotCurve(name, means, list(by_repetition.values()), bounds, rows[0]["is_yardstick"])
