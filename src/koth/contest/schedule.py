"""Who plays whom: the matches of a contest, in order. It knows no game."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True)
class Pairing:
    """One match to play: `seats` holds the places of its bots in the contest's list, in seat order.

    Matches of one `block` share dice and bots (and only change seats), so they count as one observation.
    """

    index: int
    block: int
    seats: tuple[int, ...]


def match_name(index: int) -> str:
    """What the files of a match are called."""
    return f"match-{index:04d}"


def everybody(bots: int, games: int) -> list[Pairing]:
    """Every bot in every match."""
    return [Pairing(i, i, tuple(range(bots))) for i in range(games)]


def tables(bots: int, size: int, games: int, seed: int) -> list[Pairing]:
    """Matches at tables of `size`, at least `games` for each bot and equally many for all.

    A block is one table and its dice, played as often as it has seats, rotated, so that everybody sits
    everywhere. By `seed` the tables are drawn so that pairs meet as equally often as can be found.
    """
    size = min(size, bots)
    per_bot = _blocks_of_each(bots, size, games)
    rng = random.Random(seed)
    drawn = min(
        (_draw(bots, size, bots * per_bot // size, rng) for _ in range(40)), key=lambda t: _unevenness(bots, t)
    )
    pairings: list[Pairing] = []
    for block, table in enumerate(drawn):
        for turned in range(size):
            seats = table[turned:] + table[:turned]
            pairings.append(Pairing(len(pairings), block, tuple(seats)))
    return pairings


def _blocks_of_each(bots: int, size: int, games: int) -> int:
    per_bot = -(-games // size)
    while bots * per_bot % size:
        per_bot += 1
    return per_bot


def matches_at_tables(bots: int, size: int, games: int) -> int:
    """How many matches `tables` makes."""
    size = min(size, bots)
    return bots * _blocks_of_each(bots, size, games)


def _draw(bots: int, size: int, blocks: int, rng: random.Random) -> list[list[int]]:
    """Fill table after table with who has played least, and met the others at it least."""
    met: Counter[tuple[int, int]] = Counter()
    played = [0] * bots
    drawn = []
    for _ in range(blocks):
        table: list[int] = []
        while len(table) < size:
            free = [bot for bot in range(bots) if bot not in table]
            rng.shuffle(free)
            best = min(free, key=lambda bot: (played[bot], sum(met[_pair(bot, other)] ** 2 for other in table)))
            table.append(best)
        for bot in table:
            played[bot] += 1
        met.update(_pair(a, b) for a, b in combinations(table, 2))
        rng.shuffle(table)
        drawn.append(table)
    return drawn


def _pair(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)


def _unevenness(bots: int, drawn: Sequence[Sequence[int]]) -> tuple[int, int]:
    met = Counter(_pair(a, b) for table in drawn for a, b in combinations(table, 2))
    counts = [met[pair] for pair in combinations(range(bots), 2)]
    return max(counts, default=0) - min(counts, default=0), sum(count * count for count in counts)


def pair_spread(bots: int, pairings: Sequence[Pairing]) -> tuple[int, int]:
    """The fewest and the most matches that two bots play against each other."""
    met = Counter(_pair(a, b) for p in pairings for a, b in combinations(p.seats, 2))
    counts = [met[pair] for pair in combinations(range(bots), 2)]
    return (min(counts), max(counts)) if counts else (0, 0)
