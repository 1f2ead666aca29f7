"""Fog: what a piece can't see does not change what it is shown."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from koth.engine.batch import Batch
from koth.games.pacman import GAME
from koth.games.pacman.crowds import count_crowds
from koth.games.pacman.state import GHOST, PACMAN, Settings, State
from koth.rng import derive
from koth.testing import RandomAnswers
from tests.games.pacman.boards import see

SETTINGS = Settings(side=16)
SEATS = 4


def middle_of_a_match(seed: int, turns: int) -> State:
    """A match that has been going on for a while, with everybody still on the board."""
    batch = Batch(GAME, SETTINGS, SEATS, [seed])
    policy = RandomAnswers([seed], SEATS)
    while batch.observations is not None and batch.turn < turns:
        batch.answer(policy(batch.observations))
    batch.state.over[0] = False
    return batch.state


def shown_to(s: State, seat: int) -> bytes:
    """All that one piece is told right now."""
    who = int(s.status[0, seat])
    observations = see(SETTINGS, s, who)
    rows = dict(observations.of_match(0))
    return b"".join(array.tobytes() for array in rows[seat].fields.values())


def squares_shown(s: State, seat: int) -> list[int]:
    observations = see(SETTINGS, s, int(s.status[0, seat]))
    return dict(observations.of_match(0))[seat].fields["square"].tolist()


@given(seed=st.integers(0, 999), turns=st.integers(0, 40), noise=st.integers(0, 2**32), dead=st.booleans())
def test_what_is_out_of_sight_changes_nothing(seed: int, turns: int, noise: int, dead: bool) -> None:
    """Items, ghosts and pieces elsewhere, everybody's counters, phases, scores, the clock: all are changed."""
    rng = np.random.default_rng(noise)
    s = middle_of_a_match(seed, turns)
    me = int(rng.integers(SEATS))
    s.status[0, me] = GHOST if dead else PACMAN
    s.waits[0] = False
    count_crowds(s)
    before, seen = shown_to(s, me), squares_shown(s, me)
    hidden = np.setdiff1d(np.arange(SETTINGS.side**2), seen)
    if not len(hidden):
        return
    s.item[0].reshape(-1)[hidden] = rng.integers(0, 4, len(hidden))
    for rows, cols in ((s.ghost_row[0], s.ghost_col[0]), (s.row[0], s.col[0])):
        for k in range(len(rows)):
            if rows[k] * SETTINGS.side + cols[k] in hidden:
                rows[k], cols[k] = divmod(int(rng.choice(hidden)), SETTINGS.side)
    for array in (s.ghost_back, s.length, s.left, s.score, s.gained, s.invincible, s.seed, s.turn):
        array[...] = rng.integers(0, 4, array.shape)
    others = np.arange(SEATS) != me
    s.facing[0, others] = rng.integers(0, 5, SEATS - 1)
    count_crowds(s)
    assert shown_to(s, me) == before


@given(seed=st.integers(0, 999), noise=st.integers(0, 2**32))
def test_what_is_in_sight_shows(seed: int, noise: int) -> None:
    """The counterpart: a ghost put on a square in sight is seen there."""
    rng = np.random.default_rng(noise)
    s = middle_of_a_match(seed, 10)
    me = int(rng.integers(SEATS))
    s.status[0, me] = PACMAN
    s.ghost_row[0], s.ghost_col[0] = s.row[0, me], s.col[0, me]
    count_crowds(s)
    before, seen = shown_to(s, me), squares_shown(s, me)
    there = int(rng.choice(seen[1:]))
    already = any(
        s.status[0, i] == GHOST and s.row[0, i] * SETTINGS.side + s.col[0, i] == there for i in range(SEATS)
    )
    s.ghost_row[0, 0], s.ghost_col[0, 0] = divmod(there, SETTINGS.side)
    count_crowds(s)
    assert (shown_to(s, me) == before) is already


def test_facts_are_the_same_for_everybody() -> None:
    s = GAME.initial_state(SETTINGS, SEATS, [3])
    assert all(GAME.match_info(SETTINGS, s, 0, seat) == GAME.match_info(SETTINGS, s, 0, 0) for seat in range(SEATS))


@pytest.mark.parametrize("seed", [1, 2])
def test_facts_do_not_tell_the_seed(seed: int) -> None:
    s = GAME.initial_state(SETTINGS, SEATS, [derive(seed, "match")])
    told = GAME.match_info(SETTINGS, s, 0, 0)
    assert told.keys() - vars(SETTINGS).keys() == {"walls"}
    assert all(told[key] == getattr(SETTINGS, key) for key in told if key not in ("walls", "side"))
