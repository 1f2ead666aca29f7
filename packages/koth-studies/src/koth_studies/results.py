"""The results of a study as rows: each bot's score in each round, and differences with intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from operator import itemgetter
from statistics import fmean
from typing import Any

import numpy as np

from koth.contest.record import read_record
from koth.escaping import csv_table
from koth.files.beneath import write_beneath
from koth.game import Array
from koth.standings.difference import Difference, mean_interval
from koth.standings.paired import ALPHA, HORIZON
from koth.standings.scores import Blocks, Scores, aggregate_of_match, estimates
from koth_studies.contests import measurement_folder, read_scores
from koth_studies.plan import MEASURED, PlannedGame, Study
from koth_studies.record import BOTS, CONTEST, ROUND, ROUND_SHAPE, read_file
from koth_studies.series import series_folder
from koth_studies.turns import BOTS_SHAPE

Row = dict[str, Any]
AMONG_YARDSTICKS, IN_CONTEST = "yardsticks", "contest"
"""The sources of a score: the measurement among the yardsticks, and the round's contest."""
GAIN_ROW, LEAD_ROW = "last - first", "author - author"
"""Kinds of differences: an author's last bot minus first bot, and an author's bot minus another author's."""
ALL_REPETITIONS = "all"
"""The `repetition` of rows with means over all repetitions."""


class SeriesResults:
    """The results of finished rounds, of one game in one repetition."""

    def __init__(self, study: Study, planned: PlannedGame, repetition: int, digests: Mapping[str, str]) -> None:
        self.study, self.planned, self.repetition = study, planned, repetition
        self._digests = digests
        self.folder = series_folder(study, planned.game.name, repetition)
        self._how = aggregate_of_match(planned.game.contest_defaults.aggregate)
        self._measured = cache(self._read_measured)
        self._rounds: list[dict[str, Row]] = []

    @property
    def rounds(self) -> list[dict[str, Row]]:
        """The rows by bot, for each finished round from the first on. Raises KothError."""
        found = self._rounds
        while len(found) <= self.study.options.rounds and (self.folder / str(len(found)) / ROUND).exists():
            found.append(self._round(len(found)))
        return found

    def _round(self, number: int) -> dict[str, Row]:
        folder = self.folder / str(number)
        about, bots = read_file(folder, ROUND, ROUND_SHAPE), read_file(folder, BOTS, BOTS_SHAPE)
        yardsticks = {name: {"version": None, "digest": digest} for name, digest in self._digests.items()}
        names = [entry["name"] for entry in read_record(folder / CONTEST)["bots"]]
        played = read_scores(folder / CONTEST, names)
        scores = self._scores(list(played.values()), names)
        rows: dict[str, Row] = {}
        everyone = {**bots, **yardsticks}
        for name, its in everyone.items():
            same = [other for other, one in everyone.items() if one["digest"] == its["digest"] != ""]
            pooled = [scores[other] for other in same if other in scores]
            measured = self._measured(its["digest"])
            score = self._scores(list(measured.values()), (MEASURED,)).get(MEASURED)
            rows[name] = {
                "game": self.planned.game.name, "repetition": self.repetition, "round": number, "bot": name,
                "is_yardstick": name in yardsticks, "score": score, "matches": len(measured),
                "contest_score": fmean(pooled) if pooled else None, "contest_matches": len(played) * (name in scores),
                "same_bytes": " ".join(other for other in same if other != name), **_flatten(its), **about,
            }  # fmt: skip
        return rows

    def _read_measured(self, digest: str) -> dict[int, tuple[int, tuple[float, ...]]]:
        return read_scores(measurement_folder(self.folder, digest), [MEASURED]) if digest else {}

    def _scores(self, matches: Sequence[tuple[int, tuple[float, ...]]], names: Sequence[str]) -> dict[str, float]:
        """Return each bot's score in points per match; empty without a match."""
        scores = Scores.of((block, dict(zip(names, row, strict=True))) for block, row in matches)
        found = estimates(Blocks.of(scores, self._how), self._how).tolist()
        return dict(zip(scores.names, found, strict=True))

    # --- differences

    @property
    def differences(self) -> list[Row]:
        """The differences between each author's first and last bot, and authors' last bots, after the last round."""
        return self._differences if len(self.rounds) == self.study.options.rounds + 1 else []

    @cached_property
    def _differences(self) -> list[Row]:
        return list(self._find_differences())

    def _find_differences(self) -> Iterator[Row]:
        first, last = self.rounds[0], self.rounds[-1]
        for name in self.study.authors:
            one, other = first[name]["digest"], last[name]["digest"]
            yield self._row(GAIN_ROW, AMONG_YARDSTICKS, name, "", one, other, self._pairs(one, other))
        for a, b in combinations(self.study.authors, 2):
            one, other = last[b]["digest"], last[a]["digest"]
            yield self._row(LEAD_ROW, AMONG_YARDSTICKS, a, b, one, other, self._pairs(one, other))
            met = list(read_scores(self.folder / str(len(self.rounds) - 1) / CONTEST, [b, a]).values())
            yield self._row(LEAD_ROW, IN_CONTEST, a, b, one, other, met)

    def _pairs(self, first: str, second: str) -> list[tuple[int, tuple[float, ...]]]:
        """Return the block and both scores of each match that two measured bots played on the same board."""
        one, other = self._measured(first), self._measured(second)
        return [(block, (*score, *other[match][1])) for match, (block, score) in one.items() if match in other]

    def _row(
        self,
        what: str,
        source: str,
        a: str,
        b: str,
        first: str,
        second: str,
        matches: list[tuple[int, tuple[float, ...]]],
    ) -> Row:
        """Return the row of a difference, second minus first; 0 if both bots have the same files."""
        row = {
            "game": self.planned.game.name, "repetition": self.repetition, "what": what, "by": source, "bot": a,
            "other": b, "same_bytes": first == second != "", "matches": len(matches), "repetitions": 1,
            "difference": None, "low": None, "high": None, "p": None, "p_holm": None, "more_repetitions": None,
        }  # fmt: skip
        if first == second or not matches:
            known = 0.0 if first == second != "" else None
            return {**row, "difference": known, "low": known, "high": known}
        scores = Scores.of((block, {"0": one, "1": other}) for block, (one, other) in matches)
        found = Difference.of(scores, self.planned.game.contest_defaults)
        p = float(found.paired.own[1, 0])
        return {**row, "difference": found.value, "low": found.low, "high": found.high, "p": p}


