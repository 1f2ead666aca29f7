"""Standings: the table of a contest, ordered by score, each number with its uncertainty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any

import numpy as np

from koth.errors import visible
from koth.game import Array, ContestDefaults
from koth.standings.chance import chance_to_be_first
from koth.standings.intervals import Interval, intervals
from koth.standings.paired import HORIZON, compare, least_blocks
from koth.standings.rating import MEAN, ratings
from koth.standings.scores import Blocks, Scores, counted_matches, estimates
from koth.standings.text import band_text, chance_text, decimals_of, interval_text, more_text, number

AGGREGATES = {
    "mean": "the mean of a bot's matches",
    "sum": "the mean of a bot's matches, times {matches}",
    "median": "the median of a bot's matches",
    "wins": "the share of a bot's matches that it won",
}
OF_BLOCK_MEDIANS = "the median of a bot's block medians"
METHODS = {"mean": "bootstrap-t", "sum": "bootstrap-t", "median": "order statistics", "wins": "Clopper-Pearson"}
COLUMNS = {
    "rank": "rank",
    "could_be": "could be",
    "bot": "bot",
    "score": "score",
    "interval": "interval",
    "first": "chance to be first",
    "behind_first": "behind the first",
    "rating": "rating",
    "matches": "matches",
    "faults": "faults",
}
"""The columns of the table by key of `Standing.texts`, with their heads: the same on every screen and page."""
NAMED = 4
"""The most pairs of neighbours that a caption names."""


@dataclass(frozen=True)
class Gap:
    """The distance of a bot to a better one: points (0 or less), and whether the two are separated (family-wise 5 %).

    `matches` is about how many more matches of each would separate them; None if they are separated, or if too many
    would be needed.
    """

    points: float
    separated: bool
    matches: int | None = None

    def text(self) -> str:
        """Return the gap as text."""
        if self.separated:
            return f"{number(self.points)}, separated"
        return f"{number(self.points)}, not separated{more_text(self.matches)}"


@dataclass(frozen=True)
class Standing:
    """One line of the table.

    `rank` counts by score alone, equal scores share it. `best` and `worst` bound the ranks that the bot may truly
    have: between the bots that are significantly above and below it. `first` is its chance to be first.
    `behind_first` and `behind_next` compare it with the first and with the bot above. `group` numbers bots that
    matches connect; ranks count within its `size` bots. `narrow` says whether the interval is narrow enough to be
    shown, `missing` about how many more matches that takes, `coarsest` are the decimals of the widest one that is
    shown. Fields are None where there is no verdict yet.
    """

    rank: int
    bot: str
    score: float
    interval: Interval
    matches: int
    blocks: int
    group: int = 0
    size: int = 1
    best: int | None = None
    worst: int | None = None
    first: float | None = None
    behind_first: Gap | None = None
    behind_next: Gap | None = None
    rating: float | None = None
    narrow: bool = False
    missing: int | None = None
    coarsest: int | None = None

    @property
    def width(self) -> float | None:
        """The width of the interval, if it is shown."""
        low, high = self.interval.low, self.interval.high
        return None if not self.narrow or low is None or high is None else high - low

    def texts(self, faults: Mapping[str, int]) -> dict[str, str]:
        """Return the cells of the line as text, by `COLUMNS`, and its `standing` among the others.

        `faults` counts the bot's faults by kind.
        """
        could_be = band_text(self.best, self.worst)
        return {
            "rank": str(self.rank),
            "could_be": could_be,
            "bot": visible(self.bot),
            "score": number(self.score),
            "interval": interval_text(self.interval, self.narrow, self.missing, self.coarsest),
            "first": chance_text(self.first),
            "behind_first": "" if self.behind_first is None else self.behind_first.text(),
            "rating": "" if self.rating is None else f"{self.rating:,.0f}",
            "matches": f"{self.matches:,}",
            "faults": ", ".join(f"{count} {visible(kind)}" for kind, count in sorted(faults.items())) or "none",
            "standing": f"{self.rank} of {self.size}" + (f" (could be {could_be})" if could_be else ""),
        }

    def as_json(self, faults: Mapping[str, int]) -> dict[str, Any]:
        """Return the line for `--json` and the contest's page, with the bot's faults by kind."""
        return {
            "rank": self.rank,
            "best": self.best,
            "worst": self.worst,
            "bot": self.bot,
            "score": self.score,
            "low": self.interval.low,
            "high": self.interval.high,
            "level": self.interval.level,
            "note": self.interval.note,
            "narrow": self.narrow,
            "first": self.first,
            "behind_first": _gap_json(self.behind_first),
            "behind_next": _gap_json(self.behind_next),
            "rating": self.rating,
            "group": self.group,
            "size": self.size,
            "matches": self.matches,
            "blocks": self.blocks,
            "faults": dict(faults),
            "texts": self.texts(faults),
        }


def _gap_json(gap: Gap | None) -> dict[str, Any] | None:
    return None if gap is None else {"points": gap.points, "separated": gap.separated, "matches": gap.matches}


def flat_row(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return a line of `Standing.as_json` as a row of a spreadsheet, with gaps in columns and faults as text."""
    row = {key: value for key, value in line.items() if key not in ("texts", "behind_first", "behind_next", "faults")}
    for key in ("behind_first", "behind_next"):
        gap = line[key] or {"points": None, "separated": None}
        row[key], row[f"{key}_separated"] = gap["points"], gap["separated"]
    return {**row, "faults": " ".join(f"{visible(kind)}:{count}" for kind, count in line["faults"].items())}


