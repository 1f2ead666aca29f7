"""Those who share a square, and the waves in which their meetings are asked: what both rulesets have in common.

A **crowd** is a square on which several stand; a round's crowds are gathered once, after all have moved. Then a
ruleset (`pairs` or `original`) goes through the crowds again and again: it opens the meetings that can be asked
now, which are a **wave**; bots say what their instances want; the wave is settled, and some of it in fights.
"""

from __future__ import annotations

from collections.abc import Generator

import numpy as np

from koth.game import Answers, Array, Observations
from koth.games.aliens.fights import fight_it_out
from koth.games.aliens.state import NOBODY, State, is_asked, side_of
from koth.kernel import kernel


@kernel(allocates=True)
def gather_crowds(s: State) -> None:
    """Rule 3. List the squares on which several stand, each with its members, lowest slot first."""
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


@kernel(inline=True)
def must_ask(s: State, m: int, a: int, b: int) -> bool:
    """These two meet: is there a bot to be asked? Until it says otherwise each wants what it wants unasked."""
    s.wants[m, a] = wants_unasked(s.species[m, a], s.gone[m])
    s.wants[m, b] = wants_unasked(s.species[m, b], s.gone[m])
    return is_asked(s.species[m, a], s.gone[m]) or is_asked(s.species[m, b], s.gone[m])


@kernel
def wants_unasked(species: int, gone: Array) -> bool:
    """Rules 4, 6 and 8. Until somebody answers for it an alien wants to fight, and prey never does."""
    return bool(species < gone.size)


@kernel(inline=True)
def open_meeting(s: State, m: int, a: int, b: int) -> None:
    """The meeting of these two is one of the wave."""
    s.meeting[m, s.meetings[m], 0] = a
    s.meeting[m, s.meetings[m], 1] = b
    s.meetings[m] += 1


def ask_wave(s: State, observations: Observations) -> Generator[Observations, Answers, Answers]:
    """Rule 4. Ask everybody who has an opponent now whether it wants to fight, and note it."""
    answers = yield observations
    take_wishes(s.wants, s.gone, observations.match, observations.unit, answers["fight"], answers.gone)
    return answers


@kernel
def take_wishes(wants: Array, gone: Array, match: Array, unit: Array, fight: Array, now_gone: Array) -> None:
    """Rule 4. Note in `State.wants` who wants to fight, and in `State.gone` whose bots are."""
    for i in range(match.size):
        wants[match[i], unit[i]] = fight[i] != 0
    for m in range(gone.shape[0]):
        for seat in range(gone.shape[1]):
            gone[m, seat] |= now_gone[m, seat]


@kernel(inline=True)
def settle_wave(s: State, m: int) -> None:
    """Rule 4. All meetings of the wave have been asked about, and come to their end."""
    for i in range(s.meetings[m]):
        a = s.meeting[m, i, 0]
        b = s.meeting[m, i, 1]
        s.opponent[m, a] = NOBODY
        s.opponent[m, b] = NOBODY
        settle(s, m, a, b)
    s.meetings[m] = 0


@kernel(inline=True)
def settle(s: State, m: int, a: int, b: int) -> None:
    """Rule 4. Unless both want peace they fight."""
    if s.wants[m, a] != 0 or s.wants[m, b] != 0:
        fight_it_out(s, m, a, b)


@kernel(inline=True)
def keep_crowd(s: State, m: int, crowd: int, place: int) -> None:
    """A crowd that has not come to its end is one of the next wave's, in this place of the list."""
    s.crowd_start[m, place] = s.crowd_start[m, crowd]
    s.crowd_size[m, place] = s.crowd_size[m, crowd]
    s.arrived[m, place] = s.arrived[m, crowd]
