"""Who meets whom by the published rules: on every square, all pairs in random order (rule 4).

Every pair of a square has a random place in the round's order of meetings; drawing the next pair uniformly
among those left comes to the same, and needs no record of who has met whom. A meeting can only influence
those two who meet. So it is asked as soon as each of the two has had its earlier ones: all such meetings,
of all squares, are a wave.
"""

from __future__ import annotations

from koth.game import Array, Turn, Views
from koth.games.aliens import rules, view
from koth.games.aliens.rules import PAIR, meet, settle_meetings, wants_unasked
from koth.games.aliens.state import Settings, State, is_asked
from koth.kernel import kernel
from koth.rng import word

LAST = 2**62
"""More than every place of a pair."""


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


@kernel
def next_pairs(s: State) -> None:
    """Settle the meetings of this wave, and list those that bots must be asked about in the next.

    Squares without one are dropped. Those of one square meet who are each other's next. Where no bot is to be
    asked it is settled at once, and the square looked at again.
    """
    settle_meetings(s)
    for m in range(s.seed.size):
        seed, clock, slots = s.seed[m], s.clock[m], s.hp.shape[1]
        hp, species, gone, wants = s.hp[m], s.species[m], s.gone[m], s.wants[m]
        opponent, met, partner, place = s.opponent[m], s.met[m], s.partner[m], s.place[m]
        meeting = s.meeting[m]
        count = 0
        kept = 0
        for pile in range(s.piles[m]):
            start = s.pile_start[m, pile]
            size = int(s.pile_size[m, pile])
            before = count
            settled = True
            while settled:
                settled = False
                size = drop_dead_members(hp, s.member[m, start : start + size])
                members = s.member[m, start : start + size]
                find_partners(seed, clock, slots, members, opponent, met, partner, place)
                for i in range(size):
                    a = members[i]
                    b = partner[a]
                    if b <= a or partner[b] != a:
                        continue
                    met[a] = met[b] = place[a]
                    wants[a] = wants_unasked(species[a], gone)
                    wants[b] = wants_unasked(species[b], gone)
                    if is_asked(species[a], gone) or is_asked(species[b], gone):
                        opponent[a] = b
                        opponent[b] = a
                        meeting[count, 0] = a
                        meeting[count, 1] = b
                        count += 1
                    else:
                        settled = True
                        if wants[a] != 0 or wants[b] != 0:
                            meet(s, m, a, b)
            if count > before:
                s.pile_start[m, kept] = start
                s.pile_size[m, kept] = size
                kept += 1
        s.piles[m] = kept
        s.meetings[m] = count


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
def find_partners(
    seed: int, clock: int, slots: int, members: Array, opponent: Array, met: Array, partner: Array, place: Array
) -> None:
    """Whom each member of a square meets next, and the place of that pair.

    That is the first pair after the last one in which it met somebody. Who is in a meeting now has no next
    one yet.
    """
    if members.size == 2 and met[members[0]] < 0 and met[members[1]] < 0:  # there is nothing to choose
        partner[members[0]] = members[1]
        partner[members[1]] = members[0]
        place[members[0]] = place[members[1]] = LAST
        return
    for i in range(members.size):
        partner[members[i]] = -1
        place[members[i]] = LAST
    for i in range(members.size):
        a = members[i]
        for j in range(i + 1, members.size):
            b = members[j]
            pair = int(a) * slots + int(b)
            at = (word(seed, clock, PAIR, pair) << 30) + pair
            if met[a] < at < place[a]:
                place[a] = at
                partner[a] = b
            if met[b] < at < place[b]:
                place[b] = at
                partner[b] = a
    for i in range(members.size):
        if opponent[members[i]] >= 0:
            partner[members[i]] = -1
