"""Who meets whom by the published rules: on every square, all pairs in random order (rule 4).

Every pair has a random **place** in the round's order of meetings. To go through the pairs of a square by their
places comes to the same as drawing, again and again, one of those that are left.

A meeting can only influence those two who meet. So it need not wait for its turn: it is opened as soon as each of
the two has had its earlier ones, when it is the **next pair** of both. All such meetings, of all squares, are a wave.
"""

from __future__ import annotations

import numpy as np

from koth.game import Array, Buffers, RowIndex, Turn
from koth.games.aliens.meetings import (
    ask_wave,
    gather_crowds,
    keep_crowd,
    must_ask,
    open_meeting,
    settle,
    settle_wave,
)
from koth.games.aliens.observation import Meetings, write_meetings
from koth.games.aliens.rules import PAIR
from koth.games.aliens.state import NOBODY, Settings, State
from koth.kernel import kernel
from koth.rng import word

NO_PAIR, LAST = -1, 2**62
"""Before, and after, the places of all pairs."""


def encounters(settings: Settings, s: State, buffers: Buffers) -> Turn:
    """Rule 4, wave after wave, until every square is at peace."""
    gather_crowds(s)
    nobody_has_met(s)
    while rows := next_wave(s, settings.instances, *buffers.arrays("meet")):
        yield from ask_wave(s, buffers.observations("meet", rows))


def nobody_has_met(s: State) -> None:
    """Rule 4. There is peace for the round between those who have met, and nobody has met anybody in this one."""
    s.last_pair[:] = NO_PAIR


@kernel(allocates=True)
def next_wave(s: State, instances: int, index: RowIndex, observation: Meetings) -> int:
    """Settle the wave before, open the meetings of all crowds that can be asked now, and write who is asked.

    A crowd without one is at its end. Returns the number of rows; 0: all are.
    """
    next_pair = np.empty(s.hp.shape[1], np.int64)
    for m in range(s.seed.size):
        settle_wave(s, m)
        kept = 0
        for crowd in range(s.crowds[m]):
            before = s.meetings[m]
            while not meet_next(s, m, crowd, next_pair):
                pass
            if s.meetings[m] > before:
                keep_crowd(s, m, crowd, kept)
                kept += 1
        s.crowds[m] = kept
    return write_meetings(s, instances, index, observation)


@kernel(inline=True)
def meet_next(s: State, m: int, crowd: int, next_pair: Array) -> bool:
    """Open each meeting that is the next one of both. Where no bot is to be asked it is settled at once.

    Returns whether all were opened: after one that is settled, others may be next.
    """
    start, slots = s.crowd_start[m, crowd], s.hp.shape[1]
    s.crowd_size[m, crowd] = drop_the_dead(s.hp[m], s.member[m, start : start + s.crowd_size[m, crowd]])
    members = s.member[m, start : start + s.crowd_size[m, crowd]]
    find_next_pairs(s.seed[m], s.clock[m], slots, members, s.last_pair[m], next_pair)
    opened = True
    for i in range(members.size):
        a = members[i]
        b = second_of(next_pair[a], slots)
        if b <= a or next_pair[b] != next_pair[a] or s.opponent[m, a] != NOBODY or s.opponent[m, b] != NOBODY:
            continue
        s.last_pair[m, a] = s.last_pair[m, b] = next_pair[a]
        if must_ask(s, m, a, b):
            s.opponent[m, a] = b
            s.opponent[m, b] = a
            open_meeting(s, m, a, b)
        else:
            settle(s, m, a, b)
            opened = False
    return opened


@kernel
def drop_the_dead(hp: Array, members: Array) -> int:
    """Rule 4. Only the living can be met: move them to the front, and say how many they are."""
    kept = 0
    for i in range(members.size):
        if hp[members[i]] > 0:
            members[kept] = members[i]
            kept += 1
    return kept


@kernel
def find_next_pairs(seed: int, clock: int, slots: int, members: Array, last_pair: Array, next_pair: Array) -> None:
    """The place of each member's next pair: the first one after that of its last meeting, `LAST` if there is none."""
    for i in range(members.size):
        next_pair[members[i]] = LAST
    for i in range(members.size):
        a = members[i]
        for j in range(i + 1, members.size):
            b = members[j]
            place = place_of(seed, clock, slots, a, b)
            if last_pair[a] < place < next_pair[a]:
                next_pair[a] = place
            if last_pair[b] < place < next_pair[b]:
                next_pair[b] = place


@kernel
def place_of(seed: int, clock: int, slots: int, a: int, b: int) -> int:
    """The place of the pair a < b: 32 random bits, then 30 that say which pair it is: no two are alike."""
    pair = int(a) * slots + int(b)
    return (word(seed, clock, PAIR, pair) << 30) + pair


@kernel
def second_of(place: int, slots: int) -> int:
    """The second one of the pair that has this place; -1 of `LAST`."""
    return NOBODY if place == LAST else (place & (2**30 - 1)) % slots
