"""The results of a study as rows: each bot's score in each round, and differences with intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from statistics import fmean
from typing import Any

import numpy as np

from koth.contest.record import read_record
from koth.escaping import csv_table
from koth.files.beneath import write_beneath
from koth.standings.difference import Difference, mean_interval
from koth.standings.paired import ALPHA
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

    @cached_property
    def rounds(self) -> list[dict[str, Row]]:
        """The rows by bot, for each round from the first on. Raises KothError."""
        found: list[dict[str, Row]] = []
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

    def differences(self) -> Iterator[Row]:
        """Yield the differences between each author's first and last bot, and between authors' last bots."""
        if not self.rounds:
            return
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
            "other": b, "same_bytes": first == second != "", "matches": len(matches),
        }  # fmt: skip
        if first == second or not matches:
            known = 0.0 if first == second != "" else None
            return {**row, "difference": known, "low": known, "high": known}
        scores = Scores.of((block, {"0": one, "1": other}) for block, (one, other) in matches)
        found = Difference.of(scores, self.planned.game.contest_defaults)
        return {**row, "difference": found.value, "low": found.low, "high": found.high}


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
    def read(cls, study: Study, digests: Mapping[str, Mapping[str, str]]) -> StudyResults:
        """Read the results so far; `digests` are the yardsticks' digests by game and name. Raises KothError."""
        rounds: list[Row] = []
        differences: list[Row] = []
        for name, planned in study.games.items():
            repetitions = range(1, study.options.repetitions + 1)
            series = [SeriesResults(study, planned, number, digests[name]) for number in repetitions]
            rounds += [row for each in series for played in each.rounds for row in played.values()]
            whole = [each for each in series if len(each.rounds) == study.options.rounds + 1]
            found = [list(each.differences()) for each in whole]
            differences += [row for rows in found for row in rows]
            differences += [_mean_row(rows) for rows in zip(*found, strict=True)] if len(found) > 1 else []
        return cls(study, rounds, differences)

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
        "difference": mean,
        "low": low,
        "high": high,
    }


def student_interval(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Return Student's 95 % interval of a mean; None and None if all values are equal (no variance)."""
    return mean_interval(np.array(values), 0.0, ALPHA) if len(set(values)) > 1 else (None, None)
