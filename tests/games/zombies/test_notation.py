"""The text notation, both ways, and what it refuses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koth.engine.batch import Batch
from koth.game import state_hash
from koth.games.zombies.state import BODY, PLAYER, ZOMBIE, Settings
from koth.seat_labels import seat_letters
from koth.testing import RandomAnswers
from tests.games.zombies.boards import GAME, TINY, shown

EMPTY = "\n".join([". . . . ."] * 4)


def test_everything_that_is_left_out_has_a_default() -> None:
    state = GAME.parse("A . # B z\n" + EMPTY, TINY)
    assert shown(state)[0] == ["A0", ".", "#8", "B0", "z9"]
    assert (state.clock[0], state.seed[0], state.next_number[0]) == (0, 0, 10)
    assert state.bullets[0, 0] == 3
    assert state.score.tolist() == [[0, 0]]


def test_everything_that_is_written_is_read() -> None:
    text = """clock 7
seats 3
seed 9007199254740993
next 40
scores 7 6 5
A3:0  .     #12:5 .     .
.     .     .     .     z39
.     B1:2  .     .     .
.     .     .     C0    .
.     .     .     .     .
"""
    state = GAME.parse(text, TINY)
    assert GAME.show(TINY, state, 0) == text
    assert state.seed[0] == 9007199254740993
    assert state.kind[0, [3, 5, 8, 12, 13]].tolist() == [PLAYER, PLAYER, PLAYER, BODY, ZOMBIE]
    assert state.seat[0, [3, 5, 8]].tolist() == [0, 1, 2]
    assert state.number[0, [3, 5, 8, 12, 13]].tolist() == [3, 5, 8, 12, 39]
    assert (state.x[0, 13], state.y[0, 13]) == (4, 1)
    assert not state.over[0]


def test_a_board_without_a_living_player_is_over() -> None:
    assert GAME.parse("# . # . z\n" + EMPTY, TINY).over[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the board must be square, not 0 rows of 0"),
        ("A . . .\n" + EMPTY, "line 2: 5 squares, the first row has 4"),
        (EMPTY, "the board must be square, not 4 rows of 5"),
        ("A . .\n. . .\n. . .", "narrower than what a player sees"),
        ("A . ? . .\n" + EMPTY, r"line 1: '\?' is no square"),
        ("A . .3 . .\n" + EMPTY, r"line 1: '\.3' is no square"),
        ("a . . . .\n" + EMPTY, "line 1: 'a' is no square"),
        ("A0: . . . .\n" + EMPTY, "line 1: 'A0:' is no square"),
        ("\nclock\nA . . . .\n" + EMPTY, "line 2: 'clock' takes 1 number, not 0"),
        ("clock 1 2\nA . . . .\n" + EMPTY, "line 1: 'clock' takes 1 number, not 2"),
        ("clock x\nA . . . .\n" + EMPTY, "line 1: 'clock' takes whole numbers below"),
        ("clock -1\nA . . . .\n" + EMPTY, "line 1: 'clock' takes whole numbers below"),
        ("clock 2147483648\nA . . . .\n" + EMPTY, "line 1: 'clock' takes whole numbers below"),
        ("seed 9223372036854775808\nA . . . .\n" + EMPTY, "line 1: 'seed' takes whole numbers below"),
        ("seats 0\nA . . . .\n" + EMPTY, "there must be 1 to 252 seats"),
        ("seats 253\nA . . . .\n" + EMPTY, "there must be 1 to 252 seats"),
        ("seats 2\nscores 1\nA . . . .\n" + EMPTY, "a score for each"),
        ("A0 A0 . . .\n" + EMPTY, "line 1: 'A0' is on the board already"),
        ("A A A A A\n" + EMPTY, "line 1: 'A' is on the board already, or none of the 4 players of 1 bots"),
        ("A4 . . . .\n" + EMPTY, "line 1: 'A4' is on the board already, or none of the 4 players"),
        ("seats 1\nB . . . .\n" + EMPTY, "line 2: 'B' is on the board already, or none of the 4 players of 1"),
        ("A z9 #9 . .\n" + EMPTY, "line 1: '#9' has a number that is somebody else's"),
        ("A z3 . . .\n" + EMPTY, "line 1: 'z3' has a number that is somebody else's"),
        ("next 9\nA z9 . . .\n" + EMPTY, "next 9: number 9 is already somebody's"),
        ("next 3\nA . . . .\n" + EMPTY, "next 3: number 3 is already somebody's"),
        ("seats 7\nA . . . .\n" + EMPTY, "28 players do not fit on 5 x 5 squares"),
    ],
)
def test_what_can_not_be_read_is_an_error_that_says_where(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GAME.parse(text, TINY)


def test_seats_beyond_z_have_two_letters() -> None:
    assert [seat_letters(seat) for seat in (0, 25, 26, 51, 52, 251)] == ["A", "Z", "AA", "AZ", "BA", "IR"]
    settings = Settings(players=1, vision=2, shoot_range=2, density=0.5)
    state = GAME.initial_state(settings, 60, [3])
    again = GAME.parse(GAME.show(settings, state, 0), settings)
    assert sorted(again.seat[0, :60].tolist()) == list(range(60))
    assert GAME.show(settings, again, 0) == GAME.show(settings, state, 0)


@given(seed=st.integers(0, 2**63 - 1), turns=st.integers(0, 12))
def test_a_match_in_play_goes_both_ways(seed: int, turns: int) -> None:
    settings = Settings(vision=2, shoot_range=2, players=6, density=0.1)
    batch = Batch(GAME, settings, 2, [seed])
    policy = RandomAnswers([seed], 2)
    texts = [GAME.show(settings, GAME.initial_state(settings, 2, [seed]), 0)]
    batch.on_turn = lambda: texts.append(GAME.show(settings, batch.state, 0))
    while batch.observations is not None and batch.turn < turns:
        batch.answer(policy(batch.observations))
    again = GAME.parse(texts[-1], settings)
    assert GAME.show(settings, again, 0) == texts[-1]
    assert state_hash(GAME, again, 0) == state_hash(GAME, GAME.parse(texts[-1], settings), 0)
