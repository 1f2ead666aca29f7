"""The error rate of the standings, in simulated contests whose truth is known.

    python benchmarks/coverage.py [tables] [compare] [drawn] [intervals] [looks] [games] [--contests N] [--seed N]

`tables`: all bots are equally good, but their scores are shaped unlike each other; counted are contests in which the
table separates any two (at exactly the least number of blocks), and in which `--until` does at any look.
`compare`: the same for two bots, with the interval of their difference and its claims "within the margin".
`drawn`: tables of shapes drawn at random. `intervals`: intervals of one bot's score. `looks`: those of hills that
rank by score, at all looks together. `games`: the least number of
blocks of each game with recorded scores (`benchmarks/scores/GAME.csv`), by `koth.testing.blocks`.
"""

from __future__ import annotations

if __name__ != "__main__":
    raise ImportError("this is a script; Numba looks for a module of this name beside every other script here")

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from koth.contest.tables import TableCounts, draw_tables
from koth.game import ContestDefaults
from koth.games import load
from koth.standings.difference import Difference
from koth.standings.intervals import intervals
from koth.standings.looks import scores_with_margins
from koth.standings.paired import ALPHA, compare, least_blocks
from koth.standings.scores import Blocks, Scores
from koth.standings.until import Looks
from koth.testing.blocks import Pool, as_blocks, least, measure, read_scores, separates_at, without_rare

SCORES = Path(__file__).with_name("scores")
MOST, TIMES = 192, 4
"""`--until` may play so many blocks, or so many times the least number of blocks."""
Rng = np.random.Generator
Shape = Callable[[Rng, int], Any]
"""Draws the scores of one bot in so many blocks."""


def chance(p: float, points: float = 1) -> Shape:
    return lambda rng, n: points * (rng.random(n) < p)


def constant(value: float) -> Shape:
    return lambda rng, n: np.full(n, float(value))


def ordinal(*chances: float) -> Shape:
    return lambda rng, n: rng.choice(len(chances), n, p=chances).astype(float)


def skewed(side: float) -> Shape:
    """Scores of median 0 that lie ten times as far away on one side."""

    def draw(rng: Rng, n: int) -> Any:
        scores = side * rng.normal(0, 1, n)
        return side * np.where(scores > 0, 10 * scores, scores)

    return draw


def won_of_four(p: float) -> Shape:
    return lambda rng, n: rng.binomial(4, p, n) / 4


NORMAL: Shape = lambda rng, n: rng.normal(5, 1, n)  # noqa: E731
EXPONENTIAL: Shape = lambda rng, n: rng.exponential(5, n)  # noqa: E731
LOGNORMAL: Shape = lambda rng, n: 5 * rng.lognormal(-0.5, 1, n)  # noqa: E731
MIXED = (NORMAL, EXPONENTIAL, LOGNORMAL, chance(0.05, 100), constant(5))
PAIRS: dict[str, tuple[Shape, Shape]] = {
    "normal v 5 % x 100": (NORMAL, chance(0.05, 100)),
    "lognormal v constant": (LOGNORMAL, constant(5)),
    "exponential v constant": (EXPONENTIAL, constant(5)),
    "four-match blocks won 5 % v .05": (won_of_four(0.05), constant(0.05)),
    "a win of 10 % v .1": (chance(0.1), constant(0.1)),
}


MEAN, WINS, MEDIAN = (ContestDefaults(1, aggregate) for aggregate in ("mean", "wins", "median"))


@dataclass(frozen=True)
class Case:
    """Contests of equally good bots: `draw(rng, blocks)` returns the sums and matches of each, [blocks, bots]."""

    name: str
    bots: int
    draw: Callable[[Rng, int], tuple[Any, Any]]
    defaults: ContestDefaults = MEAN
    fewer: int = 1
    """Divides the number of contests, where they are large."""

    @property
    def least(self) -> int:
        return least_blocks(self.defaults, self.bots)

    def contest(self, rng: Rng, blocks: int) -> Blocks:
        total, matches = self.draw(rng, blocks)
        return as_blocks(np.where(matches > 0, total, 0.0), matches)


