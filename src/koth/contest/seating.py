"""How a contest of a game is laid out: how many sit at a table, and how often each table is played."""

from __future__ import annotations

from koth.contest.schedule import Format
from koth.errors import KothError
from koth.game import Game


def seating(game: Game, bots: int, table: int | None = None, seeds: str = "shared") -> Format:
    """The layout for so many bots; `table` seats were asked for (None: as the statement says, or as many as fit).

    Where the statement seats bots at tables, every table is played from each of its seats. Raises KothError when the
    game can't be played so.
    """
    seats = f"{game.name} is played by {game.seats.start} to {game.seats.stop - 1} bots"
    if table is not None and table not in game.seats:
        raise KothError(f"--table {table}: {seats}")
    size = min(table or game.convention.table or _even(bots, game.seats.stop - 1), bots)
    if size not in game.seats:
        raise KothError(f"{seats}, not {size}")
    turned = size if game.convention.table else 1
    return Format(size, turned, equal=game.convention.aggregate == "sum", seeds=seeds)


def _even(bots: int, most: int) -> int:
    """The size of as few tables as can be, as equal as can be."""
    return -(-bots // -(-bots // most))


def trial(turns: int | None) -> str:
    """Behind what is played, whether its matches end before their time: after so many turns, or None."""
    return "" if turns is None else f", a trial of {turns:,} turn{'s' if turns > 1 else ''} each"


def plan(form: Format, bots: int, games: int, until: str = "") -> str:
    """What will be played, in one line."""
    blocks, matches = form.blocks(bots, games), form.matches(bots, games)
    told = f"{'at most ' if until else ''}{matches:,} match{'es' if matches != 1 else ''}"
    if form.size < bots or form.turned > 1:
        tables = f"{blocks:,} table{'s' if blocks != 1 else ''} of {form.size}"
        told += f" ({tables}, each played from every seat)" if form.turned > 1 else f" ({tables})"
    each = matches * form.size // bots
    told += f", {each:,}{'' if each * bots == matches * form.size else f' or {each + 1:,}'} for "
    told += f"each of {bots:,} bots" if bots > 1 else "1 bot"
    return told + (f", until {until}" if until else "")
