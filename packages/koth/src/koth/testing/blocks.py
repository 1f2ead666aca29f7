"""Least number of blocks that a game can declare (`ContestDefaults.blocks`), measured from recorded scores.

    python -m koth.testing.blocks SCORES.csv|RUN [--aggregate mean] [--contests N] [--seed N]

A file of scores has a row per match: `block`, then the score of each bot (empty: it did not play). Contests are drawn
from the recorded blocks, and a number of blocks must pass two tests. At least 93 % of the 95 % intervals of a bot's
score contain the true score. And where all bots are equally good (each bot's own mean is subtracted from its scores),
at most 5 % of standings separate any two bots, but for the noise of the simulation.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from koth.contest.record import read_record
from koth.contest.results import Results
from koth.errors import KothError
from koth.game import Array
from koth.games import load
from koth.standings.intervals import bootstrap_t
from koth.standings.paired import ALPHA, RARE, compare, uses_signs
from koth.standings.scores import AGGREGATES, Blocks, Scores
from koth.standings.until import Looks

CANDIDATES = (6, 8, 10, 12, 14, 16, 20, 24, 32, 48)
HELD = 0.93
"""The least share of intervals that must contain the true score."""
WRONG = 0.055
"""The largest share of standings, looks and comparisons that may separate equal bots: `ALPHA` and the noise of some
thousand contests.
"""
MEASURED_BLOCKS = 60
"""The number of blocks of each bot in a run that measures `blocks`."""
MOST = 192
"""The most blocks that `--until` plays in a simulated contest."""
TOGETHER = 25
"""The number of contests whose intervals are computed at a time."""


@dataclass(frozen=True)
class Pool:
    """Recorded blocks from which contests are drawn: sums of each bot's scores and matches, [blocks, bots]."""

    names: tuple[str, ...]
    total: Array
    matches: Array

    @classmethod
    def of(cls, scores: Scores) -> Pool:
        """Collect the blocks of recorded matches."""
        blocks = Blocks.of(scores, "mean")
        ends = (0, blocks.count)
        return cls(
            scores.names, blocks.dense(blocks.total, *ends), blocks.dense(blocks.matches, *ends).astype(np.int64)
        )

    @property
    def played(self) -> Array:
        """Return int64[bots]: the recorded blocks of each bot."""
        return np.asarray((self.matches > 0).sum(axis=0))

    def centre(self) -> Pool:
        """Return the pool with each bot's mean match at 0, so that all bots are equally good."""
        mean = self.total.sum(axis=0) / self.matches.sum(axis=0)
        return Pool(self.names, self.total - mean * self.matches, self.matches)

    @cached_property
    def _in_common(self) -> Array:
        """Return int64[blocks, blocks]: the number of bots that play in both blocks."""
        plays = (self.matches > 0).astype(np.int64)
        return plays @ plays.T

    def contest(self, rng: np.random.Generator, blocks: int) -> Blocks:
        """Draw a contest with this number of blocks for each bot.

        If not all bots play in each block, bots with the fewest blocks come next, as in `koth run`.
        """
        count = round(blocks * len(self.total) / float(self.played.mean()))
        if (self.matches > 0).all():
            rows = rng.integers(0, len(self.total), count)
        else:
            rows, had = np.zeros(count, np.int64), np.zeros(len(self.total), np.int64)
            for at, chance in enumerate(rng.random(count)):
                least = np.flatnonzero(had == had.min())
                rows[at] = least[int(chance * len(least))]
                had += self._in_common[rows[at]]
        return as_blocks(self.total[rows], self.matches[rows])


@dataclass(frozen=True)
class Measured:
    """The measured shares for a number of blocks.

    `held` is the share of the worst bot's intervals that contain its true score. The others are the shares of
    standings, contests with `--until` (at any look) and comparisons of two bots that separate equal bots.
    """

    blocks: int
    held: float
    tables: float
    looks: float
    pairs: float

    @property
    def is_enough(self) -> bool:
        """True if all shares are within `HELD` and `WRONG`."""
        return self.held >= HELD and max(self.tables, self.looks, self.pairs) <= WRONG

    @property
    def text(self) -> str:
        """Return the line of the printed table."""
        shares = f"{self.held:31.1%}  {self.tables:12.1%}  {self.looks:11.1%}  {self.pairs:17.1%}"
        return f"{self.blocks:6}  {shares}{'' if self.is_enough else '  too few'}"


