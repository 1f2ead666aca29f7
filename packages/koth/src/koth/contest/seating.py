"""The format of a contest: the number of seats of a match, and of rotations."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from koth.errors import KothError
from koth.game import ContestDefaults

NAMED_BOTS = 8
"""The largest number of bots that `extra_matches_text` names."""


@dataclass(frozen=True)
class TableFormat:
    """The format of a contest: a table has `size` seats and plays `rotations` matches, with bots moving up one seat.

    These matches are a block; with several `variants` of the settings, a table plays a block of each in turn.
    With `equal`, all bots of a new contest have the same number of matches; otherwise the numbers may differ by one.
    `seeds` are "shared" by the matches of a block, or "independent".
    """

    size: int
    rotations: int = 1
    equal: bool = False
    seeds: str = "shared"
    variants: int = 1

    def tables_each(self, matches: int) -> int:
        """Return the number of tables that a bot needs for `matches` matches."""
        return -(-matches // (self.rotations * self.variants))

    def blocks_each(self, matches: int) -> int:
        """Return the number of blocks of a bot that gets at least `matches` matches."""
        return self.tables_each(matches) * self.variants

    def table(self, block: int) -> int:
        """Return the number of a block's table, from 0."""
        return (block - 1) // self.variants

    def tables(self, bots: int, matches: int) -> int:
        """Return the number of tables of a new contest that gives each bot at least `matches` matches."""
        each = self.tables_each(matches)
        if self.equal or self.rotations > 1:
            step = self.size // math.gcd(bots, self.size)
            each = -(-each // step) * step
        return -(-bots * each // self.size)

    def matches(self, bots: int, matches: int) -> int:
        """Return the number of matches of a new contest."""
        return self.tables(bots, matches) * self.rotations * self.variants


def variant_of(block: int) -> int:
    """Return the variant of the settings that a block plays, counted on from the first again and again."""
    return block - 1


def hill_variant(block: int) -> int:
    """Return the variant that a block of a hill plays: any, as a hill plans no matches ahead."""
    return int.from_bytes(hashlib.blake2b(str(block).encode(), digest_size=8).digest(), "little")


class Seated(Protocol):
    """What `seating` needs to know about a game."""

    @property
    def name(self) -> str:
        """The name of the game."""

    @property
    def seats(self) -> range:
        """The numbers of bots that can play in a match."""

    @property
    def contest_defaults(self) -> ContestDefaults:
        """The game's defaults for contests."""


def seating(game: Seated, bots: int, seats: int | None = None, seeds: str = "shared") -> TableFormat:
    """Return the format for `bots` bots in matches of `seats` seats (None: the game's default, or as many as fit).

    If the game has a default number of seats, and seats differ, each table plays one match per rotation. Raises
    KothError if the game does not allow this number of bots.
    """
    taken = f"{game.name} is played by {game.seats.start} to {game.seats.stop - 1} bots"
    if seats is not None and seats not in game.seats:
        raise KothError(f"--seats {seats}: {taken}")
    size = min(seats or game.contest_defaults.seats or _even(bots, game.seats.stop - 1), bots)
    if size not in game.seats:
        raise KothError(f"{taken}, not {size}")
    defaults = game.contest_defaults
    rotations = size if defaults.seats and not defaults.seats_alike else 1
    return TableFormat(size, rotations, equal=game.contest_defaults.aggregate == "sum", seeds=seeds)


def _even(bots: int, most: int) -> int:
    """Return the size of the largest table when bots form the fewest tables of nearly equal size."""
    return -(-bots // -(-bots // most))


def trial_text(turns: int | None) -> str:
    """Return a note, to follow a description, that matches end after `turns` turns; "" for None."""
    return "" if turns is None else f", a trial of {turns:,} turn{'s' if turns > 1 else ''} each"


def plan_text(
    form: TableFormat, each: Mapping[str, int], missing: int, until: str = "", meetings: tuple[int, int] | None = None
) -> str:
    """Return a line about the planned matches: `each` maps bots to match counts; `missing` matches are unplayed.

    `meetings` are the fewest and the most matches in which two bots meet, if not all bots play in each match.
    """
    matches, low, high = sum(each.values()) // form.size, min(each.values()), max(each.values())
    line = f"{'at most ' if until else ''}{missing:,} match{'es' if missing != 1 else ''}"
    line += f" to play of {matches:,}" if missing < matches else ""
    if form.size < len(each) or form.rotations * form.variants > 1:
        count = matches // (form.rotations * form.variants)
        tables = f"{count:,} table{'s' if count != 1 else ''} of {form.size}"
        every = ["from every seat"] * (form.rotations > 1)
        every += [f"in {form.variants:,} variants"] * (form.variants > 1)
        line += f" ({tables}{', each played ' if every else ''}{' and '.join(every)})"
    line += f", {low:,}" + (f" {'to' if high - low > 1 else 'or'} {high:,}" if low < high else "") + " for "
    line += f"each of {len(each):,} bots" if len(each) > 1 else "1 bot"
    if meetings is not None:
        low, high = meetings
        line += f"; every two meet in {low:,}" + (f" to {high:,}" if low < high else "")
    return line + (f", until {until}" if until else "")


def extra_matches_text(each: Mapping[str, int]) -> str:
    """Return a line on the bots with more matches than others, most first; "" if all have equal numbers."""
    least = min(each.values())
    more = sorted((name for name in each if each[name] > least), key=lambda name: -each[name])
    if not more:
        return ""
    left = f" and {len(more) - NAMED_BOTS:,} others" if len(more) > NAMED_BOTS else ""
    return f"more matches than {least:,}: " + ", ".join(f"{name} {each[name]:,}" for name in more[:NAMED_BOTS]) + left
