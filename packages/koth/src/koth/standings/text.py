"""Numbers of the standings as text, for the screen, pages and Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, log10
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # computing intervals takes Numba, writing them does not
    from koth.standings.intervals import Interval


def counted(count: int, one: str, many: str) -> str:
    """Return a count and the singular or plural word: 1 match, 2 matches."""
    return f"{count:,} {one if count == 1 else many}"


def number(value: float) -> str:
    """Return a score as text, with at most two decimals."""
    return decimal(value, 0 if round(value, 2) == round(value) else 2)


def decimal(value: float, decimals: int) -> str:
    """Return a number as text; negative `decimals` round to tens, hundreds ..."""
    rounded = round(value, decimals) + 0.0  # no -0
    return f"{rounded:,.{max(decimals, 0)}f}"


def decimals_of(width: float) -> int:
    """Return how many decimals show two digits of an uncertainty `width`."""
    return 1 - floor(log10(width)) if width > 0 else 2


def bounds(low: float, high: float, coarsest: int | None = None) -> tuple[str, str]:
    """Return both ends of an interval, rounded according to the width.

    `coarsest` is the number of decimals of the column's widest interval, used if this interval would have one more.
    """
    decimals = min(decimals_of(high - low), 4)
    if coarsest is not None and decimals == coarsest + 1:
        decimals = coarsest
    return decimal(low, decimals), decimal(high, decimals)


def interval_text(interval: Interval, narrow: bool, missing: int | None, coarsest: int | None = None) -> str:
    """Return an interval as text, or why it is not shown: too few blocks, or wider than the score itself.

    `missing` is an estimate of the further matches that make the interval narrower than the score; None if too many.
    `coarsest` is the number of decimals of the column's widest interval.
    """
    low, high = interval.low, interval.high
    if interval.note:
        return interval.note
    if low is None or high is None:
        return f"{number(low)} or more" if low is not None else f"{number(high or 0.0)} or less"
    if narrow:
        return " to ".join(bounds(low, high, coarsest))
    return "too wide" + more_text(missing)


def rank_text(value: float | None, rank_by: str) -> str:
    """Return a rating or score as text; "" for None."""
    return "" if value is None else number(value) if rank_by == "score" else f"{value:,.0f}"


def rank_texts(line: Mapping[str, Any], rank_by: str) -> dict[str, str]:
    """Return a hill's `rating`, `score` and `interval` as text; the interval is of the value named by `rank_by`."""
    value, margin = line[rank_by], line["margin"]
    return {
        "rating": rank_text(line["rating"], "rating"),
        "score": rank_text(line["score"], "score"),
        "interval": "" if margin is None else " to ".join(bounds(value - margin, value + margin)),
    }


def more_text(missing: int | None) -> str:
    """Return the estimated number of further matches as text, in brackets; "" for None."""
    return "" if missing is None else f" ({missing:,} more)"


def band_text(best: int | None, worst: int | None) -> str:
    """Return the range of a bot's possible ranks, such as `2-4`; "" without verdicts."""
    return "" if best is None else f"{best}" if best == worst else f"{best}-{worst}"


def unrepeatable_text(names: Sequence[str]) -> str:
    """Return a note on bots whose answers are not repeatable; `names` must not be empty."""
    return f"Not repeatable: {', '.join(names)} (the same seed and questions, another answer)."


def first_text(best: int | None, worst: int | None, chance: float | None) -> str:
    """Return the chance to be first as text; "sure" or "-" if the possible ranks imply the result.

    The text is never 0 % or 100 %, because resampling can't show that.
    """
    if best is None or chance is None:
        return ""
    if best > 1 or worst == 1:
        return "sure" if worst == 1 else "-"
    return "<1 %" if chance < 0.01 else ">99 %" if chance > 0.99 else f"{chance:.0%}".replace("%", " %")


def match_text(scores: Mapping[str, float]) -> str:
    """Return who is first in a match, or how many bots tie, with the score."""
    best = max(scores.values())
    names = [name for name, score in scores.items() if score == best]
    who = f"{names[0]} first" if len(names) == 1 else f"{len(names)} bots tied first"
    return f"{who} with {number(best)}"