@dataclass(frozen=True)
class Standings:
    """The table, best first, and captions that explain its numbers."""

    aggregate: str
    least: int
    lines: list[Standing] = field(default_factory=list)
    captions: list[str] = field(default_factory=list)

    @property
    def columns(self) -> dict[str, str]:
        """The columns that have content: heads by key of `COLUMNS`."""
        verdicts = len(self.lines) > 1 and any(line.best is not None for line in self.lines)
        rated = any(line.rating is not None for line in self.lines)
        has_content = {"could_be": verdicts, "first": verdicts, "behind_first": verdicts, "rating": rated}
        return {key: head for key, head in COLUMNS.items() if has_content.get(key, True)}

    def as_json(self, faults: Mapping[str, Mapping[str, int]]) -> list[dict[str, Any]]:
        """Return the lines as JSON; `faults` by bot and kind."""
        return [line.as_json(dict(sorted(faults.get(line.bot, {}).items()))) for line in self.lines]


def standings(scores: Scores, defaults: ContestDefaults, asked: int | None = None) -> Standings:
    """Return the standings of these matches, whatever their order; `asked` is the number of matches requested."""
    aggregate, least = defaults.aggregate, least_blocks(defaults, len(scores.names))
    if not len(scores):
        return Standings(aggregate, least)
    blocks = Blocks.of(scores, aggregate)
    table = _Table(scores, blocks, defaults, counted_matches(blocks, asked), least)
    lines = table.lines()
    return Standings(aggregate, least, lines, table.captions(lines))


