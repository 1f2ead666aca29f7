"""A hill simulated: bots that enter, improve, leave, collude and throw, under its own scheduler and ratings.

`python benchmarks/hill.py` prints the table of docs/hill.md; `--write` puts it there. Results are drawn as ratings
say (Plackett and Luce's model), so that the truth is known; two authors cheat. No bot is run.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from koth.hill.scheduler import PLACEMENT, REFIT, Candidate, Tally, choose
from koth.standings.rating import MEAN, SCALE, ratings_with_margins
from koth.standings.scores import CELL, Scores

PAGE = Path(__file__).parents[1] / "docs" / "hill.md"
AUTHORS, BEGIN, VERSIONS, MATCHES, SEATS = 50, 60, 200, 10_000, 2
SPREAD = 250.0
"""Standard deviation of the strengths of bots, in points of rating."""
GAIN = 40.0
"""Points that a new version of a bot is better by, on average."""
CHEATS = ("author0", "author1")
"""Their bots let the first bot of theirs win whenever they meet it; author1's others lose to anybody on purpose."""


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
    tally: Tally = field(default_factory=Tally)
    cells: list[tuple[int, int, int, float]] = field(default_factory=list)
    matches: int = 0
    rated: int = 0
    rating: np.ndarray = field(default_factory=lambda: np.zeros(0))
    errors: list[float] = field(default_factory=list)
    """For each newcomer, by how many points its rating was wrong when it was placed."""
    arrived: dict[int, int] = field(default_factory=dict)
    """Matches of the whole hill when a version came."""
    delay: list[int] = field(default_factory=list)
    missed: dict[int, bool] = field(default_factory=dict)
    """By version, whether an interval of it ever left out the truth; cheats apart."""

    def enter(self, author: str, strength: float, instead: int | None = None) -> None:
        version = len(self.strength)
        rating = MEAN
        if instead is not None and (old := self.candidates.pop(instead, None)):
            rating = old.rating
        self.strength.append(strength)
        self.authors.append(author)
        self.arrived[version] = self.matches
        self.candidates[version] = Candidate(version, f"bot{version}", author, rating=rating)

    def play(self) -> None:
        table = choose(self.candidates.values(), self.tally, min(self.size, len(self.candidates)))
        self.tally.add(table.seats, self.authors[table.focus])
        for version in table.seats:
            self.candidates[version] = replace(self.candidates[version], tables=self.tally.tables[version])
        points = {v: self.strength[v] / SCALE + self.random.gumbel() for v in table.seats}
        for version in table.seats:
            author = self.authors[version]
            friends = [v for v in table.seats if self.authors[v] == author]
            if author in CHEATS and len(friends) > 1 and version != min(friends):
                points[version] = -1e9
        self.cells += [(self.matches, place, v, points[v]) for place, v in enumerate(table.seats)]
        self.matches += 1
        if (self.matches - self.rated) * REFIT >= self.rated:
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
        truth += MEAN - truth[current].mean()
        for version, is_current, rating, margin, true in zip(played, current, found, margins, truth, strict=True):
            if not is_current:
                continue
            if self.authors[version] not in CHEATS:
                self.missed[version] = self.missed.get(version, False) or abs(rating - true) > margin
            candidate = self.candidates[int(version)]
            if candidate.tables >= PLACEMENT and version in self.arrived:
                began = self.arrived.pop(version)
                if version >= BEGIN and self.authors[version] not in CHEATS:
                    self.errors.append(abs(rating - true))
                    self.delay.append(self.matches - began)
            self.candidates[int(version)] = replace(candidate, rating=float(rating), margin=float(margin))

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
        hill.enter(f"author{number % AUTHORS}", random.normal(0, SPREAD))
    arrivals = set(np.linspace(matches * 0.1, matches * 0.8, VERSIONS - BEGIN).astype(int).tolist())
    order = {}
    for number in range(matches):
        if number in arrivals:
            kind = random.random()
            old = int(random.choice(list(hill.candidates)))
            if kind < 0.6:  # one is mended
                hill.enter(hill.authors[old], hill.strength[old] + random.normal(GAIN, 60), instead=old)
            else:
                hill.enter(f"author{random.integers(AUTHORS)}", random.normal(0, SPREAD))
            if kind > 0.8 and len(hill.candidates) > BEGIN:  # and another one leaves
                hill.candidates.pop(int(random.choice(list(hill.candidates))))
        hill.play()
        if number + 1 in (matches // 10, matches // 2, matches):
            hill.rate()
            order[number + 1] = hill.order()
    return hill, order


def cheats(hill: Simulated) -> str:
    """Return how far above their true ratings the first bots of those who cheat stand, in words."""
    playing = list(hill.candidates.values())
    shift = MEAN - np.mean([hill.strength[c.version] for c in playing])
    gains = []
    for author in CHEATS:
        own = [c for c in playing if c.author == author]
        if own:
            best = min(own, key=lambda c: c.version)
            gains.append(best.rating - (hill.strength[best.version] + shift))
    return ", ".join(f"{gain:+.0f}" for gain in gains) or "none left"


def table(matches: int) -> str:
    """Return the figures as text."""
    lines = [f"{VERSIONS} versions of {AUTHORS} authors, {matches:,} matches, three hills each:", ""]
    for size in (2, 4):
        hills = [simulated(seed, matches, size) for seed in (1, 2, 3)]
        lines.append(f"matches of {size}")
        for at in hills[0][1]:
            found = ", ".join(f"{order[at]:.3f}" for _, order in hills)
            lines.append(f"  {f'order found after {at:,} matches (Spearman):':<50}{found}")
        for name, values, unit in (
            (
                "a newcomer is placed when the hill has played on",
                [n for hill, _ in hills for n in hill.delay],
                "matches",
            ),
            ("its rating is wrong then by", [n for hill, _ in hills for n in hill.errors], "points"),
        ):
            middle, most = np.quantile(values, [0.5, 0.9])
            lines.append(f"  {name + ':':<50}{middle:.0f} {unit} (median), {most:.0f} (90 %)")
        missed = [miss for hill, _ in hills for miss in hill.missed.values()]
        lines.append(f"  {'intervals that never left out the truth:':<50}{1 - np.mean(missed):.1%} of {len(missed)}")
        lines.append(
            f"  {'points that cheats gain for their first bots:':<50}{'; '.join(cheats(h) for h, _ in hills)}"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    counts = [int(word) for word in sys.argv[1:] if word.isdigit()]
    text = table(counts[0] if counts else MATCHES)
    print(text)
    if "--write" in sys.argv:
        page = PAGE.read_text(encoding="utf-8")
        pattern = r"(<!-- block: simulated -->\n```text\n).*?```\n"
        PAGE.write_text(
            re.sub(pattern, lambda found: f"{found[1]}{text}```\n", page, flags=re.DOTALL), encoding="utf-8"
        )
