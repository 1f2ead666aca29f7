"""What the matches say: everybody's score first, and how sure it, its rank and its place are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from koth.game import Array, Convention
from koth.standings.intervals import ERROR, LEAST, Interval, intervals
from koth.standings.pairs import Pairs, compare, groups
from koth.standings.ranks import Ranks, ranks
from koth.standings.rating import INSTALL, available, ratings
from koth.standings.scores import Blocks, Scores, estimates

AGGREGATES = {
    "mean": "the mean of a bot's games",
    "sum": "the sum of a bot's games",
    "median": "the median of a bot's games",
    "wins": "the share of a bot's games that it won",
}
METHODS = {"mean": "bootstrap-t", "sum": "bootstrap-t", "median": "order statistics", "wins": "binomial"}


@dataclass(frozen=True)
class Below:
    """How a bot compares with the next one of the table: told apart, or after about how many more games.

    `games` is None where they are apart, and where nobody can say.
    """

    apart: bool
    games: int | None = None


@dataclass(frozen=True)
class Standing:
    """One line of the table.

    `rank` counts by score alone, equal scores share it. `place` is 1 + how many are surely above, so who can't
    be told apart shares it. `best` and `worst` are the ranks in 95 % of the resamples, `first` is how often it
    leads in them.
    `group` numbers those that are connected by matches. Whatever can't be said is None.
    """

    rank: int
    bot: str
    score: float
    interval: Interval
    games: int
    blocks: int
    group: int = 0
    place: int | None = None
    best: int | None = None
    worst: int | None = None
    first: float | None = None
    below: Below | None = None
    rating: float | None = None

    def as_json(self, faults: Mapping[str, int]) -> dict[str, Any]:
        """The line as `--json` and the contest's page have it, with the bot's faults by kind."""
        return {
            "rank": self.rank,
            "place": self.place,
            "bot": self.bot,
            "score": self.score,
            "low": self.interval.low,
            "high": self.interval.high,
            "level": self.interval.level,
            "note": self.interval.note,
            "best": self.best,
            "worst": self.worst,
            "first": self.first,
            "below": None if self.below is None else {"apart": self.below.apart, "games": self.below.games},
            "rating": self.rating,
            "group": self.group,
            "games": self.games,
            "blocks": self.blocks,
            "faults": dict(faults),
        }


@dataclass(frozen=True)
class Standings:
    """The table, best first, and what its numbers mean."""

    aggregate: str
    least: int
    lines: list[Standing] = field(default_factory=list)
    captions: list[str] = field(default_factory=list)

    def as_json(self, faults: Mapping[str, Mapping[str, int]]) -> list[dict[str, Any]]:
        """The lines as JSON; `faults` by bot and kind."""
        return [line.as_json(dict(sorted(faults.get(line.bot, {}).items()))) for line in self.lines]


def least_blocks(convention: Convention) -> int:
    """From how many blocks on a game's standings have intervals."""
    return convention.blocks or LEAST[convention.aggregate]


def standings(
    scores: Scores, convention: Convention, ranked: Callable[[Blocks, str, Array], Ranks] = ranks
) -> Standings:
    """Everybody who scored, best first, whatever the order of the matches; `ranked` may know the ranks already."""
    aggregate, least = convention.aggregate, least_blocks(convention)
    if not len(scores):
        return Standings(aggregate, least)
    blocks = Blocks.of(scores, aggregate)
    score = estimates(blocks, aggregate)
    bounds = intervals(blocks, aggregate, least)
    pairs = compare(blocks, aggregate, ERROR / _pairs(blocks.bots), least)
    group = _by_score(groups(pairs.met), score)
    resampled = ranked(blocks, aggregate, group)
    rating = _ratings(scores, pairs.met, group)
    order = np.lexsort((-score, group)).tolist()
    places, games = _places(order, pairs.apart & (group[:, None] == group), group), scores.games
    lines = []
    for bot, after in zip(order, [*order[1:], None], strict=True):
        sure = blocks.played[bot] >= max(least, 2)
        lines.append(
            Standing(
                rank=1 + int(((score > score[bot]) & (group == group[bot])).sum()),
                bot=scores.names[bot],
                score=float(score[bot]),
                interval=bounds[bot],
                games=int(games[bot]),
                blocks=int(blocks.played[bot]),
                group=int(group[bot]),
                place=places[bot] if sure else None,
                best=int(resampled.best[bot]) if sure else None,
                worst=int(resampled.worst[bot]) if sure else None,
                first=float(resampled.first[bot]) if sure else None,
                below=_below(bot, after, pairs, blocks, group, least),
                rating=None if rating is None else float(rating[bot]),
            )
        )
    return Standings(aggregate, least, lines, _captions(lines, aggregate, least, _unmet(pairs.met, group)))


