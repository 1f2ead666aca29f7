"""Meetings by rule 4, or by rule 10 instead: the pairs of each wave.

A **crowd** is a square with several instances. Each of its pairs has a random **rank** in the round's order of
meetings: to take the pairs of a square by rank is equivalent to drawing one of the remaining pairs, again and again.
By rule 10 only the pairs with the instance that arrived first have a rank, that of the other's arrival.

A meeting influences only the two instances that meet. So a meeting opens as soon as both instances have had their
earlier meetings: then the two are the **next pair** of both. All such meetings, of all squares, are a wave.
"""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from koth.game import FAULT, Answers, Array, Buffers, Observations, Turn
from koth.games.aliens.fights import fight_it_out
from koth.games.aliens.observation import meetings
from koth.games.aliens.rules import ARRIVAL, PAIR
from koth.games.aliens.state import NOBODY, Settings, State, is_asked, side_of
from koth.kernel import kernel
from koth.rng import word

NO_PAIR, LAST = -1, 2**62
"""Before, and after, the ranks of all pairs."""
ERROR = FAULT["error"]


def encounters(settings: Settings, s: State, buffers: Buffers) -> Turn:
    """Play rules 4 and 10, until no pair is left on any square."""
    by_arrival = settings.meetings == "first"
    gather_crowds(s)
    while open_wave(s, by_arrival):
        if by_arrival:
            ask_only_newcomers(s)
            newcomers = meetings(settings, s, buffers)
            answers = yield from ask(s, newcomers)
            turn_to_the_first(s, newcomers.match, newcomers.unit, answers.fault)
        yield from ask(s, meetings(settings, s, buffers))
        settle_wave(s)


def ask(s: State, observations: Observations) -> Generator[Observations, Answers, Answers]:
    """Rule 4. Ask every alien with an opponent now whether it wants to fight, and note the answer."""
    answers = yield observations
    take_wishes(s.wants, s.gone, observations.match, observations.unit, answers["fight"], answers.gone)
    return answers


@kernel(allocates=True)
def gather_crowds(s: State) -> None:
    """Rule 3. List the squares with several instances, each with its members, lowest slot first.

    No meetings of this round have happened yet.
    """
    side = side_of(s)
    crowd_at = np.empty(side * side, np.int32)
    for m in range(s.seed.size):
        s.crowds[m] = 0
        s.meetings[m] = 0
        if s.over[m]:
            continue
        s.fight_count[m] = 0
        count_at = s.count_at[m]
        count_at[:] = 0
        for i in range(s.population[m]):
            slot = s.living[m, i]
            square = s.x[m, slot] * side + s.y[m, slot]
            count_at[square] += 1
            crowd_at[square] = NOBODY
            s.opponent[m, slot] = NOBODY
            s.last_pair[m, slot] = NO_PAIR
        members = 0
        for i in range(s.population[m]):
            slot = s.living[m, i]
            square = s.x[m, slot] * side + s.y[m, slot]
            if count_at[square] < 2:
                continue
            if crowd_at[square] == NOBODY:
                crowd_at[square] = s.crowds[m]
                s.crowd_start[m, s.crowds[m]] = members
                s.crowd_size[m, s.crowds[m]] = 0
                s.crowds[m] += 1
                members += count_at[square]
            crowd = crowd_at[square]
            s.member[m, s.crowd_start[m, crowd] + s.crowd_size[m, crowd]] = slot
            s.crowd_size[m, crowd] += 1


@kernel
def open_wave(s: State, by_arrival: bool) -> bool:
    """Open the meetings of all crowds that can be asked now; return False if no crowd has any left."""
    opened = False
    for m in range(s.seed.size):
        for crowd in range(s.crowds[m]):
            before = s.meetings[m]
            while not open_next(s, m, crowd, by_arrival):
                pass
            if s.meetings[m] == before:
                s.crowd_size[m, crowd] = 0
        opened = opened or s.meetings[m] > 0
    return opened


@kernel(inline=True)
def open_next(s: State, m: int, crowd: int, by_arrival: bool) -> bool:
    """Open each meeting that is next for both instances; settle it at once if no bot is asked about it.

    Return whether none was settled at once: a settled meeting may make others next.
    """
    start, slots = s.crowd_start[m, crowd], s.hp.shape[1]
    members = s.member[m, start : start + s.crowd_size[m, crowd]]
    first = first_of(s.seed[m], s.clock[m], members) if by_arrival else NOBODY
    find_next_pairs(s.seed[m], s.clock[m], s.hp[m], members, first, s.last_pair[m], s.next_pair[m])
    opened = True
    for i in range(members.size):
        a = members[i]
        rank = s.next_pair[m, a]
        b = second_of(rank, slots)
        if b <= a or s.next_pair[m, b] != rank or s.opponent[m, a] != NOBODY or s.opponent[m, b] != NOBODY:
            continue
        s.last_pair[m, a] = s.last_pair[m, b] = rank
        if a == first:  # the newcomer is asked, and struck, first
            a, b = b, a
        if must_ask(s, m, a, b):
            s.opponent[m, a] = b
            s.opponent[m, b] = a
            s.meeting[m, s.meetings[m], 0] = a
            s.meeting[m, s.meetings[m], 1] = b
            s.meetings[m] += 1
        else:
            settle(s, m, a, b)
            opened = False
    return opened


