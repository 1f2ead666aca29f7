"""Standings: a contest's bots, ordered by score, with the uncertainty of each number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from math import ceil
from typing import Any

import numpy as np

from koth.errors import visible
from koth.game import Array, ContestDefaults
from koth.standings.captions import explanations, notes
from koth.standings.chance import chance_to_be_first
from koth.standings.intervals import Interval, intervals
from koth.standings.paired import HORIZON, compare, least_blocks
from koth.standings.rating import MEAN, ratings
from koth.standings.scores import Blocks, Scores, estimates, matches_in_sum
from koth.standings.text import band_text, decimals_of, first_text, interval_text, more_text, number

COLUMNS = {
    "rank": "rank",
    "bot": "bot",
    "score": "score",
    "sure": "95 % sure",
    "first": "first",
    "behind_first": "behind the first",
    "interval": "interval",
    "rating": "rating",
    "matches": "matches",
    "faults": "faults",
}
"""The columns of standings: headings by key of `Standing.texts`, the same on every screen and page."""
SEPARATED, BEHIND, OPEN = "separated", "behind", "open"
"""Verdicts on a bot below another: worse with an error of 5 % over all bots, worse with an error of 5 % for this bot
alone, or open."""


@dataclass(frozen=True)
class Gap:
    """The gap between a bot and a better bot: points (0 or less), and the verdict.

    `reason` explains why a bot is not separated although a better bot is, or although the pair alone would be.
    `matches` is an estimate of the further matches of each bot that would separate both; None if both are separated,
    or if too many are needed.
    """

    points: float
    verdict: str
    reason: str = ""
    matches: int | None = None

    def text(self) -> str:
        """Return the gap as text."""
        reason = f": {visible(self.reason)}" if self.reason else ""
        return f"{number(self.points)}, {self.verdict}{reason}{more_text(self.matches)}"


@dataclass(frozen=True)
class Standing:
    """One bot's line of the standings.

    `rank` is by score alone; equal scores share a rank. `best` and `worst` bound the true rank, with an error of 5 %
    for this bot alone. `first` is the chance to be first, 0 if `best` is more than 1. `behind_first` and
    `behind_next` compare the bot with the first bot and with the bot above. `group` is the number of the group of
    `size` bots that matches connect; ranks count within the group. `narrow` is True if the interval is narrow enough
    to be shown, `missing` an estimate of the further matches until then, `coarsest` the decimals of the widest shown
    interval. Fields are None if there is no verdict yet.
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
        """The width of the interval; None if the interval is not shown."""
        low, high = self.interval.low, self.interval.high
        return None if not self.narrow or low is None or high is None else high - low

    def texts(self, faults: Mapping[str, int]) -> dict[str, str]:
        """Return the line's cells as text, by key of `COLUMNS`.

        `standing` is a short text for every line; `faults` counts the bot's faults by kind.
        """
        sure = band_text(self.best, self.worst)
        return {
            "rank": str(self.rank),
            "bot": visible(self.bot),
            "score": number(self.score),
            "sure": sure,
            "first": first_text(self.best, self.worst, self.first),
            "behind_first": "" if self.behind_first is None else self.behind_first.text(),
            "interval": interval_text(self.interval, self.narrow, self.missing, self.coarsest),
            "rating": "" if self.rating is None else f"{self.rating:,.0f}",
            "matches": f"{self.matches:,}",
            "faults": ", ".join(f"{count:,} {visible(kind)}" for kind, count in sorted(faults.items())) or "none",
            "standing": f"{self.rank} of {self.size}" + (f" (95 % sure: {sure})" if sure else ""),
        }

    def as_json(self, faults: Mapping[str, int]) -> dict[str, Any]:
        """Return the line for `--json` and the contest's page; `faults` counts the bot's faults by kind."""
        line = asdict(self)
        interval = line.pop("interval")
        del line["missing"], line["coarsest"]
        return {**line, **interval, "faults": dict(faults), "texts": self.texts(faults)}


