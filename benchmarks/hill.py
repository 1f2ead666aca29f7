"""A hill simulated: bots that enter, improve, leave, collude and throw, under its own scheduler and ratings.

`python benchmarks/hill.py` prints the figures that docs/hill.md sums up. Results are drawn as ratings
say (Plackett and Luce's model), so that the truth is known; three authors cheat. No bot is run.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace

import numpy as np

from koth.standings.rating import MEAN, SCALE, ratings_with_margins
from koth.standings.scores import CELL, Scores
from koth_hill.scheduler import PLACEMENT_GROUPS, REFIT_SHARE, Candidate, PairingHistory, choose

AUTHORS, BEGIN, VERSIONS, MATCHES, SEATS = 50, 60, 200, 10_000, 2
SPREAD = 250.0
"""Standard deviation of the strengths of bots, in points of rating."""
GAIN = 40.0
"""Points that a new version of a bot is better by, on average."""
COLLUDES, GAINS, THROWS = "author0", "author1", "author2"
"""The bots of COLLUDES let the first bot of GAINS win whenever they meet it; those of THROWS, all but its first one,
lose every other match on purpose."""
CHEATS = (COLLUDES, GAINS, THROWS)


@dataclass
class Simulated:
    """A hill and the truth about it."""

    random: np.random.Generator
    size: int = SEATS
    candidates: dict[int, Candidate] = field(default_factory=dict)
    """The versions that play."""
    strength: list[float] = field(default_factory=list)
    """By version, in points of rating."""
    authors: list[str] = field(default_factory=list)
    history: PairingHistory = field(default_factory=PairingHistory)
    cells: list[tuple[int, int, int, float]] = field(default_factory=list)
    matches: int = 0
    rated: int = 0
    rating: np.ndarray = field(default_factory=lambda: np.zeros(0))
    errors: list[float] = field(default_factory=list)
    """For each newcomer, by how many points its rating was wrong when it was placed."""
    arrived: dict[int, int] = field(default_factory=dict)
    """Matches of the whole hill when a version came."""
    delay: list[int] = field(default_factory=list)
    before: dict[int, int] = field(default_factory=dict)
    """The version that a mended one has taken the place of."""
    mended: list[bool] = field(default_factory=list)
    """For each mended version that is placed, whether its rating says on which side of its old one it truly is."""
    left: int = 0
    """Bots that have left."""
    missed: dict[int, bool] = field(default_factory=dict)
    """By version, whether an interval of it ever left out the truth; cheats apart."""

    def enter(self, author: str, strength: float, instead: int | None = None) -> None:
        version = len(self.strength)
        rating = MEAN
        if instead is not None and (old := self.candidates.pop(instead, None)):
            rating = old.rating
            self.before[version] = instead
        self.strength.append(strength)
        self.authors.append(author)
        self.arrived[version] = self.matches
        self.candidates[version] = Candidate(version, author, rating=rating)

    def play(self) -> None:
        table = choose(self.candidates.values(), self.history, min(self.size, len(self.candidates)))
        self.history.add(table.seats, self.authors[table.focus])
        for version in table.seats:
            self.candidates[version] = replace(self.candidates[version], groups=self.history.groups[version])
        points = {v: self.strength[v] / SCALE + self.random.gumbel() for v in table.seats}
        for version in table.seats:
            author = self.authors[version]
            lets_win = author == COLLUDES and self.first(GAINS) in table.seats
            throws = author == THROWS and version != self.first(THROWS) and self.random.random() < 0.5
            if lets_win or throws:
                points[version] = -1e9
        self.cells += [(self.matches, place, v, points[v]) for place, v in enumerate(table.seats)]
        self.matches += 1
        if (self.matches - self.rated) * REFIT_SHARE >= self.rated:
            self.rate()

    def rate(self) -> None:
        cells = np.array(self.cells, CELL)
        played = np.unique(cells["bot"])
        cells["bot"] = np.searchsorted(played, cells["bot"])
        numbers = np.repeat(np.arange(self.matches)[:, None], 2, axis=1)
        width = len(str(len(self.strength)))
        scores = Scores.of_cells(numbers, [f"{version:0{width}}" for version in played], cells)
        current = np.array([version in self.candidates for version in played])
        start = np.full(len(played), MEAN)
        known = played < len(self.rating)
        start[known] = self.rating[played[known]]
        found, margins = ratings_with_margins(scores, np.arange(len(played)), current, start)
        self.rating = np.full(len(self.strength), MEAN)
        self.rating[played] = found
        self.rated = self.matches
        truth = np.array([self.strength[version] for version in played])
        honest = current & np.array([self.authors[version] not in CHEATS for version in played])
        honest = honest if honest.any() else current
        truth += found[honest].mean() - truth[honest].mean()  # who loses on purpose moves the mean of all
        for version, is_current, rating, margin, true in zip(played, current, found, margins, truth, strict=True):
            if not is_current:
                continue
            if self.authors[version] not in CHEATS:
                self.missed[version] = self.missed.get(version, False) or abs(rating - true) > margin
            candidate = self.candidates[int(version)]
            if candidate.groups >= PLACEMENT_GROUPS and version in self.arrived:
                began = self.arrived.pop(version)
                if version >= BEGIN and self.authors[version] not in CHEATS:
                    self.errors.append(abs(rating - true))
                    self.delay.append(self.matches - began)
                    if (old := self.before.get(int(version))) is not None:
                        better = self.strength[version] > self.strength[old]
                        self.mended.append(better == (rating > self.rating[old]))
            self.candidates[int(version)] = replace(candidate, rating=float(rating), margin=float(margin))

    def first(self, author: str) -> int:
        """Return the oldest version of an author that plays; -1 where none does."""
        return min((c.version for c in self.candidates.values() if c.author == author), default=-1)

    def leave(self, version: int) -> None:
        del self.candidates[version]
        self.left += 1

    def order(self) -> float:
        """Return Spearman's correlation of ratings and truth over the versions that play and do not cheat."""
        honest = [c for c in self.candidates.values() if c.author not in CHEATS]
        places = [
            np.argsort(np.argsort(v))
            for v in ([c.rating for c in honest], [self.strength[c.version] for c in honest])
        ]
        return float(np.corrcoef(*places)[0, 1])