def _pairs(bots: int) -> int:
    return max(bots * (bots - 1) // 2, 1)


def _by_score(group: Array, score: Array) -> Array:
    """The groups numbered so that the one with the best score comes first."""
    best = [score[group == number].max() for number in range(group.max() + 1)]
    return np.argsort(np.argsort(-np.array(best), kind="stable"))[group]


def _places(order: Sequence[int], apart: Array, group: Array) -> dict[int, int]:
    """By bot: 1 + how many of its group are told apart from it and above it; never better than who has more."""
    above = 1 + apart.sum(axis=0)
    found: dict[int, int] = {}
    worst: dict[int, int] = {}
    for bot in order:
        number = int(group[bot])
        worst[number] = found[bot] = max(int(above[bot]), worst.get(number, 1))
    return found


def _below(bot: int, after: int | None, pairs: Pairs, blocks: Blocks, group: Array, least: int) -> Below | None:
    if after is None or group[bot] != group[after]:
        return None
    if pairs.apart[bot, after]:
        return Below(True)
    rows = blocks.rows(bot)
    have, games = len(rows), float(blocks.games[rows].mean())
    needed = pairs.needed(bot, after)
    more = None if needed is None else max(needed, least) - have
    return Below(False, None if more is None else max(1, round(max(more, 1) * games)))


def _unmet(met: Array, group: Array) -> bool:
    """Whether two of one group never met."""
    return bool(((met == 0) & (group[:, None] == group) & ~np.eye(len(met), dtype=bool)).any())


def _ratings(scores: Scores, met: Array, group: Array) -> Array | None:
    """Everybody's rating within its group, where it is of use and can be had."""
    if not _unmet(met, group) or not available():
        return None
    found = np.zeros(len(group))
    for number in range(group.max() + 1):
        bots = np.flatnonzero(group == number)
        found[bots] = ratings(scores, bots) if len(bots) > 1 else 1000.0
    return found


def _captions(lines: Sequence[Standing], aggregate: str, least: int, unmet: bool) -> list[str]:
    """What the numbers are, in plain words."""
    blocks = max(line.blocks for line in lines)
    size = max(round(line.games / line.blocks) for line in lines)
    what = AGGREGATES[aggregate]
    told = []
    if size > 1:
        if aggregate == "median":
            what = "the median of a bot's block medians"
        told.append(f"A block is {size} matches of the same bots at changing seats; it counts as one observation.")
    told.insert(0, f"Score: {what}.")
    unit = "games" if size == 1 else "blocks"
    levels = sorted({line.interval.level for line in lines if not line.interval.note})
    if levels:
        method = METHODS[aggregate] if (aggregate, size > 1) != ("wins", True) else "bootstrap-t"
        level = " to ".join(
            dict.fromkeys(f"{100 * level:.1f}".removesuffix(".0") for level in (levels[0], levels[-1]))
        )
        told.append(f"Interval: {level} %, by {method} over {blocks} {unit}.")
    if any(line.blocks < least for line in lines):
        few = f"fewer than {least} {unit}" if size == 1 else f"fewer than {least} blocks, {least * size} games"
        have = min(line.blocks for line in lines)
        told.append(f"No interval, no place: {few} for each bot (about {(least - have) * size} more would do).")
    if any(line.place is not None for line in lines):
        told.append("Who shares a place can't be told apart (a mistake anywhere in the table: 5 %). ")
        told[-1] += f"Ranks and the chance to be first: the {unit} drawn anew, 95 %."
    if any(line.group for line in lines):
        told.append("Groups that never met are not compared.")
    if unmet:
        told.append(
            "Not everybody met everybody: the rating (Plackett-Luce, 1000 on average) counts how strong those were."
            if available()
            else f"Not everybody met everybody: a rating beside the score needs a library: {INSTALL}"
        )
    return told
