"""A knockout: which bots meet and which advance, by their seeds and the scores of pairs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from koth.contest.reading import MatchRow
from koth.errors import visible
from koth.standings.scores import Blocks, Scores, estimates
from koth.standings.text import number

FINALS = ("final", "semifinals", "quarterfinals")
"""Names of rounds, the last one first."""


@dataclass(frozen=True)
class Duel:
    """A pair of bots in one round, in the order of the bracket.

    A bot that is not known yet is None; after a bye the second bot is None. `scores` are the pair's scores so far;
    `winner` is known when all matches are played; `first` is the first match's number, or None. With `same_rank` a
    tie is decided by lot.
    """

    bots: tuple[str | None, str | None]
    winner: str | None = None
    scores: tuple[float, float] | None = None
    first: int | None = None
    same_rank: bool = False

    @property
    def is_bye(self) -> bool:
        """True if the first bot advances without an opponent."""
        return self.winner is not None and None in self.bots

    @property
    def is_tied(self) -> bool:
        """True if the scores are equal."""
        return self.winner is not None and self.scores is not None and self.scores[0] == self.scores[1]

    @property
    def texts(self) -> tuple[str, str]:
        """The scores as text."""
        return ("", "") if self.scores is None else (number(self.scores[0]), number(self.scores[1]))

    @property
    def text(self) -> str:
        """The pair in a line; empty while a bot is not known."""
        one, other = ("" if bot is None else visible(bot) for bot in self.bots)
        if self.is_bye:
            return f"{one} has a bye"
        if not one or not other:
            return ""
        goes_on = "" if self.winner is None else f": {visible(self.winner)}"
        sides = f"{one} {self.texts[0]}".rstrip(), f"{other} {self.texts[1]}".rstrip()
        decided = f", by {'lot' if self.same_rank else 'its better rank'}" if self.is_tied else ""
        return " - ".join(sides) + goes_on + decided


@dataclass(frozen=True)
class Bracket:
    """The known rounds of a knockout. `order` lists the bots by seed; `rounds` is empty before the first."""

    order: tuple[str, ...] = ()
    rounds: tuple[tuple[Duel, ...], ...] = ()

    @property
    def winner(self) -> str | None:
        """The bot that won the final; None before the end."""
        return self.rounds[-1][0].winner if self.rounds else None

    @property
    def names(self) -> list[str]:
        """The names of the rounds."""
        return [FINALS[k] if k < len(FINALS) else f"last {2 << k}" for k in reversed(range(len(self.rounds)))]

    def lines(self) -> list[str]:
        """Return the rounds as text, a line for each known pair."""
        named = zip(self.names, self.rounds, strict=True)
        return [f"{name}: {duel.text}" for name, duels in named for duel in duels if duel.text]

    def seed(self, bot: str) -> int:
        """Return a bot's seed, from 1."""
        return 1 + self.order.index(bot)

    def as_json(self) -> dict[str, Any]:
        """Return the bracket for `--json` and pages; see `Duel` for `bye`, `tied` and `first`."""
        named = zip(self.names, self.rounds, strict=True)
        rounds = [{"name": name, "duels": [self._duel_json(duel) for duel in duels]} for name, duels in named]
        return {"rounds": rounds, "winner": self.winner}

    def _duel_json(self, duel: Duel) -> dict[str, Any]:
        seeds = [None if bot is None else self.seed(bot) for bot in duel.bots]
        return {**asdict(duel), "seeds": seeds, "texts": duel.texts, "bye": duel.is_bye, "tied": duel.is_tied}


Ranks = Mapping[str, tuple[int, int]]
"""Bots by name, each with its group and rank in the standings."""


def seed_bots(ranks: Ranks, first: int | None, commitment: str) -> Ranks:
    """Return the `first` best bots by seed: by group and rank in the standings, and by lot among equal ranks.

    The lot is a hash of the bot's name and the commitment to the secret of the contest, or of its last extension.
    """

    def lot(bot: str) -> bytes:
        return hashlib.blake2b(f"{commitment}/{bot}".encode(), person=b"koth lot").digest()

    return dict(sorted(ranks.items(), key=lambda ranked: (ranked[1], lot(ranked[0])))[:first])


def build_bracket(
    ranks: Ranks, aggregate: str, drawn: Mapping[int, Sequence[str]], rows: Iterable[MatchRow]
) -> Bracket:
    """Return the knockout of the bots in `ranks`.

    The first bot meets the last, and the first two can meet in the final only; if bots are too few for all places,
    the first ones have a bye. The bot with the higher score in its pair's matches advances; at equal scores the bot
    with the better seed, that is with the better rank, or else by lot. `drawn` maps a match's number to its bots,
    `rows` are the matches on record.
    """
    order = list(ranks)
    played = {row.number: row for row in rows if row.number in drawn}
    matches: dict[frozenset[str], list[int]] = {}
    for match in sorted(drawn):
        matches.setdefault(frozenset(drawn[match]), []).append(match)

    def duel(one: str | None, other: str | None) -> Duel:
        own = matches.get(frozenset((one, other)), []) if one is not None and other is not None else []
        if one is None or other is None or not own:
            return Duel((one, other))
        points = _points([played[match] for match in own if match in played], aggregate)
        if not {one, other} <= points.keys():
            return Duel((one, other), first=own[0])
        same_rank = ranks[one] == ranks[other]
        better = max((one, other), key=lambda bot: (points[bot], -order.index(bot)))
        winner = better if set(own) <= played.keys() else None
        return Duel((one, other), winner, (points[one], points[other]), own[0], same_rank)

    bots = [order[place] if place < len(order) else None for place in bracket_places(len(order))]
    rounds: list[tuple[Duel, ...]] = []
    while len(bots) > 1:
        pairs = list(zip(bots[::2], bots[1::2], strict=True))
        byes = {one for one, other in pairs if other is None and not rounds}
        rounds.append(tuple(Duel(pair, pair[0]) if pair[0] in byes else duel(*pair) for pair in pairs))
        bots = [duel.winner for duel in rounds[-1]]
    return Bracket(tuple(order), tuple(rounds))


def _points(rows: Iterable[MatchRow], aggregate: str) -> dict[str, float]:
    scores = Scores.of((row.block, row.scores) for row in rows)
    return dict(zip(scores.names, estimates(Blocks.of(scores, aggregate), aggregate).tolist(), strict=True))


def bracket_places(count: int) -> list[int]:
    """Return the seeds (from 0) in the order of a bracket's first round: for eight bots 0, 7, 3, 4, 1 ..."""
    found = [0]
    while len(found) < count:
        found = [place for better in found for place in (better, 2 * len(found) - 1 - better)]
    return found


def count_rounds(bots: int) -> int:
    """Return the number of rounds in a knockout of `bots` bots."""
    return (bots - 1).bit_length()
