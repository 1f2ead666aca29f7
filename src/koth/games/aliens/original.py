"""Who meets whom by the rules of the historic host: newcomers meet the first who arrived (rule 10).

Nobody can be met before its own action, so the order of the shuffled living only matters within a square,
and the meetings of different squares are asked at the same time: in two half-waves, newcomers and then
those they meet, because a newcomer whose code fails keeps the other from being asked.
"""

from __future__ import annotations

from koth.game import FAULT, Array, Buffers, Turn
from koth.games.aliens.meetings import (
    ask_wave,
    gather_crowds,
    keep_crowd,
    must_ask,
    open_meeting,
    settle,
    settle_wave,
)
from koth.games.aliens.observation import meetings
from koth.games.aliens.rules import ARRIVAL
from koth.games.aliens.state import NOBODY, Settings, State
from koth.kernel import kernel
from koth.rng import word

ERROR = FAULT["error"]


def encounters(settings: Settings, s: State, buffers: Buffers) -> Turn:
    """Rule 10, wave after wave, until every newcomer has met the first of its square."""
    gather_crowds(s)
    order_arrivals(s)
    while next_wave(s):
        newcomers = meetings(settings, s, buffers)
        answers = yield from ask_wave(s, newcomers)
        turn_to_the_first(s, newcomers.match, newcomers.unit, answers.fault)
        yield from ask_wave(s, meetings(settings, s, buffers))


@kernel
def order_arrivals(s: State) -> None:
    """Rule 10. Sort every crowd's members by the place of their actions in the round: the first is there already."""
    for m in range(s.seed.size):
        for crowd in range(s.crowds[m]):
            start = s.crowd_start[m, crowd]
            s.arrived[m, crowd] = 1
            for i in range(1, s.crowd_size[m, crowd]):
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
def next_wave(s: State) -> bool:
    """Settle the wave before, and open the next meeting of every crowd; one without is at its end. False: all are."""
    opened = False
    for m in range(s.seed.size):
        settle_wave(s, m)
        kept = 0
        for crowd in range(s.crowds[m]):
            if meet_next(s, m, crowd):
                keep_crowd(s, m, crowd, kept)
                kept += 1
        s.crowds[m] = kept
        opened = opened or kept > 0
    return opened


@kernel(inline=True)
def meet_next(s: State, m: int, crowd: int) -> bool:
    """Rule 10. Newcomers arrive, and meet the first: up to one of whose meeting a bot must be asked.

    What no bot is asked about is settled at once. Returns whether a meeting was opened; the newcomer is asked first.
    """
    start = s.crowd_start[m, crowd]
    first = s.member[m, start]
    while s.arrived[m, crowd] < s.crowd_size[m, crowd]:
        newcomer = s.member[m, start + s.arrived[m, crowd]]
        s.arrived[m, crowd] += 1
        if must_ask(s, m, newcomer, first):
            s.opponent[m, newcomer] = first
            open_meeting(s, m, newcomer, first)
            return True
        settle(s, m, newcomer, first)
    return False


@kernel
def turn_to_the_first(s: State, match: Array, unit: Array, fault: Array) -> None:
    """Rule 10. Now those are asked who were there first, unless the newcomer's answer was an exception."""
    for m in range(s.seed.size):
        for i in range(s.meetings[m]):
            s.opponent[m, s.meeting[m, i, 1]] = s.meeting[m, i, 0]
    for row in range(match.size):
        m, newcomer = match[row], unit[row]
        if fault[row] == ERROR:
            s.opponent[m, s.opponent[m, newcomer]] = NOBODY
    for m in range(s.seed.size):
        for i in range(s.meetings[m]):
            s.opponent[m, s.meeting[m, i, 0]] = NOBODY