def as_blocks(total: Array, matches: Array) -> Blocks:
    """Return the blocks of a contest from the sums of scores and the numbers of matches, [blocks, bots]."""
    block, bot = np.nonzero(matches)
    sums, played = total[block, bot], matches[block, bot]
    return Blocks(matches.shape[1], len(matches), block, bot, sums, played, sums / played)


def measure(pool: Pool, blocks: int, contests: int, seed: int) -> Measured:
    """Measure the shares in simulated contests of `blocks` blocks of each bot."""
    rng = np.random.default_rng((seed, blocks))
    held = [coverage(pool, bot, blocks, contests // 2, rng) for bot in range(len(pool.names))]
    level = pool.centre()
    pair = np.triu(differ(level), 1)
    found = [compare(level.contest(rng, blocks), "mean", 2) for _ in range(contests)]
    tables = np.mean([paired.significant.any() for paired in found])
    pairs = np.mean([paired.own[pair] <= ALPHA for paired in found]) if pair.any() else 0.0
    looks = Looks.of(max(MOST, blocks), blocks)
    looked = [separates_at(looks, level.contest(rng, looks.blocks[-1]), "mean") for _ in range(contests // 2)]
    return Measured(blocks, min(held), float(tables), float(np.mean(looked)), float(pairs))


def separates_at(looks: Looks, contest: Blocks, aggregate: str) -> bool:
    """Return whether any two bots are separated at any look; a look sees its share of the contest's blocks."""
    last = looks.blocks[-1]
    seen = ((looks.alpha(blocks), first_blocks(contest, contest.count * blocks // last)) for blocks in looks.blocks)
    return any(bool(compare(part, aggregate, 2, alpha).significant.any()) for alpha, part in seen)


def first_blocks(contest: Blocks, count: int) -> Blocks:
    """Return the first `count` blocks of a contest."""
    rows = slice(0, int(np.searchsorted(contest.block, count)))
    columns = (contest.block, contest.bot, contest.total, contest.matches, contest.value)
    return Blocks(contest.bots, count, *(column[rows] for column in columns))


def without_rare(pool: Pool) -> tuple[Pool, list[str]]:
    """Return the pool without bots that score the same in all but a few blocks (fewer than `RARE`), and their names.

    Such rare events may be missing at the first verdict, whatever the number of blocks.
    """
    rare = [0 < changing < RARE for changing in map(_share_that_changes, pool.total.T, pool.matches.T)]
    bots = np.flatnonzero(~np.array(rare, bool))
    left_out = [name for name, seldom in zip(pool.names, rare, strict=True) if seldom]
    return Pool(tuple(pool.names[bot] for bot in bots), pool.total[:, bots], pool.matches[:, bots]), left_out


def _share_that_changes(total: Array, matches: Array) -> float:
    """Return the share of a bot's blocks in which its score is not its most frequent one."""
    values = total[matches > 0] / matches[matches > 0]
    return 1 - float(np.unique(values, return_counts=True)[1].max()) / len(values)


def differ(pool: Pool) -> Array:
    """Return bool[bots, bots]: whether the scores of two bots ever differ."""
    columns = np.where(pool.matches > 0, pool.total / np.maximum(pool.matches, 1), np.nan)
    return np.array([[not np.array_equal(a, b, equal_nan=True) for b in columns.T] for a in columns.T])


def coverage(pool: Pool, bot: int, blocks: int, contests: int, rng: np.random.Generator) -> float:
    """Return the share of a bot's intervals that contain its true mean, among contests in which its blocks differ."""
    played = pool.matches[:, bot] > 0
    total, matches = pool.total[played, bot], pool.matches[played, bot].astype(np.float64)
    truth, held, counted = total.sum() / matches.sum(), 0, 0
    for start in range(0, contests, TOGETHER):
        rows = rng.integers(0, len(total), (blocks, min(TOGETHER, contests - start)))
        rows = rows[:, np.ptp((total / matches)[rows], axis=0) > 0]
        if rows.shape[1]:
            low, high = bootstrap_t(total[rows], matches[rows])
            held, counted = held + int(((low <= truth) & (truth <= high)).sum()), counted + rows.shape[1]
    return held / counted if counted else 1.0


def least(measured: Sequence[Measured]) -> int | None:
    """Return the least number of blocks from which on all measured numbers are enough."""
    short = max((found.blocks for found in measured if not found.is_enough), default=0)
    return min((found.blocks for found in measured if found.blocks > short), default=None)


def read(path: Path) -> tuple[Scores, str | None]:
    """Return the scores of a file, or of a run with its game's aggregate. Raises KothError."""
    if not path.is_dir():
        return read_scores(path), None
    record = read_record(path)
    return Results(path).scores(), load(record["game"]).contest_defaults.aggregate


def read_scores(file: Path) -> Scores:
    """Return the scores of a CSV file with the columns `block`, BOT, BOT ... Raises KothError."""
    rows = _csv_rows(file)
    head = rows[0] if rows else []
    if head[:1] != ["block"] or len(set(head)) < max(len(head), 2):
        raise KothError(f"{file}: line 1 must be block,BOT,BOT ... with the name of each bot once")
    return Scores.of(_match(file, line, head[1:], row) for line, row in enumerate(rows[1:], 2) if row)


def _csv_rows(file: Path) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(file.read_text(encoding="utf-8-sig"), newline="")))
    except csv.Error as error:
        raise KothError(f"{file}: {error}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise KothError(f"{file}: {getattr(error, 'strerror', None) or 'not UTF-8'}") from None


def _match(file: Path, line: int, names: list[str], row: list[str]) -> tuple[int, dict[str, float]]:
    if len(row) != len(names) + 1:
        raise KothError(f"{file}: line {line} has {len(row)} cells, not {len(names) + 1} as line 1 has")
    try:
        scores = {name: float(cell) for name, cell in zip(names, row[1:], strict=True) if cell.strip()}
        if not np.isfinite(list(scores.values())).all():
            raise ValueError
        return int(row[0]), scores
    except ValueError:
        raise KothError(
            f"{file}: line {line}: block must be a whole number, scores finite numbers or empty"
        ) from None


def report(scores: Scores, aggregate: str, contests: int, seed: int) -> None:
    """Print the measurements and the line to declare. Raises KothError if there is nothing to measure."""
    if uses_signs(Blocks.of(scores, aggregate), aggregate):
        exact = "medians" if aggregate == "median" else "wins where a block is one match"
        print(f"Intervals and tests of {exact} are exact for any number of blocks: nothing to declare.")
        return
    pool, left_out = without_rare(Pool.of(scores))
    if len(pool.names) < 2 or pool.played.min() < 2:
        raise KothError("at least 2 bots with 2 blocks each and changing scores are needed to measure anything")
    fewest = int(pool.played.min())
    if left_out:
        print(f"Left out: bots that score the same in more than {1 - RARE:.0%} of the blocks: {', '.join(left_out)}")
    if fewest < MEASURED_BLOCKS:
        print(f"Record at least {MEASURED_BLOCKS} blocks: rare events are likely to be missing in {fewest}.")
    print(f"{contests:,} contests for each number of blocks, drawn from {fewest:,} recorded ones (seed {seed})")
    print("blocks  intervals that hold (worst bot)  wrong tables  wrong looks  wrong comparisons")
    measured = []
    for blocks in CANDIDATES:
        measured.append(found := measure(pool, blocks, contests, seed))
        print(found.text, flush=True)
    enough = least(measured)
    print(
        f"declare blocks={enough}" if enough else f"{CANDIDATES[-1]} blocks are too few: declare nothing (blocks=0)"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code; a KothError is one line on stderr and code 2."""
    parser = argparse.ArgumentParser("python -m koth.testing.blocks", description=__doc__.partition("\n")[0])
    parser.add_argument("source", type=Path, help="CSV file of scores, or the folder of a run")
    parser.add_argument(
        "--aggregate", choices=AGGREGATES, help="how to combine a bot's scores (default: the run's, or mean)"
    )
    parser.add_argument("--contests", type=int, default=4000, help="simulated contests for each number of blocks")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    try:
        if chosen.contests < 100:
            raise KothError(f"--contests must be 100 or more, not {chosen.contests}")
        scores, aggregate = read(chosen.source)
        report(scores, chosen.aggregate or aggregate or "mean", chosen.contests, chosen.seed)
    except KothError as error:
        print(f"koth.testing.blocks: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
