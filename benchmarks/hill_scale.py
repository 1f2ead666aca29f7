"""A hill of many matches: how long its scheduler, its ratings and its commands take. No bot is run.

`python benchmarks/hill_scale.py [MATCHES ...]` makes a database for each number of matches, side by side, and prints
medians of processor seconds. `--keep DIR` keeps the hills. Commands run on one core, with the start of Python and
Django.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import numpy as np

from koth_hill.connection import Hill, create_hill, open_hill

GAME, SEATS = "zombies", 2
SIZES = {10_000: (100, 200), 100_000: (500, 2_000)}
"""Bots and versions by matches."""
TIMES = 3
FAULTY = 0.05
"""Share of seats with a fault."""
ARCHIVE = 4_000
"""Bytes of a version's sources."""
DAYS = 30
"""Days over which the matches have ended."""
NEAR = 40
"""Ranks by which two that meet are apart at most."""


@dataclass(frozen=True)
class Size:
    """How much a hill holds."""

    matches: int
    bots: int
    versions: int

    @classmethod
    def of(cls, matches: int) -> Size:
        """Return the size of a hill with so many matches."""
        return cls(matches, *SIZES.get(matches, (max(4, matches // 200), max(4, matches // 50))))


def fill(size: Size) -> None:
    """Put bots, versions, matches and ratings into the hill that is open."""
    from django.utils import timezone

    from koth.games import load
    from koth_hill import ratings
    from koth_hill.models import Author, Bot, Fit, Match, Rating, Seat, Version
    from koth_hill.registry import current_season
    from koth_hill.scheduler import REFIT_SHARE

    random, now, season = np.random.default_rng(1), timezone.now(), current_season()
    authors = Author.objects.bulk_create(
        Author(name=f"author{k}", password="!") for k in range(max(2, size.bots // 2))
    )
    bots = Bot.objects.bulk_create(Bot(name=f"bot{k}", author=authors[k % len(authors)]) for k in range(size.bots))
    newest = size.versions - size.bots
    versions = Version.objects.bulk_create(
        Version(
            author=bots[k % size.bots].author,
            bot=bots[k % size.bots],
            number=1 + k // size.bots,
            digest=f"{k:064x}",
            archive=random.bytes(ARCHIVE),
            file="bot.py",
            protocol="json",
            state=Version.State.PLAYING if k >= newest else Version.State.SUPERSEDED,
        )
        for k in range(size.versions)
    )
    strength = np.sort(random.normal(0, 1, size.bots))[::-1]
    bot = random.integers(0, size.bots, size.matches)
    other = (bot + random.integers(1, NEAR + 1, size.matches)) % size.bots
    age = np.arange(size.matches) * size.versions // size.bots // size.matches
    pairs = np.stack([bot, other], axis=1)
    points = np.round(100 * np.exp(strength[pairs] + random.gumbel(size=pairs.shape) / 4))
    seated = age[:, None] * size.bots + pairs
    matches = Match.objects.bulk_create(
        (
            Match(
                season=season,
                focus=versions[first],
                state=Match.State.PLAYED,
                job=f"{k:032x}",
                turns=300,
                digest=f"{k:064x}",
                has_key=True,
                ended=now - timedelta(days=DAYS) * (1 - k / size.matches),
                block=k + 1,
            )
            for k, first in enumerate(seated[:, 0].tolist())
        ),
        batch_size=500,
    )
    late = {"late": {"count": 3, "turn": 7, "text": "no answer after 1 s"}}
    faulty = random.random(pairs.shape) < FAULTY
    Seat.objects.bulk_create(
        (
            Seat(
                match=match,
                place=place,
                version=versions[row[place]],
                score=score[place],
                faults=late if bad[place] else {},
            )
            for match, row, score, bad in zip(matches, seated.tolist(), points.tolist(), faulty.tolist(), strict=True)
            for place in range(SEATS)
        ),
        batch_size=500,
    )
    fits = [1]
    while fits[-1] < size.matches:
        fits.append(min(size.matches, fits[-1] + max(1, fits[-1] // REFIT_SHARE)))
    rated = (1000 + 174 * strength).tolist()
    kept = Fit.objects.bulk_create(Fit(season=season, matches=after) for after in fits[:-1])
    Rating.objects.bulk_create(
        (
            Rating(
                fit=fit,
                version=version,
                rating=rated[k % size.bots],
                margin=40 + 4000 / fit.matches,
                score=0.0,
                played=fit.matches // 100,
                tables=fit.matches // 100,
            )
            for fit in kept
            for k, version in enumerate(versions[: size.bots * int(1 + age[fit.matches - 1])])
        ),
        batch_size=500,
    )
    ratings.rate(load(GAME), season)


def timed(act: Callable[[], object], times: int = TIMES) -> float:
    """Return the median of the processor seconds that something takes."""
    found = []
    for _ in range(times):
        begin = _spent()
        act()
        found.append(_spent() - begin)
    return statistics.median(found)


def _spent() -> float:
    """Return the processor seconds of this process and of those that it has waited for."""
    return sum(os.times()[:4])


def command(folder: Path, *words: str) -> None:
    """Run a command on the hill, on one core."""
    cpu = min(os.sched_getaffinity(0))
    words = (sys.executable, "-m", "koth", words[0], str(folder), *words[1:])
    env = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        words, capture_output=True, text=True, env=env, preexec_fn=lambda: os.sched_setaffinity(0, {cpu})
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}: {done.stderr}")


def measured(folder: Path) -> Iterator[tuple[str, float]]:
    """Yield the name of each thing that a hill does, and the median of its seconds."""
    with open_hill(folder):
        from koth.games import load
        from koth_hill import ratings
        from koth_hill.planning import Schedule, find_playing
        from koth_hill.registry import current_season
        from koth_hill.standings import standings

        season = current_season()
        versions = {version.pk: version for version in find_playing()}
        yield "scheduler: a season is read", timed(lambda: Schedule(season).update())
        schedule = Schedule(season)
        schedule.update()
        yield "scheduler: a choice", timed(lambda: schedule.next(versions, SEATS), 9)
        yield "ratings: a refit", timed(lambda: ratings.rate(load(GAME), season))
        yield "standings", timed(lambda: standings(season))
    yield "koth standings", timed(lambda: command(folder, "standings"))


def make(folder: Path, size: Size) -> None:
    """Make a hill of this size."""
    from koth.games import load

    with create_hill(Hill(folder, GAME, SEATS)):
        from koth_hill.registry import begin_season  # it needs the hill

        begin_season(load(GAME), next(iter(load(GAME).rulesets)), {}, "rating")
        fill(size)


def figures(folder: Path, size: Size) -> dict[str, float]:
    """Return the figures of the hill of this size in this folder; make a missing hill."""
    if not folder.exists():
        took = timed(lambda: make(folder, size), 1)
        print(f"{size} made in {took:.1f} s", file=sys.stderr)
    return dict(measured(folder))


@contextmanager
def kept(words: Sequence[str]) -> Iterator[Path]:
    """Yield the folder that hills are made in."""
    if "--keep" in words:
        yield Path(words[words.index("--keep") + 1])
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def main(words: Sequence[str]) -> None:
    """Print the table."""
    sizes = [Size.of(int(word)) for word in words if word.isdigit()] or [Size.of(matches) for matches in SIZES]
    with kept(words) as place, ProcessPoolExecutor(1, max_tasks_per_child=1) as pool:  # a process opens one hill
        columns = list(pool.map(figures, (place / f"hill-{size.matches}" for size in sizes), sizes))
    print(f"{'processor seconds, medians':<32}" + "".join(f"{f'{size.matches:,} matches':>18}" for size in sizes))
    for name in columns[0]:
        print(f"{name:<32}" + "".join(f"{column[name]:>18.3f}" for column in columns))


if __name__ == "__main__":
    main(sys.argv[1:])
