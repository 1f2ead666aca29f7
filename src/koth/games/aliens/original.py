"""Who meets whom by the rules of the historic host: newcomers meet the first who arrived (rule 10).

Nobody can be met before its own action, so the order of the shuffled living only matters within a square,
and the meetings of different squares are asked at the same time: in two half-waves, newcomers and then
those they meet, because a newcomer whose code fails keeps the other from being asked.
"""

from __future__ import annotations

from koth.game import FAULT, Array, Turn, Views
from koth.games.aliens import rules, view
from koth.games.aliens.rules import ARRIVAL, meet, settle_meetings, wants_unasked
from koth.games.aliens.state import Settings, State, is_asked
from koth.kernel import kernel
from koth.rng import word

ERROR = FAULT["error"]
FAILED = 2
"""In `wants`: a newcomer fights because its code raised an exception."""


def encounters(settings: Settings, s: State, views: Views) -> Turn:
    """Rule 10, wave after wave, until every newcomer has met the first of its square."""
    order_arrivals(s)
    while next_newcomers(s):
        newcomers = view.meetings(settings, s, views)
        answers = yield newcomers
        s.gone[:] |= answers.gone
        rules.take_wishes(s.wants, newcomers.match, newcomers.body, answers["fight"])
        turn_to_the_first(s, newcomers.match, newcomers.body, answers.fault)
        firsts = view.meetings(settings, s, views)
        answers = yield firsts
        s.gone[:] |= answers.gone
        rules.take_wishes(s.wants, firsts.match, firsts.body, answers["fight"])


@kernel
def order_arrivals(s: State) -> None:
    """Sort every pile's members by the place of their actions in the round."""
    for m in range(s.seed.size):
        for pile in range(s.piles[m]):
            start = s.pile_start[m, pile]
            s.pile_next[m, pile] = 1  # here: the member who arrives next
            for i in range(1, s.pile_size[m, pile]):
                slot = s.member[m, start + i]
                place = word(s.seed[m], s.clock[m], ARRIVAL, slot)
                j = i
                while j > 0:
                    other = s.member[m, start + j - 1]
                    if word(s.seed[m], s.clock[m], ARRIVAL, other) <= place:
                        break
                    s.member[m, start + j] = other
                    j -= 1
                s.member[m, start + j] = slot


@kernel
def next_newcomers(s: State) -> bool:
    """Settle the meetings of this wave; the next newcomer of every square whose meeting a bot must be asked about.

    False: there is none.
    """
    settle_meetings(s)
    found = False
    for m in range(s.seed.size):
        species = s.species[m]
        gone = s.gone[m]
        wants = s.wants[m]
        kept = 0
        for pile in range(s.piles[m]):
            start = s.pile_start[m, pile]
            first = s.member[m, start]
            arrivals = int(s.pile_next[m, pile])
            asked = False
            while not asked and arrivals < s.pile_size[m, pile]:
                newcomer = s.member[m, start + arrivals]
                arrivals += 1
                wants[newcomer] = wants_unasked(species[newcomer], gone)
                wants[first] = wants_unasked(species[first], gone)
                asked = is_asked(species[newcomer], gone) or is_asked(species[first], gone)
                if not asked and (wants[newcomer] != 0 or wants[first] != 0):
                    meet(s, m, newcomer, first)
            if asked:
                s.opponent[m, newcomer] = first
                s.meeting[m, kept, 0] = newcomer
                s.meeting[m, kept, 1] = first
                s.pile_start[m, kept] = start
                s.pile_size[m, kept] = s.pile_size[m, pile]
                s.pile_next[m, kept] = arrivals
                kept += 1
                found = True
        s.piles[m] = kept
        s.meetings[m] = kept
    return found


@kernel
def turn_to_the_first(s: State, match: Array, body: Array, fault: Array) -> None:
    """Now those are asked who were there first, unless the newcomer's answer was an exception."""
    for i in range(match.size):
        if fault[i] == ERROR:
            s.wants[match[i], body[i]] = FAILED
    for m in range(s.seed.size):
        for i in range(s.meetings[m]):
            newcomer = s.meeting[m, i, 0]
            first = s.meeting[m, i, 1]
            s.opponent[m, newcomer] = -1
            s.opponent[m, first] = -1 if s.wants[m, newcomer] == FAILED else newcomer
