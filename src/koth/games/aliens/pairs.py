"""Who meets whom by the published rules: on every square, all pairs in random order (rule 4).

Squares are independent of each other, so one meeting of every square is asked at a time: a wave. Within a
square the order is that of a random number that every pair has for the round; drawing the next pair
uniformly among those left comes to the same, and needs no record of who has met whom.
"""

from __future__ import annotations

from koth.game import Array, Turn, Views
from koth.games.aliens import rules, view
from koth.games.aliens.rules import PAIR, meet, wants_unasked
from koth.games.aliens.state import Settings, State, is_asked
from koth.kernel import kernel
from koth.rng import word

LAST = 2**62
"""More than every place that a pair can have in the order of a square's meetings."""


def encounters(settings: Settings, s: State, views: Views) -> Turn:
    """Rule 4, wave after wave, until every square is at peace."""
    while True:
        next_pairs(s)
        asks = view.meetings(settings, s, views)
        if not len(asks):
            return
        answers = yield asks
        s.gone[:] |= answers.gone
        rules.take_wishes(s.wants, asks.match, asks.body, answers["fight"])
        rules.settle_meetings(s)


@kernel
def next_pairs(s: State) -> None:
    """The next pair of every square that a bot must be asked about; squares without one are dropped."""
    slots = s.hp.shape[1]
    for m in range(s.seed.size):
        species = s.species[m]
        gone = s.gone[m]
        wants = s.wants[m]
        kept = 0
        for pile in range(s.piles[m]):
            start = s.pile_start[m, pile]
            size = int(s.pile_size[m, pile])
            met = int(s.pile_met[m, pile])
            while True:
                size = drop_dead_members(s.hp[m], s.member[m, start : start + size])
                members = s.member[m, start : start + size]
                a, b, met = next_pair(s.seed[m], s.clock[m], slots, members, met)
                if a < 0:
                    break
                wants[a] = wants_unasked(species[a], gone)
                wants[b] = wants_unasked(species[b], gone)
                if is_asked(species[a], gone) or is_asked(species[b], gone):
                    break
                if wants[a] != 0 or wants[b] != 0:
                    meet(s, m, a, b)
            if a >= 0:
                s.opponent[m, a] = b
                s.opponent[m, b] = a
                s.meeting[m, kept, 0] = a
                s.meeting[m, kept, 1] = b
                s.pile_start[m, kept] = start
                s.pile_size[m, kept] = size
                s.pile_met[m, kept] = met
                kept += 1
        s.piles[m] = kept
        s.meetings[m] = kept


@kernel
def drop_dead_members(hp: Array, members: Array) -> int:
    """Only the living can be met: move them to the front, and say how many they are."""
    kept = 0
    for i in range(members.size):
        if hp[members[i]] > 0:
            members[kept] = members[i]
            kept += 1
    return kept


@kernel
def next_pair(seed: int, clock: int, slots: int, members: Array, met: int) -> tuple[int, int, int]:
    """The pair that meets next on a square, lower slot first, and its place: the next one after `met`.

    (-1, -1, LAST) when all have met.
    """
    if members.size == 2 and met < 0:  # by far the most frequent case: there is nothing to choose
        return int(members[0]), int(members[1]), LAST
    best = LAST
    first = -1
    second = -1
    for i in range(members.size):
        for j in range(i + 1, members.size):
            pair = int(members[i]) * slots + int(members[j])
            place = (word(seed, clock, PAIR, pair) << 30) + pair
            if met < place < best:
                best = place
                first = int(members[i])
                second = int(members[j])
    return first, second, best