def _flatten(content: Mapping[str, Any]) -> Row:
    """Return a row without nested objects: inner keys get the outer key as a prefix."""
    parts = {key: value if isinstance(value, Mapping) else None for key, value in content.items()}
    plain = {key: value for key, value in content.items() if parts[key] is None}
    return {**plain, **{f"{key}_{name}": one for key, its in parts.items() for name, one in (its or {}).items()}}


@dataclass(frozen=True)
class StudyResults:
    """The results of a study so far, as rows for `pandas.DataFrame(results.rounds)`."""

    study: Study
    rounds: list[Row]
    """A row for each game, repetition, round and bot; scores are points per match."""
    differences: list[Row]
    """A row for each difference in each repetition, and for the mean over all repetitions with Student's interval."""

    @classmethod
    def of(cls, study: Study, all_series: Sequence[SeriesResults]) -> StudyResults:
        """Read the results so far of these series. Raises KothError."""
        rounds: list[Row] = []
        differences: list[Row] = []
        for planned in study.games.values():
            series = [each for each in all_series if each.planned is planned]
            rounds += [row for each in series for played in each.rounds for row in played.values()]
            found = [each.differences for each in series if each.differences]
            differences += [row for rows in found for row in rows]
            differences += [_mean_row(rows) for rows in zip(*found, strict=True)] if len(found) > 1 else []
        return cls(study, rounds, _correct(differences))

    def write(self) -> None:
        """Write rounds and differences as CSV files to the study's folder. Raises OSError."""
        for name, rows in (("rounds.csv", self.rounds), ("differences.csv", self.differences)):
            with write_beneath(self.study.folder, name) as file:
                file.write(csv_table(rows).encode())


def _mean_row(rows: Sequence[Row]) -> Row:
    """Return a row with the mean of a difference over repetitions, and Student's interval."""
    values = [row["difference"] for row in rows if row["difference"] is not None]
    same = all(row["same_bytes"] for row in rows)
    low, high = (0.0, 0.0) if same else student_interval(values)
    mean = fmean(values) if values else None
    total = sum(row["matches"] for row in rows)
    return {
        **rows[0],
        "repetition": ALL_REPETITIONS,
        "same_bytes": same,
        "matches": total,
        "repetitions": len(values),
        "difference": mean,
        "low": low,
        "high": high,
        "p": None if same or low is None else _student_p(np.array(values)),
    }


def _student_p(values: Array) -> float:
    """Return the two-sided p-value of Student's test that a mean is 0."""
    from scipy import special

    count = len(values)
    return float(2 * special.stdtr(count - 1, -abs(values.mean()) / values.std(ddof=1) * count**0.5))


def _correct(rows: list[Row]) -> list[Row]:
    """Add p-values by Holm's procedure (1979), over all differences of a repetition, and the repetitions missing."""
    for repetition in {row["repetition"] for row in rows}:
        tested = [row for row in rows if row["repetition"] == repetition and row["p"] is not None]
        least = 0.0
        for place, row in enumerate(sorted(tested, key=itemgetter("p"))):
            row["p_holm"] = least = min(max(least, row["p"] * (len(tested) - place)), 1.0)
            if row["p"] > 0 and repetition == ALL_REPETITIONS:
                row["more_repetitions"] = more_repetitions(row["repetitions"], row["p"], row["p_holm"] / row["p"])
    return rows


def more_repetitions(count: int, p: float, factor: float) -> int | None:
    """Return after how many more repetitions `factor` times the p-value of Student's test is at most `ALPHA`.

    That is an estimate, for a mean that stays as it is; None if `HORIZON` times as many would not do.
    """
    from scipy import special

    counts = np.arange(count, HORIZON * count + 1)
    statistic = -special.stdtrit(count - 1, p / 2) * np.sqrt(counts / count)
    enough = np.flatnonzero(factor * 2 * special.stdtr(counts - 1, -statistic) <= ALPHA)
    return int(enough[0]) if len(enough) else None


def student_interval(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Return Student's 95 % interval of a mean; None and None if all values are equal (no variance)."""
    return mean_interval(np.array(values), 0.0, ALPHA) if len(set(values)) > 1 else (None, None)