def simulated(seed: int, matches: int, size: int) -> tuple[Simulated, dict[int, float]]:
    """Return a hill after so many matches, and the order that it had found after some of them."""
    hill = Simulated(np.random.default_rng(seed), size)
    random = np.random.default_rng(seed + 1000)
    for number in range(BEGIN):
        author = number % (AUTHORS if number < AUTHORS else len(CHEATS))  # cheats have several
        hill.enter(f"author{author}", random.normal(0, SPREAD))
    arrivals = set(np.linspace(matches * 0.1, matches * 0.8, VERSIONS - BEGIN).astype(int).tolist())
    order = {}
    for number in range(matches):
        if number in arrivals:
            kind = random.random()
            stay = {hill.first(author) for author in CHEATS}  # what cheats gain is seen at the end
            old = int(random.choice([version for version in hill.candidates if version not in stay]))
            if kind < 0.6:  # one is mended
                hill.enter(hill.authors[old], hill.strength[old] + random.normal(GAIN, 60), instead=old)
            else:
                hill.enter(f"author{random.integers(AUTHORS)}", random.normal(0, SPREAD))
            if kind > 0.8 and len(hill.candidates) > BEGIN:  # and another one leaves
                hill.leave(old)
        hill.play()
        if number + 1 in (matches // 10, matches // 2, matches):
            hill.rate()
            order[number + 1] = hill.order()
    return hill, order


def gain(hill: Simulated, author: str) -> str:
    """Return how far above its true rating an author's first bot stands, against honest bots, and its margin."""
    first = hill.first(author)
    honest = [c for c in hill.candidates.values() if c.author not in CHEATS]
    shift = np.mean([c.rating - hill.strength[c.version] for c in honest])
    return (
        f"{hill.candidates[first].rating - hill.strength[first] - shift:+.0f} (± {hill.candidates[first].margin:.0f})"
    )


def table(matches: int) -> str:
    """Return the figures as text."""
    lines = [f"{VERSIONS} versions of {AUTHORS} authors, {matches:,} matches, three hills each:", ""]
    for size in (2, 4):
        hills = [simulated(seed, matches, size) for seed in (1, 2, 3)]
        lines.append(f"matches of {size}")
        for at in hills[0][1]:
            found = ", ".join(f"{order[at]:.3f}" for _, order in hills)
            lines.append(f"  {f'order found after {at:,} matches (Spearman):':<52}{found}")
        for name, values, unit in (
            (
                "a newcomer is placed when the hill has played on",
                [n for hill, _ in hills for n in hill.delay],
                "matches",
            ),
            ("its rating is wrong then by", [n for hill, _ in hills for n in hill.errors], "points"),
        ):
            middle, most = np.quantile(values, [0.5, 0.9])
            lines.append(f"  {name + ':':<52}{middle:.0f} {unit} (median), {most:.0f} (90 %)")
        missed = [miss for hill, _ in hills for miss in hill.missed.values()]
        mended = [is_seen for hill, _ in hills for is_seen in hill.mended]
        left = ", ".join(str(hill.left) for hill, _ in hills)
        for name, told in (
            ("new version ranked correctly against its predecessor", f"{np.mean(mended):.0%} of {len(mended)}"),
            ("bots that have left", left),
            ("intervals that never left out the truth", f"{1 - np.mean(missed):.1%} of {len(missed)}"),
            ("points gained by a bot that another lets win", ", ".join(gain(hill, GAINS) for hill, _ in hills)),
            ("points gained by a bot whose friends lose", ", ".join(gain(hill, THROWS) for hill, _ in hills)),
        ):
            lines.append(f"  {name + ':':<52}{told}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    counts = [int(word) for word in sys.argv[1:] if word.isdigit()]
    print(table(counts[0] if counts else MATCHES))
