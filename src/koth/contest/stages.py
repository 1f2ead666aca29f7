"""A contest that goes on with more games or another field: which of its matches count now, and which are missing.

A match counts as long as all its bots still take part, as they were, and as it has as many seats as matches have now.
So at tables only what is missing is played; where all play in one match, another field begins anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from koth.contest.schedule import Pairing

Field = Sequence[tuple[str, str]]
"""Name and digest of everybody, by place."""


def counting(pairings: Iterable[Pairing], fields: Sequence[Field], size: int) -> list[Pairing]:
    """The matches that count in the last of the fields, their seats as places in it."""
    places = {bot: place for place, bot in enumerate(fields[-1])}
    found = []
    for pairing in pairings:
        if pairing.stage == len(fields) - 1:
            found.append(pairing)
        elif len(pairing.seats) == size:
            seats = [places.get(fields[pairing.stage][place]) for place in pairing.seats]
            if None not in seats:
                found.append(replace(pairing, seats=tuple(seat for seat in seats if seat is not None)))
    return found
