"""How a contest of a game is laid out: how many sit at a table, and how often each table is played."""

from __future__ import annotations

from collections.abc import Mapping

from koth.contest.schedule import Format
from koth.errors import KothError
from koth.game import Game

NAMED = 8
"""So many bots that play more matches than others are named."""


def seating(game: Game, bots: int, table: int | None = None, seeds: str = "shared") -> Format:
    """The layout for so many bots; `table` seats were asked for (None: as the statement says, or as many as fit).

    Where the statement seats bots at tables, every table is played from each of its seats. Raises KothError when the
    game can't be played so.
    """
    seats = f"{game.name} is played by {game.seats.start} to {game.seats.stop - 1} bots"
    if table is not None and table not in game.seats:
        raise KothError(f"--seats {table}: {seats}")
    size = min(table or game.contest_defaults.table or _even(bots, game.seats.stop - 1), bots)
    if size not in game.seats:
        raise KothError(f"{seats}, not {size}")
    rotations = size if game.contest_defaults.table else 1
    return Format(size, rotations, equal=game.contest_defaults.aggregate == "sum", seeds=seeds)


def _even(bots: int, most: int) -> int:
    """The size of as few tables as can be, as equal as can be."""
    return -(-bots // -(-bots // most))


def trial(turns: int | None) -> str:
    """Behind what is played, whether its matches end before their time: after so many turns, or None."""
    return "" if turns is None else f", a trial of {turns:,} turn{'s' if turns > 1 else ''} each"


def plan(form: Format, each: Mapping[str, int], missing: int, until: str = "") -> str:
    """Say in one line what will be played: so many matches of `each` bot in all, `missing` of them not yet played."""
    matches, low, high = sum(each.values()) // form.size, min(each.values()), max(each.values())
    told = f"{missing:,} of " if missing < matches else ""
    told = f"{'at most ' if until else ''}{told}{matches:,} match{'es' if matches != 1 else ''}"
    if form.size < len(each) or form.rotations > 1:
        blocks = matches // form.rotations
        tables = f"{blocks:,} table{'s' if blocks != 1 else ''} of {form.size}"
        told += f" ({tables}, each played from every seat)" if form.rotations > 1 else f" ({tables})"
    told += f", {low:,}" + (f" {'to' if high - low > 1 else 'or'} {high:,}" if low < high else "") + " for "
    told += f"each of {len(each):,} bots" if len(each) > 1 else "1 bot"
    return told + (f", until {until}" if until else "")


def more_than_others(each: Mapping[str, int]) -> str:
    """Name the bots that will have played more matches than others, most first; empty where all have as many."""
    least = min(each.values())
    more = sorted((name for name in each if each[name] > least), key=lambda name: -each[name])
    if not more:
        return ""
    left = f" and {len(more) - NAMED:,} others" if len(more) > NAMED else ""
    return f"more matches than {least:,}: " + ", ".join(f"{name} {each[name]:,}" for name in more[:NAMED]) + left
