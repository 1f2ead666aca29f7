"""The results of a study as rows: what each bot scored in each round, and differences with their intervals."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from io import StringIO
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from koth.contest.record import read_record
from koth.files.beneath import write_beneath
from koth.standings.difference import Difference, mean_interval
from koth.standings.paired import ALPHA
from koth.standings.scores import Blocks, Scores, aggregate_of_match, estimates
from koth.studies.contests import measurement_folder, read_scores
from koth.studies.plan import MEASURED, PlannedGame, Study
from koth.studies.record import BOTS, BOTS_SHAPE, CONTEST, ROUND, ROUND_SHAPE, read_file
from koth.studies.series import series_folder

Row = dict[str, Any]
AMONG_YARDSTICKS, IN_CONTEST = "yardsticks", "contest"
"""The sources of a score: the contest among the yardsticks, and the round's contest."""
GAIN_ROW, LEAD_ROW = "last - first", "author - author"
"""Kinds of differences."""
ALL_REPETITIONS = "all"
"""The repetition of a row that has the mean over all of them."""


@dataclass(frozen=True)
class RoundResult:
    """What came of a round: of each bot by name a row, and the digest of what played."""

    folder: Path
    rows: Mapping[str, Row]

    def digest(self, bot: str) -> str:
        """Return the digest of a bot; empty if none of this name played."""
        return str(self.rows[bot]["digest"])


class SeriesResults:
    """The results of the rounds of one game in one repetition that are over."""

    def __init__(self, study: Study, planned: PlannedGame, repetition: int, digests: Mapping[str, str]) -> None:
        self.study, self.planned, self.repetition = study, planned, repetition
        self._digests = digests
        self.folder = series_folder(study, planned.game.name, repetition)
        self._how = aggregate_of_match(planned.game.contest_defaults.aggregate)
        self._measured = cache(self._read_measured)

    @cached_property
    def rounds(self) -> list[RoundResult]:
        """The rounds, from the first one. Raises KothError."""
        found: list[RoundResult] = []
        while len(found) <= self.study.options.rounds and (self.folder / str(len(found)) / ROUND).exists():
            found.append(self._round(len(found)))
        return found

    def _round(self, number: int) -> RoundResult:
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
        return RoundResult(folder, rows)

    def _read_measured(self, digest: str) -> dict[int, tuple[int, tuple[float, ...]]]:
        return read_scores(measurement_folder(self.folder, digest), [MEASURED]) if digest else {}

    def _scores(self, matches: Sequence[tuple[int, tuple[float, ...]]], names: Sequence[str]) -> dict[str, float]:
        """Return the score of each bot in points of a match; none without a match."""
        scores = Scores.of((block, dict(zip(names, row, strict=True))) for block, row in matches)
        found = estimates(Blocks.of(scores, self._how), self._how).tolist()
        return dict(zip(scores.names, found, strict=True))

    # --- differences

    def differences(self) -> Iterator[Row]:
        """Yield the differences of this repetition, of authors' bots in the first and the last round that is over."""
        if not self.rounds:
            return
        first, last = self.rounds[0], self.rounds[-1]
        for name in self.study.authors:
            one, other = first.digest(name), last.digest(name)
            yield self._row(GAIN_ROW, AMONG_YARDSTICKS, name, "", one, other, self._pairs(one, other))
        for a, b in combinations(self.study.authors, 2):
            one, other = last.digest(b), last.digest(a)
            yield self._row(LEAD_ROW, AMONG_YARDSTICKS, a, b, one, other, self._pairs(one, other))
            met = list(read_scores(last.folder / CONTEST, [b, a]).values())
            yield self._row(LEAD_ROW, IN_CONTEST, a, b, one, other, met)

    def _pairs(self, first: str, second: str) -> list[tuple[int, tuple[float, ...]]]:
        """Return block and both scores of the matches that two measured bots played on the same boards."""
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
        """Return the row of a difference, second minus first; between the same bytes there is none."""
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
    """Return a row without objects within it: their keys get the name of what holds them."""
    parts = {key: value if isinstance(value, Mapping) else None for key, value in content.items()}
    plain = {key: value for key, value in content.items() if parts[key] is None}
    return {**plain, **{f"{key}_{name}": one for key, its in parts.items() for name, one in (its or {}).items()}}


@dataclass(frozen=True)
class StudyResults:
    """The results of a study so far, as rows with plain values: `pandas.DataFrame(results.rounds)`."""

    study: Study
    rounds: list[Row]
    """A row for each game, repetition, round and bot; scores are points of a match."""
    differences: list[Row]
    """A row for each difference of each repetition, and of the mean over all of them with Student's interval."""

    @classmethod
    def read(cls, study: Study, digests: Mapping[str, Mapping[str, str]]) -> StudyResults:
        """Read what was played; `digests` are those of yardsticks by game and name. Raises KothError."""
        rounds: list[Row] = []
        differences: list[Row] = []
        for name, planned in study.games.items():
            repetitions = range(1, study.options.repetitions + 1)
            series = [SeriesResults(study, planned, number, digests[name]) for number in repetitions]
            rounds += [row for each in series for played in each.rounds for row in played.rows.values()]
            whole = [each for each in series if len(each.rounds) == study.options.rounds + 1]
            found = [list(each.differences()) for each in whole]
            differences += [row for rows in found for row in rows]
            differences += [_mean_row(rows) for rows in zip(*found, strict=True)] if len(found) > 1 else []
        return cls(study, rounds, differences)

    def write(self) -> None:
        """Write both tables as CSV into the study's folder. Raises OSError."""
        for name, rows in (("rounds.csv", self.rounds), ("differences.csv", self.differences)):
            with write_beneath(self.study.folder, name) as file:
                file.write(_csv_text(rows).encode())


def _mean_row(rows: Sequence[Row]) -> Row:
    """Return the mean of a difference over repetitions, with Student's interval."""
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
    """Return Student's 95 % interval of a mean; none of a single value, or of equal ones, which show no variance."""
    return mean_interval(np.array(values), 0.0, ALPHA) if len(set(values)) > 1 else (None, None)


def _csv_text(rows: Sequence[Row]) -> str:
    text = StringIO()
    keys = dict.fromkeys(key for row in rows for key in row)
    writer = csv.DictWriter(text, list(keys), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