def bots_of(shapes: Sequence[Shape], bots: int, seen: Callable[[Rng, int], Any] | None = None) -> Any:
    """Draw bots that take the shapes in turn; `seen` says who plays in which block (all of them)."""

    def draw(rng: Rng, blocks: int) -> tuple[Any, Any]:
        total = np.stack([shapes[bot % len(shapes)](rng, blocks) for bot in range(bots)], axis=1)
        matches = np.ones(total.shape, np.int64) if seen is None else seen(rng, blocks)
        return total, matches

    return draw


def late(bots: int, share: int = 3) -> Callable[[Rng, int], Any]:
    """The last bot plays in the last of `share` times as many blocks."""

    def seen(_: Rng, blocks: int) -> Any:
        matches = np.ones((blocks, bots), np.int64)
        matches[: blocks - blocks // share, -1] = 0
        return matches

    return seen


def at_tables(shapes: Sequence[Shape], bots: int, size: int) -> Any:
    """Draw bots at tables of a size, as `koth run` does, with luck that a table shares."""
    shaped = bots_of(shapes, bots)

    def draw(rng: Rng, blocks: int) -> tuple[Any, Any]:
        tables = draw_tables(-(-bots * blocks // size), int(rng.integers(1 << 30)), TableCounts.of([], bots, size))
        matches = np.zeros((len(tables), bots), np.int64)
        np.put_along_axis(matches, np.array(tables, np.int64), 1, axis=1)
        return shaped(rng, len(tables))[0] + rng.normal(size=(len(tables), 1)), matches

    return draw


def thrice(draw: Any) -> Any:
    """Three times as many blocks, of which the late bot has played a third."""
    return lambda rng, blocks: draw(rng, 3 * blocks)


def cases() -> list[Case]:
    found = [Case(name, 2, bots_of(shapes, 2)) for name, shapes in PAIRS.items()]
    found += [Case(name, bots, bots_of(shapes, bots)) for bots in (5, 20) for name, shapes in PAIRS.items()]
    found += [
        Case("five shapes mixed", bots, bots_of(MIXED, bots), fewer=1 + bots**2 // 800) for bots in (5, 20, 200)
    ]
    found += [
        Case("five shapes at tables of 4", bots, at_tables(MIXED, bots, 4), fewer=max(bots**2 // 800, 1))
        for bots in (12, 60, 200)
    ]
    found += [Case(f"0/1, won with {p}, wins", 5, bots_of([chance(p)], 5), WINS) for p in (0.05, 0.3)]
    found.append(Case("all equal, mean", 5, bots_of([constant(1)], 5), fewer=10))
    few, even = (0.5, 0.2, 0.1, 0.1, 0.1), (0.0, 0.9, 0.1)
    found.append(Case("ordinal 0 to 4, ties, mean", 5, bots_of([ordinal(*few), ordinal(*even)], 5)))
    found.append(Case("ordinal 0 to 4, ties, median", 5, bots_of([ordinal(*few)], 5), MEDIAN))
    found.append(Case("lognormal, median", 5, bots_of([LOGNORMAL], 5), MEDIAN))
    found.append(Case("unlike shapes, median", 5, bots_of([skewed(1), skewed(-1)], 5), replace(MEDIAN, blocks=48)))
    found.append(Case("late entrant, mixed", 5, thrice(bots_of(MIXED[::-1], 5, late(5)))))
    found.append(Case("a tenth void, mixed", 5, bots_of(MIXED, 5, lambda rng, n: (rng.random((n, 5)) > 0.1) * 1)))
    return found + games()


def games() -> list[Case]:
    """Recorded scores, resampled by whole blocks; of each bot its own mean (median) is subtracted."""
    found = []
    for file in sorted(SCORES.glob("*.csv")):
        pool, _ = without_rare(Pool.of(read_scores(file)))
        defaults = load(file.stem).contest_defaults
        level = pool.centre()
        if defaults.aggregate == "median":
            level = Pool(pool.names, pool.total - np.median(pool.total, axis=0), pool.matches)
        each = len(pool.total) / float(pool.played.mean())

        def draw(rng: Rng, blocks: int, level: Pool = level, each: float = each) -> tuple[Any, Any]:
            rows = rng.integers(0, len(level.total), round(blocks * each))
            return level.total[rows], level.matches[rows]

        found.append(Case(f"{file.stem}, {defaults.aggregate}", len(pool.names), draw, defaults))
        if defaults.aggregate == "median":
            more = replace(MEDIAN, blocks=48)
            found.append(Case(f"{file.stem}, more matches", len(pool.names), draw, more))
    return found


def separated(contest: Blocks, aggregate: str) -> bool:
    """Return whether the table separates any two bots."""
    return bool(compare(contest, aggregate, 2).significant.any())


def tables(found: list[Case], contests: int, seed: int) -> list[tuple[float, str]]:
    """Print and return the error of the table and over all looks of each case."""
    print(f"{'tables of equally good bots':36} bots blocks contests  wrong  any look", flush=True)
    lines = []
    for number, case in enumerate(found):
        rng, count = np.random.default_rng((seed, number)), contests // case.fewer
        looks = Looks.of(max(MOST, TIMES * case.least), case.least)
        aggregate, some = case.defaults.aggregate, max(count // 2, 1)
        wrong = sum(separated(case.contest(rng, case.least), aggregate) for _ in range(count)) / count
        drawn = (case.contest(rng, looks.blocks[-1]) for _ in range(some))
        any_look = sum(separates_at(looks, contest, aggregate) for contest in drawn) / some
        text = f"{case.name:36} {case.bots:4} {case.least:6} {count:8} {wrong:6.1%} {any_look:9.1%}"
        print(text, flush=True)
        lines.append((max(wrong, any_look), text))
    return lines


def two_bots(contests: int, seed: int) -> None:
    """Print how often `koth compare` errs: its verdict, its interval, its claim that bots are within a margin.

    The margin is a little smaller than the true difference. Bots of unlike shapes are equally good; for the margin
    three standard errors are added to the second.
    """
    print(f"{'two bots compared':36} blocks  wrong verdict  interval holds  wrongly within the margin", flush=True)
    duels = [(name, shapes, MEAN, least_blocks(MEAN, 2), 0.0) for name, shapes in PAIRS.items()]
    for p, n in ((0.05, 12), (0.1, 12), (0.1, 48), (0.2, 48), (0.3, 96)):
        duels.append((f"wins: never v {p}", (constant(0), chance(p)), WINS, n, p))
    for p, n in ((0.1, 12), (0.3, 48), (0.5, 96)):
        duels.append((f"wins: {p} v {p}", (chance(p), chance(p)), WINS, n, 0.0))
    for number, (name, shapes, defaults, blocks, truth) in enumerate(duels):
        rng = np.random.default_rng((seed, 1000 + number))
        declared = replace(defaults, blocks=blocks, score_range=(0, 1) if defaults is WINS else None)
        drawn = [np.stack([shape(rng, blocks) for shape in shapes], axis=1) for _ in range(contests)]
        told = [Difference.of(scores_of(points), declared) for points in drawn]
        given = [d for d in told if d.low is not None and d.high is not None]
        hold = np.mean([d.low <= truth <= d.high for d in given])  # type: ignore[operator]
        wrong = np.mean([d.sign < 0 or (d.sign > 0 and not truth) for d in told])
        print(f"{name:36} {blocks:6} {wrong:14.1%} {hold:15.1%} ", end="")
        if defaults is MEAN:
            added = 3 * float(np.diff(np.concatenate(drawn), axis=1).std()) / blocks**0.5
            told = [Difference.of(scores_of(points + np.array((0, added))), declared) for points in drawn]
            truth = added
        print(f"{np.mean([d.is_within(0.999 * truth) for d in told]):26.1%}" if truth else "", flush=True)


def scores_of(points: Any) -> Scores:
    """Return the scores of two bots that play in all blocks."""
    count, bots = points.shape
    return Scores(("a", "b")[:bots], np.arange(count), np.tile(np.arange(bots, dtype=np.int32), (count, 1)), points)


def drawn(seed: int, count: int = 20) -> list[Case]:
    """Draw shapes at random from families, and how many bots have them, in how many of the blocks."""
    rng, found = np.random.default_rng(seed), []
    for number in range(count):
        bots = int(rng.integers(2, 9))
        names, shapes = zip(*(FAMILIES[int(rng.integers(len(FAMILIES)))](rng) for _ in range(bots)), strict=True)
        name = f"{number + 1}: {', '.join(sorted(set(names)))}"
        if rng.random() < 0.25:
            draw = thrice(bots_of(shapes, bots, late(bots)))
            name += ", late entrant"
        else:
            draw = bots_of(shapes, bots)
        found.append(Case(name, bots, draw))
    return found


def zero_inflated(rng: Rng) -> tuple[str, Shape]:
    share, sigma = rng.uniform(0.3, 0.94), rng.uniform(0, 0.7)
    mean = (1 - share) * np.exp(sigma**2 / 2)
    return "zero-inflated", lambda r, n: (r.random(n) >= share) * r.lognormal(0, sigma, n) - mean


def mixture(rng: Rng) -> tuple[str, Shape]:
    share, far, wide = rng.uniform(0.05, 0.5), rng.uniform(2, 12), rng.uniform(0.2, 3)
    return (
        "mixture",
        lambda r, n: np.where(r.random(n) < share, r.normal(far, wide, n), r.normal(0, 1, n)) - share * far,
    )


def heavy_tail(rng: Rng) -> tuple[str, Shape]:
    if rng.random() < 0.5:
        tail = rng.uniform(3, 6)
        return "Student's t", lambda r, n: r.standard_t(tail, n)
    sigma = rng.uniform(0.3, 1)
    return "lognormal", lambda r, n: r.lognormal(0, sigma, n) - np.exp(sigma**2 / 2)


def steps(rng: Rng) -> tuple[str, Shape]:
    chances = rng.dirichlet(np.full(int(rng.integers(2, 7)), 0.7)) * 0.7 + 0
    chances = (chances + 0.3 / len(chances)) / (chances.sum() + 0.3)
    mean = float(chances @ np.arange(len(chances)))
    return "ordinal", lambda r, n: r.choice(len(chances), n, p=chances) - mean


FAMILIES = (zero_inflated, mixture, heavy_tail, steps)

BLOCKS = (6, 8, 10, 12, 16, 24, 36, 60)


def single_intervals(contests: int, seed: int) -> None:
    """Print how often the interval of one bot's score holds the true score."""
    print(f"{'intervals that hold':36} {' '.join(f'{n:6}' for n in BLOCKS)} blocks", flush=True)
    kinds: list[tuple[str, Shape, str, float]] = [
        ("mean, normal", NORMAL, "mean", 5),
        ("mean, exponential", EXPONENTIAL, "mean", 5),
        ("mean, lognormal", LOGNORMAL, "mean", 5),
        ("mean, 5 % x 100", chance(0.05, 100), "mean", 5),
        *((f"mean, four-match blocks won {p}", won_of_four(p), "mean", p) for p in (0.5, 0.25, 0.1)),
        *((f"wins, {p}", chance(p), "wins", p) for p in (0.5, 0.25, 0.1)),
        ("median, lognormal", LOGNORMAL, "median", 5 * np.exp(-0.5)),
    ]
    for number, (name, shape, aggregate, truth) in enumerate(kinds):
        rng = np.random.default_rng((seed, 2000 + number))
        cells = []
        for blocks in BLOCKS:
            total = shape(rng, blocks * contests).reshape(blocks, contests)
            given = intervals(as_blocks(total, np.ones(total.shape, np.int64)), aggregate, 2)
            hold = [
                (i.low or -np.inf) <= truth <= (np.inf if i.high is None else i.high) for i in given if not i.note
            ]
            cells.append(f"{np.mean(hold):6.1%}" if hold else "     -")
        print(f"{name:36} {' '.join(cells)}", flush=True)


def pairs_of_unlike_strength(rng: Rng, blocks: int) -> tuple[Any, Any, Any]:
    """Draw round robins of 12 bots whose scores depend on who meets whom; return the sums, the matches, the truth."""
    bots = 12
    level = rng.normal(size=bots)[:, None] + 2 * rng.normal(size=bots) + rng.normal(size=(bots, bots))
    np.fill_diagonal(level, 0)
    pairs = draw_tables(blocks * bots // 2, int(rng.integers(1 << 30)), TableCounts.of([], bots, 2)).astype(np.int64)
    matches, total = np.zeros((len(pairs), bots), np.int64), np.zeros((len(pairs), bots))
    rows = np.arange(len(pairs))
    for own, other in (pairs.T, pairs.T[::-1]):
        matches[rows, own] = 1
        total[rows, own] = level[own, other] + rng.normal(size=len(pairs))
    return total, matches, level.sum(axis=1) / (bots - 1)


def at_all_looks(contests: int, seed: int) -> None:
    """Print how often the intervals of a hill that ranks by score hold at every one of 40 looks.

    The first look is after this number of blocks of each bot, the last after 1,000.
    """
    first, most, together = (8, 20, 59), 1000, 20
    print(f"{'intervals that hold at all looks':36} {' '.join(f'{n:6}' for n in first)} blocks at first", flush=True)
    shapes: dict[str, tuple[Shape, str, float]] = {
        "mean, normal": (NORMAL, "mean", 5),
        "mean, exponential": (EXPONENTIAL, "mean", 5),
        "mean, lognormal": (LOGNORMAL, "mean", 5),
        "mean, 5 % x 100": (chance(0.05, 100), "mean", 5),
        "mean, four-match blocks won 0.1": (won_of_four(0.1), "mean", 0.1),
        "median, lognormal": (LOGNORMAL, "median", 5 * np.exp(-0.5)),
        "mean, pairs of unlike strength": (NORMAL, "mean", np.nan),
    }
    for number, (name, (shape, aggregate, truth)) in enumerate(shapes.items()):
        rng, held = np.random.default_rng((seed, 3000 + number)), np.zeros((0, len(first)))
        for _ in range(max(1, contests // (together * (20 if np.isnan(truth) else 4)))):
            if np.isnan(truth):
                total, matches, true = pairs_of_unlike_strength(rng, most)
            else:
                total = shape(rng, most * together).reshape(most, together)
                matches, true = np.ones(total.shape, np.int64), truth
            held = np.vstack([held, np.stack([_hold(total, matches, aggregate, true, n) for n in first], axis=1)])
        print(f"{name:36} {' '.join(f'{share:6.1%}' for share in held.mean(axis=0))}", flush=True)


def _hold(total: Any, matches: Any, aggregate: str, truth: Any, first: int) -> Any:
    """Return bool[bots], whether each bot's interval holds the truth at all looks from `first` of its blocks on."""
    each, held = len(total) / matches.sum(axis=0).max(), np.ones(total.shape[1], bool)
    for look in np.unique(np.geomspace(first * each, len(total), 40).astype(int)):
        blocks = as_blocks(total[:look], matches[:look])
        score, margins = scores_with_margins(blocks, aggregate, 2)
        held &= ~(np.abs(score - truth) > margins)
    return held


def least_of_games(contests: int, seed: int) -> None:
    """Print what `koth.testing.blocks` measures for the games whose scores are recorded."""
    for file in sorted(SCORES.glob("*.csv")):
        if load(file.stem).contest_defaults.aggregate == "median":
            continue
        pool, _ = without_rare(Pool.of(read_scores(file)))
        found = [measure(pool, blocks, contests, seed) for blocks in (6, 8, 10, 12, 16, 20, 24, 32, 48)]
        cells = "  ".join(f"{m.blocks}: {m.held:.1%} {m.tables:.1%} {m.looks:.1%} {m.pairs:.1%}" for m in found)
        print(
            f"{file.stem}: least {least(found)}; intervals hold; tables, looks and comparisons err after {cells}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parts = ("tables", "compare", "drawn", "intervals", "looks", "games")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"{', '.join(parts)} (default: all)")
    parser.add_argument("--contests", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    wanted = chosen.parts or parts
    print(f"{chosen.contests:,} contests, seed {chosen.seed}; an error of {ALPHA:.0%} is promised")
    if "tables" in wanted:
        tables(cases(), chosen.contests, chosen.seed)
    if "compare" in wanted:
        two_bots(chosen.contests, chosen.seed)
    if "drawn" in wanted:
        lines = tables(drawn(chosen.seed), chosen.contests, chosen.seed)
        print("the worst five:", *(text for _, text in sorted(lines, reverse=True)[:5]), sep="\n")
    if "intervals" in wanted:
        single_intervals(chosen.contests, chosen.seed)
    if "looks" in wanted:
        at_all_looks(chosen.contests, chosen.seed)
    if "games" in wanted:
        least_of_games(chosen.contests, chosen.seed)


if __name__ == "__main__":
    main()