class _Table:
    """The computation of one table."""

    def __init__(self, scores: Scores, blocks: Blocks, defaults: ContestDefaults, matches: int, least: int) -> None:
        self.names, self.blocks, self.defaults = scores.names, blocks, defaults
        self.aggregate, self.least = defaults.aggregate, least
        self.paired = paired = compare(blocks, self.aggregate, least)
        self.matches, self.factor = matches, matches if defaults.aggregate == "sum" else 1
        self.score = estimates(blocks, self.aggregate, matches)
        self.group = _by_score(paired.group, self.score)
        self.intervals = intervals(blocks, self.aggregate, self.least)
        self.first = chance_to_be_first(blocks, self.aggregate, self.group)
        same_group = self.group[:, None] == self.group
        self.above = (self.score > self.score[:, None]) & same_group  # [bot, other]: the other has a better score
        self.unmet = bool(((paired.shared == 0) & same_group & ~np.eye(len(self.score), dtype=bool)).any())
        self.rating = self._ratings(scores) if self.unmet else None

    def lines(self) -> list[Standing]:
        """Return the lines, best first, group by group."""
        order = np.lexsort((-self.score, self.group)).tolist()
        lines = [
            self._line(bot, order[index - 1] if index and self.group[order[index - 1]] == self.group[bot] else None)
            for index, bot in enumerate(order)
        ]
        coarsest = min((decimals_of(width) for line in lines if (width := line.width) is not None), default=None)
        return [replace(line, coarsest=coarsest) for line in lines]

    def _line(self, bot: int, above: int | None) -> Standing:
        verdict = self.blocks.played[bot] >= self.least
        leader = int(np.argmax(np.where(self.group == self.group[bot], self.score, -np.inf)))
        size = int((self.group == self.group[bot]).sum())
        interval = self._scaled(self.intervals[bot])
        narrow, missing = self._narrowness(bot, interval)
        return Standing(
            rank=1 + int(self.above[bot].sum()),
            bot=self.names[bot],
            score=float(self.score[bot]),
            interval=interval,
            matches=int(self.blocks.matches[bot]),
            blocks=int(self.blocks.played[bot]),
            group=int(self.group[bot]),
            size=size,
            best=1 + int(self.paired.significant[:, bot].sum()) if verdict else None,
            worst=size - int(self.paired.significant[bot].sum()) if verdict else None,
            first=float(self.first[bot]) if verdict else None,
            behind_first=None if above is None else self._gap(bot, leader),
            behind_next=None if above is None else self._gap(bot, above),
            rating=None if self.rating is None else float(self.rating[bot]),
            narrow=narrow,
            missing=missing,
        )

    def _scaled(self, interval: Interval) -> Interval:
        """Convert an interval of the mean match to one of the score, within the range of scores."""
        if interval.note:
            return interval
        least, most = self.defaults.score_range or (None, None)
        low = least if interval.low is None else max(interval.low, -np.inf if least is None else least)
        high = most if interval.high is None else min(interval.high, np.inf if most is None else most)
        low, high = (None if bound is None else float(bound) * self.factor for bound in (low, high))
        return Interval(low, high, interval.level)

    def _gap(self, bot: int, other: int) -> Gap:
        points = float(self.score[bot] - self.score[other])
        if self.paired.significant[other, bot]:
            return Gap(points, True)
        needed = self.paired.needed(other, bot)
        played = int(self.paired.blocks[other, bot])
        missing = None if needed is None else max(needed, self.least) - played
        return Gap(points, False, None if missing is None else self._in_matches(bot, missing))

    def _narrowness(self, bot: int, interval: Interval) -> tuple[bool, int | None]:
        """Return whether an interval is narrower than the score (or half its range), else about how many matches that
        takes.
        """
        if interval.low is None or interval.high is None:
            return False, None
        width, span = interval.high - interval.low, self.defaults.score_range
        limit = max(abs(float(self.score[bot])), self.factor * (span[1] - span[0]) / 2 if span else 0.0)
        if width < limit:
            return True, None
        wider = (width / limit) ** 2 if limit else np.inf
        played = int(self.blocks.played[bot])
        return False, self._in_matches(bot, ceil(wider * played) - played) if wider <= HORIZON else None

    def _in_matches(self, bot: int, blocks: int) -> int:
        return max(1, round(max(blocks, 1) * int(self.blocks.matches[bot]) / int(self.blocks.played[bot])))

    def _ratings(self, scores: Scores) -> Array:
        """Return the rating of each bot within its group."""
        found = np.full(len(self.group), MEAN)
        for group in range(self.group.max() + 1):
            bots = np.flatnonzero(self.group == group)
            found[bots] = ratings(scores, bots) if len(bots) > 1 else MEAN
        return found

    def captions(self, lines: Sequence[Standing]) -> list[str]:
        """Return captions that explain the numbers."""
        size = max(round(line.matches / line.blocks) for line in lines)
        unit = "matches" if size == 1 else "blocks"
        score = AGGREGATES[self.aggregate].format(matches=self.matches)
        captions = [f"Score: {OF_BLOCK_MEDIANS if self.aggregate == 'median' and size > 1 else score}."]
        if size > 1:
            captions.append(
                f"A block is {size} matches of the same bots at changing seats; it counts as one observation."
            )
        captions += self._about_intervals(lines, size, unit)
        captions += self._about_verdicts(lines, size, unit)
        gaps = [
            gap for line in lines for gap in (line.behind_first, line.behind_next) if gap and line.best is not None
        ]
        if any(
            missing is not None for missing in (*(line.missing for line in lines), *(gap.matches for gap in gaps))
        ):
            captions.append("In brackets: about how many more matches of each bot it would take.")
        if any(line.group for line in lines):
            captions.append("Groups that never met are not compared.")
        if self.unmet:
            captions.append(
                "Not all bots met: the rating (Plackett-Luce, 1000 on average) counts how strong a bot's rivals were."
            )
        return captions

    def _about_intervals(self, lines: Sequence[Standing], size: int, unit: str) -> list[str]:
        levels = sorted({line.interval.level for line in lines if not line.interval.note})
        if not levels:
            return []
        method = METHODS[self.aggregate] if (self.aggregate, size > 1) != ("wins", True) else "bootstrap-t"
        level = " to ".join(
            dict.fromkeys(f"{100 * level:.1f}".removesuffix(".0") for level in (levels[0], levels[-1]))
        )
        played = max(line.blocks for line in lines)
        captions = [f"Interval: {level} %, by {method} over {played} {unit}."]
        if any(not line.narrow and not line.interval.note for line in lines):
            captions[0] += " Too wide: wider than the score itself."
        return captions

    def _about_verdicts(self, lines: Sequence[Standing], size: int, unit: str) -> list[str]:
        captions = []
        fewest = min(line.blocks for line in lines)
        if fewest < self.least and len(lines) > 1:
            in_blocks = "" if size == 1 else f" ({self.least * size} matches)"
            missing = (self.least - fewest) * size
            captions.append(f"No verdict before {self.least} {unit}{in_blocks} of each bot: {missing} more matches.")
        if any(line.best is not None for line in lines):
            captions.append(
                'Rank: by score. "Could be": the ranks that the matches leave open; bots are separated with an error '
                f"of 5 % in the whole table. Chance to be first: by resampling {unit}."
            )
        gaps = [(line.bot, line.behind_next) for line in lines if line.best is not None and line.behind_next]
        near = [f"{visible(bot)}{more_text(gap.matches)}" for bot, gap in gaps if not gap.separated]
        if near:
            rest = f" and {len(near) - NAMED} more" if near[NAMED:] else ""
            captions.append(f"Not separated from the bot above: {', '.join(near[:NAMED])}{rest}.")
        return captions


def _by_score(group: Array, score: Array) -> Array:
    """Return the groups numbered by their best scores, the highest first."""
    best = [score[group == one].max() for one in range(group.max() + 1)]
    return np.argsort(np.argsort(-np.array(best), kind="stable"))[group]