@kernel
def find_next_pairs(
    seed: int, clock: int, hp: Array, members: Array, first: int, last_pair: Array, next_pair: Array
) -> None:
    """Write the rank of each member's next pair: the first after its last meeting, `LAST` if there is none."""
    for i in range(members.size):
        next_pair[members[i]] = LAST
    for i in range(members.size):
        a = members[i]
        for j in range(i + 1, members.size):
            b = members[j]
            rank = rank_of(seed, clock, hp, a, b, first)
            if last_pair[a] < rank < next_pair[a]:
                next_pair[a] = rank
            if last_pair[b] < rank < next_pair[b]:
                next_pair[b] = rank


@kernel
def rank_of(seed: int, clock: int, hp: Array, a: int, b: int, first: int) -> int:
    """Return the rank of the pair a < b: 32 random bits, then 30 bits of the pair itself, so that all ranks differ.

    It is `LAST` if the pair does not meet: by rule 4 only living aliens meet; by rule 10 every alien, and every
    corpse, meets `first`.
    """
    pair = int(a) * hp.size + int(b)
    if first == NOBODY:
        return (word(seed, clock, PAIR, pair) << 30) + pair if hp[a] > 0 and hp[b] > 0 else LAST
    if first not in (a, b):
        return LAST
    return (word(seed, clock, ARRIVAL, a + b - first) << 30) + pair


@kernel
def second_of(rank: int, slots: int) -> int:
    """Return the second instance of the pair with this rank; -1 for `LAST`."""
    return NOBODY if rank == LAST else (rank & (2**30 - 1)) % slots


@kernel
def first_of(seed: int, clock: int, members: Array) -> int:
    """Rule 10. Return the member of a crowd whose action came first in the round."""
    first, earliest = NOBODY, LAST
    for i in range(members.size):
        place = word(seed, clock, ARRIVAL, members[i])
        if place < earliest:
            first, earliest = members[i], place
    return first


@kernel
def ask_only_newcomers(s: State) -> None:
    """Rule 10. First ask only newcomers."""
    for m in range(s.seed.size):
        for i in range(s.meetings[m]):
            s.opponent[m, s.meeting[m, i, 1]] = NOBODY


@kernel
def turn_to_the_first(s: State, match: Array, unit: Array, fault: Array) -> None:
    """Rule 10. Ask the aliens that were there first, unless the newcomer's answer was an exception."""
    for row in range(match.size):
        if fault[row] == ERROR:
            s.opponent[match[row], unit[row]] = NOBODY
    for m in range(s.seed.size):
        for i in range(s.meetings[m]):
            newcomer, first = s.meeting[m, i, 0], s.meeting[m, i, 1]
            if s.opponent[m, newcomer] != NOBODY:
                s.opponent[m, first] = newcomer
            s.opponent[m, newcomer] = NOBODY


@kernel(inline=True)
def must_ask(s: State, m: int, a: int, b: int) -> bool:
    """Return whether a bot must be asked about this pair; without a question each alien has its default wish."""
    s.wants[m, a] = default_wish(s.species[m, a], s.gone[m])
    s.wants[m, b] = default_wish(s.species[m, b], s.gone[m])
    return is_asked(s.species[m, a], s.gone[m]) or is_asked(s.species[m, b], s.gone[m])


@kernel
def default_wish(species: int, gone: Array) -> bool:
    """Rules 4, 6 and 8. Return the default wish: aliens want to fight, prey does not."""
    return bool(species < gone.size)


@kernel
def take_wishes(wants: Array, gone: Array, match: Array, unit: Array, fight: Array, now_gone: Array) -> None:
    """Rule 4. Note in `State.wants` which aliens want to fight, and in `State.gone` the bots that are gone."""
    for i in range(match.size):
        wants[match[i], unit[i]] = fight[i] != 0
    for m in range(gone.shape[0]):
        for seat in range(gone.shape[1]):
            gone[m, seat] |= now_gone[m, seat]


@kernel
def settle_wave(s: State) -> None:
    """Rule 4. Settle all meetings of the wave, after their questions."""
    for m in range(s.seed.size):
        for i in range(s.meetings[m]):
            a, b = s.meeting[m, i, 0], s.meeting[m, i, 1]
            s.opponent[m, a] = NOBODY
            s.opponent[m, b] = NOBODY
            settle(s, m, a, b)
        s.meetings[m] = 0


@kernel(inline=True)
def settle(s: State, m: int, a: int, b: int) -> None:
    """Rule 4. Let the two fight unless both want peace."""
    if s.wants[m, a] != 0 or s.wants[m, b] != 0:
        fight_it_out(s, m, a, b)