def flat_row(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return a line of `Standing.as_json` as a spreadsheet's row: gaps as columns, faults as text."""
    row = {key: value for key, value in line.items() if key not in ("texts", "behind_first", "behind_next", "faults")}
    for key in ("behind_first", "behind_next"):
        gap = line[key] or {"points": None, "verdict": None}
        row[key], row[f"{key}_verdict"] = gap["points"], gap["verdict"]
    return {**row, "faults": " ".join(f"{visible(kind)}:{count}" for kind, count in line["faults"].items())}


@dataclass(frozen=True)
class Standings:
    """The standings, best bot first; `notes` on the contest, and `explanations` of the columns."""

    aggregate: str
    least: int
    lines: list[Standing] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    explanations: list[str] = field(default_factory=list)

    @property
    def order(self) -> list[str]:
        """The bots, best first."""
        return [line.bot for line in self.lines]

    @property
    def ranks(self) -> dict[str, tuple[int, int]]:
        """The group and rank of each bot."""
        return {line.bot: (line.group, line.rank) for line in self.lines}

    @property
    def columns(self) -> dict[str, str]:
        """Return the headings of the columns that have content, by key of `COLUMNS`."""
        verdicts = len(self.lines) > 1 and any(line.best is not None for line in self.lines)
        rated = any(line.rating is not None for line in self.lines)
        has_content = {"sure": verdicts, "first": verdicts, "behind_first": verdicts, "rating": rated}
        return {key: head for key, head in COLUMNS.items() if has_content.get(key, True)}

    def as_json(self, faults: Mapping[str, Mapping[str, int]]) -> list[dict[str, Any]]:
        """Return the lines as JSON; `faults` counts faults by bot and kind."""
        return [line.as_json(dict(sorted(faults.get(line.bot, {}).items()))) for line in self.lines]


def standings(scores: Scores, defaults: ContestDefaults, asked: int | None = None) -> Standings:
    """Return the standings of matches in any order; `asked` is the requested number of matches."""
    aggregate, least = defaults.aggregate, least_blocks(defaults, len(scores.names))
    if not len(scores):
        return Standings(aggregate, least)
    blocks = Blocks.of(scores, aggregate)
    table = _Table(scores, blocks, defaults, matches_in_sum(blocks, asked), least)
    lines = table.lines()
    how = explanations(aggregate, lines, table.matches, is_rated=table.rating is not None)
    return Standings(aggregate, least, lines, notes(lines, least), how)


class _Table:
    def __init__(self, scores: Scores, blocks: Blocks, defaults: ContestDefaults, matches: int, least: int) -> None:
        self.names, self.blocks, self.defaults = scores.names, blocks, defaults
        self.aggregate, self.least = defaults.aggregate, least
        self.paired = paired = compare(blocks, self.aggregate, least)
        self.matches, self.factor = matches, matches if defaults.aggregate == "sum" else 1
        self.score = estimates(blocks, self.aggregate, matches)
        self.group = _by_score(paired.group, self.score)
        self.intervals = intervals(blocks, self.aggregate, self.least)
        candidates = np.logical_not(paired.alone.any(axis=0))
        self.first = chance_to_be_first(blocks, self.aggregate, self.group, candidates)
        same_group = self.group[:, None] == self.group
        self.above = (self.score > self.score[:, None]) & same_group  # [bot, other]: the other has a better score
        self.unmet = bool(((paired.shared == 0) & same_group & ~np.eye(len(self.score), dtype=bool)).any())
        self.rating = self._ratings(scores) if self.unmet and defaults.rank_by == "rating" else None

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
        interval = self._scale(self.intervals[bot])
        narrow, missing = self._narrowness(bot, interval)
        return Standing(
            rank=1 + int(self.above[bot].sum()),
            bot=self.names[bot],
            score=float(self.score[bot]),
            interval=interval,
            matches=int(self.blocks.matches_each[bot]),
            blocks=int(self.blocks.played[bot]),
            group=int(self.group[bot]),
            size=size,
            best=1 + int(self.paired.alone[:, bot].sum()) if verdict else None,
            worst=size - int(self.paired.alone[bot].sum()) if verdict else None,
            first=float(self.first[bot]) if verdict else None,
            behind_first=None if above is None else self._gap(bot, leader, self._is_late(bot, leader)),
            behind_next=None if above is None else self._gap(bot, above),
            rating=None if self.rating is None else float(self.rating[bot]),
            narrow=narrow,
            missing=missing,
        )

    def _scale(self, interval: Interval) -> Interval:
        """Convert an interval of the mean match to an interval of the score, within the range of scores."""
        if interval.note:
            return interval
        least, most = self.defaults.score_range or (None, None)
        low = least if interval.low is None else max(interval.low, -np.inf if least is None else least)
        high = most if interval.high is None else min(interval.high, np.inf if most is None else most)
        low, high = (None if bound is None else float(bound) * self.factor for bound in (low, high))
        return Interval(low, high, interval.level)

    def _gap(self, bot: int, other: int, is_late: bool = False) -> Gap:
        points, paired = float(self.score[bot] - self.score[other]), self.paired
        if paired.significant[other, bot]:
            return Gap(points, SEPARATED)
        holder = paired.holder(other, bot)
        reason = "fewer matches" if is_late else "" if holder is None else f"waits for {self.names[holder]}"
        missing = paired.missing(other, bot)
        if missing is not None:
            missing = self._in_matches(bot, max(missing, self.least - int(paired.blocks[other, bot])))
        return Gap(points, BEHIND if paired.alone[other, bot] else OPEN, reason, missing)

    def _is_late(self, bot: int, leader: int) -> bool:
        """Return whether a bot is not separated from the leader although a better bot is."""
        separated = self.paired.significant[leader]
        return bool((separated & self.above[bot]).any() and not separated[bot])

    def _narrowness(self, bot: int, interval: Interval) -> tuple[bool, int | None]:
        """Return whether an interval is narrower than the score (or half the range), and the matches until then."""
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
        return max(1, round(max(blocks, 1) * int(self.blocks.matches_each[bot]) / int(self.blocks.played[bot])))

    def _ratings(self, scores: Scores) -> Array:
        found = np.full(len(self.group), MEAN)
        for group in range(self.group.max() + 1):
            bots = np.flatnonzero(self.group == group)
            found[bots] = ratings(scores, bots) if len(bots) > 1 else MEAN
        return found


def _by_score(group: Array, score: Array) -> Array:
    """Renumber the groups by best score, the highest first."""
    best = [score[group == one].max() for one in range(group.max() + 1)]
    return np.argsort(np.argsort(-np.array(best), kind="stable"))[group]
