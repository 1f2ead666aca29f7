"""Sentences below standings: notes on the contest, and explanations of the columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from koth.errors import visible

if TYPE_CHECKING:
    from koth.standings.table import Standing

AGGREGATES = {
    "mean": "the mean of a bot's matches",
    "sum": "the mean of a bot's matches, times {matches}",
    "median": "the median of a bot's matches",
    "wins": "the share of a bot's matches that it won",
}
OF_BLOCK_MEDIANS = "the median of a bot's block medians"
METHODS = {"mean": "bootstrap-t", "sum": "bootstrap-t", "median": "order statistics", "wins": "Clopper-Pearson"}
GROUPS = "Groups that never met are not compared; each has its own ranks."
NAMED = 4
"""The largest number of bots that a note names."""


def notes(lines: Sequence[Standing], least: int) -> list[str]:
    """Return notes on verdicts that are still open."""
    size, fewest = block_size(lines), min(line.blocks for line in lines)
    found = []
    if fewest < least and len(lines) > 1:
        in_blocks = "" if size == 1 else f" ({least * size} matches)"
        missing = (least - fewest) * size
        more = f"{missing:,} more {'match' if missing == 1 else 'matches'}"
        found.append(f"No verdict before {least} {unit(size)}{in_blocks} of each bot: {more}.")
    gaps = [(line.bot, line.behind_next) for line in lines if line.best is not None and line.behind_next]
    near = [
        f"{visible(bot)}{'' if gap.matches is None else f' ({gap.matches:,} more matches)'}"
        for bot, gap in gaps
        if gap.verdict != "separated"
    ]
    if near:
        rest = f" and {len(near) - NAMED} other bots" if near[NAMED:] else ""
        found.append(f"Not separated from the bot above: {', '.join(near[:NAMED])}{rest}.")
    if any(line.group for line in lines):
        found.append(GROUPS)
    return found


def explanations(aggregate: str, lines: Sequence[Standing], matches: int, is_rated: bool) -> list[str]:
    """Return explanations of the columns of standings; a sum counts `matches` matches."""
    size = block_size(lines)
    score = OF_BLOCK_MEDIANS if aggregate == "median" and size > 1 else AGGREGATES[aggregate].format(matches=matches)
    found = [f"Score: {score}; rank: by score."]
    if any(line.best is not None for line in lines):
        found += _about_verdicts(unit(size))
    found += _about_intervals(aggregate, lines, size)
    if size > 1:
        found.append(f"A block is {size} matches of the same bots at changing seats; it counts as one observation.")
    found.append("In brackets: about how many more matches of each bot it would take.")
    if is_rated:
        found.append(
            "Rating (Plackett-Luce, 1000 on average): it counts how strong a bot's rivals were, as not all bots met."
        )
    return found


def _about_verdicts(units: str) -> list[str]:
    return [
        "95 % sure: the ranks that a bot may truly have, with an error of 5 % for each bot alone.",
        f"First: the chance to be first, by resampling {units}, of the bots whose ranks include 1.",
        'Behind the first: "separated" is an error of 5 % in the whole table, "behind" for that bot alone. A bot is '
        'separated only if all below it with as many matches are, else it "waits for" them.',
    ]


def _about_intervals(aggregate: str, lines: Sequence[Standing], size: int) -> list[str]:
    levels = sorted({line.interval.level for line in lines if not line.interval.note})
    if not levels:
        return []
    method = METHODS[aggregate] if (aggregate, size > 1) != ("wins", True) else "bootstrap-t"
    level = " to ".join(dict.fromkeys(f"{100 * level:.1f}".removesuffix(".0") for level in (levels[0], levels[-1])))
    wide = any(not line.narrow and not line.interval.note for line in lines)
    played = max(line.blocks for line in lines)
    return [
        f"Interval: {level} %, by {method} over {played} {unit(size)}."
        + (" Too wide: wider than the score itself." if wide else "")
    ]


def block_size(lines: Sequence[Standing]) -> int:
    """Return the number of matches in a block."""
    return max(round(line.matches / line.blocks) for line in lines)


def unit(size: int) -> str:
    """Return the plural name of observations: "matches", or "blocks" for blocks of several matches."""
    return "matches" if size == 1 else "blocks"
