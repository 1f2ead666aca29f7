"""Rules 1 to 11: a board, what the players do, the board after it."""

from __future__ import annotations

import numpy as np
import pytest

from koth.engine.batch import Batch
from koth.game import Answers, Observations, no_answers
from koth.games.metalman import GAME
from koth.games.metalman.state import ORIGINAL, Settings, State
from tests.games.lines import halves
from tests.games.metalman import notation
from tests.games.metalman.boards import Moves, answer, begin, board, play, same, settings_for


def started(seats: int, **changes: object) -> State:
    return GAME.initial_state(Settings(**changes), seats, [1])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("seats", "drawing"),
    [
        (
            4,
            """
            FFFFF | S0v A0v F   F   S1<
            FFFFF | F   F   F   F   A1<
            FFOFF | F   F   O   F   F
            FFFFF | A3> F   F   F   F
            FFFFF | S3> F   F   A2^ S2^
            """,
        ),
        (
            3,
            """
            FFFF | S0v A0v F   S1<
            FFFF | F   F   F   A1<
            FFFF | F   F   A2^ S2^
            """,
        ),
        (2, "FFF | S0v A0v F\nFFF | F F F\nFFF | F A1^ S1^"),
    ],
)
def test_rule_2_players_start_in_corners_two_in_opposite_ones(seats: int, drawing: str) -> None:
    map_text, start = halves(drawing)
    assert same(started(seats, map="\n".join(map_text.split())), start)


ROUNDS: dict[str, tuple[str, Moves]] = {
    # Player 0 steps out of the reach of player 1, who comes to where it was.
    "rule 3 player by player": (
        """
                          | dead S0> 2 0
        F   F   F   F F F | F   F F F F   F
        A0> S1< F   F F F | S1< F F F A0> F
        S0> F   A1> F F F | A1> F F F F   F
        """,
        {0: (".", ">>>>"), 1: ("<", "<<")},
    ),
    # The spotter makes way, then the assassin runs through.
    "rule 3 the spotter goes and captures first": (
        """
                        | dead S1< 0 4
        A0> S0> F F S1< | F F   F F A0>
        F   F   F F A1< | F S0> F F A1<
        F   F   F F F   | F F   F F F
        """,
        {0: ("v", ">>>>")},
    ),
    "rule 3 the spotter cannot wait for the assassin": (
        """
        S0> A0> F F S1< | S0> F   F F S1<
        F   F   F F A1< | F   A0> F F A1<
        F   F   F F F   | F   F   F F F
        """,
        {0: (">", "v")},
    ),
    "rule 3 a player captured before its turn is skipped": (
        """
                        | dead A0^ 0 0
                        | dead S1< 0 2
                        | dead A1^ 0 0
                        | dead A2^ 0 0
        S0> F S1< F F   | F F S0> F F
        F   F F   F S2< | F F F   F S2<
        F   F F   F F   | F F F   F F
        """,
        {0: (">>",), 1: (">>",)},
    ),
    "rule 4 steps one after another": (
        """
        S0> F   F F F F   F | F   F F F F   F   F
        F   A0v F F F F   F | S0> F F F F   F   F
        F   F   F F F S1< F | F   F F F A0v S1< F
        F   F   F F F A1v F | F   F F F F   A1v F
        """,
        {0: ("v>", ">>v>"), 1: ("><", ">v<^")},
    ),
    "rule 4 walls edges and the partner use a step up": (
        """
                      | dead A1^ 0 0
        F S0> W F F   | F   S0> W F F
        F A0> F F F   | A0> F   F F F
        F F   F F S1< | F   F   F F S1<
        """,
        {0: (">v", "^<<<"), 1: (">>",)},
    ),
    "rule 4 enemies are no obstacle": (
        """
        S0> F   F   F F | S0> F   F   F   F
        A0> S1< A1< F F | F   S1< A1< A0> F
        F   F   F   F F | F   F   F   F   F
        """,
        {0: ("", ">>>")},
    ),
    "rule 5 the captor can be captured": (
        """
                        | dead S0> 0 2
                        | dead S1< 0 2
        S0> F S1< A1< F | F   F A1< F F
        F   F F   F   F | F   F F   F F
        A0^ F F   F   F | A0^ F F   F F
        """,
        {0: (">>", "."), 1: (".", "<")},
    ),
    "rule 6 directions": (
        """
        dead A1> 1 1 | dead A1< 1 1
        S0> F F      | S0v F F
        A0v F F      | A0v F F
        F   F S1<    | F   F S1^
        """,
        {0: ("", "", "v", "."), 1: ("", "", "^", "<")},
    ),
    # Player 0's spotter died at (0, 2): it does not move, nor stop its partner, nor capture there.
    "rule 7 the dead do nothing and are in nobodys way": (
        """
        dead S0> 0 2  | dead S0> 0 2
        dead S1> 1 4  | dead S1> 1 4
        A0> F F F F   | F F A0> F F
        F   F F F F   | F F F   F A1<
        F   F F F A1< | F F F   F F
        """,
        {0: ("vv", ">>"), 1: ("<<", "^")},
    ),
}
"""By rule: the board before and after a round, and what the players do in it."""


@pytest.mark.parametrize("rule", ROUNDS)
def test_rules_3_to_7(rule: str) -> None:
    drawing, moves = ROUNDS[rule]
    before, after = halves(drawing)
    assert same(play(before, moves), after)


def test_rule_3_a_player_without_pieces_is_skipped() -> None:
    text = """
        dead S1^ 0 1
        dead A1^ 0 2
        S0> F   F
        F   F   F
        F   F   S2<
        """
    asked: list[int] = []
    batch = begin(text)
    while batch.observations is not None and batch.turn < 1:
        asked += batch.observations.seat.tolist()
        batch.answer(no_answers(batch.observations, batch.nobody_gone()))
    assert asked == [0, 2]


def test_rule_4_no_step_is_used_up_too() -> None:
    state = play("S0> F F F F\nF F F F F\nF F F F S1<", {0: (".>",)})
    assert state.column[0, 0, 0] == 1


def test_rule_4_as_many_steps_as_the_settings_say() -> None:
    state = play("S0> F F F F\nF F F F F\nA0> F F F S1<", {0: (">>>", "^")}, spotter_steps=3, assassin_steps=1)
    assert state.column[0, 0].tolist() == [3, 0]
    assert state.row[0, 0].tolist() == [0, 1]


def test_rule_4_trail_of_the_round() -> None:
    state = play("S0> F F F F\nA0> F F F F\nF F F F S1<", {0: (">", ">v>")})
    assert state.trail[0, 0].tolist() == [[0, 1, 1, 1, 1], [5, 6, 11, 12, 12]]


def test_rule_5_capture_where_the_steps_end() -> None:
    before, after = halves("""
                    | winners 0
                    | dead S1< 0 2
                    | dead A1< 2 2
        S0> F S1< F | F F S0> F
        F   F F   F | F F F   F
        A0^ F A1< F | F F A0^ F
        """)
    state = play(before, {0: (">>", ">>")})
    assert same(state, after)
    assert state.captures[0, : state.capture_count[0]].tolist() == [[0, 0, 1, 0], [0, 1, 1, 1]]


def test_rule_5_a_capture_is_forgotten_in_the_next_round() -> None:
    before, after = halves("""
                    | dead S1< 0 2
        S0> F S1< F | F   F S0> F
        F   F F   F | F   F F   F
        A0^ F A1< F | A0^ F A1< F
        """)
    state = play(before, {0: (">>", ".")}, {})
    assert state.capture_count[0] == 0
    assert same(state, after)


def test_rule_7_original_a_dead_piece_blocks_its_partner() -> None:
    before, after = halves("""
        dead S0> 0 2  | dead S0> 0 2  | dead S0> 0 2
                      | dead S1^ 0 0  | dead S1^ 0 0
        A0> F F F F   | F F   F F F   | F F F F   F
        F   F F F F   | F A0> F F F   | F F F A0> F
        F   F F F A1< | F F   F F A1< | F F F F   A1<
        """)
    original, published = halves(after)
    moves = {0: ("", ">>>v")}
    assert same(play(before, moves, phases=ORIGINAL), original)
    assert same(play(before, moves), published)


def test_rule_7_original_a_living_partner_blocks_and_enemies_do_not() -> None:
    before, after = halves("""
        S0> A0> S1< F F   | F   F S1< A0> F
        F   F   F   F F   | S0> F F   F   F
        F   F   F   F A1< | F   F F   F   A1<
        """)
    assert same(play(before, {0: (">v", ">>")}, phases=ORIGINAL), after)


def test_rule_8_codes_that_are_no_steps_or_directions() -> None:
    text = "S0> F F F F\nA0> F F F F\nF F F F S1<"

    def odd(observations: Observations) -> Answers:
        answers = no_answers(observations, np.zeros((1, 2), np.bool_))
        answers["spotter_moves"][:] = [200, 1]
        answers["assassin_moves"][:] = [4, 5, 255, 1]
        answers["spotter_direction"][:] = 77
        return answers

    batch = begin(text)
    batch.answer(odd(batch.observations))
    assert batch.state.column[0, 0].tolist() == [1, 1]
    assert batch.state.facing[0, 0].tolist() == [1, 1]


def test_rule_8_a_bot_that_is_gone_can_still_win() -> None:
    batch = begin("timer 1\nS0> F F\nF S1< F\nF F F")
    while batch.observations is not None:
        batch.answer(answer(batch.observations, {}, np.array([[False, True]])))
    assert GAME.scores(batch.settings, batch.state).tolist() == [[0.0, 1.0]]


def test_rule_9_the_rest_of_the_round_is_played() -> None:
    """Player 0 captures the last enemy piece of the round; player 0's own are left, and nobody is asked after."""
    text = """
        dead A2^ 0 0
        S0> F S1< F F
        F   F F   F F
        F   F F   F S2<
        """
    state = play(text, {0: (">>",), 2: ("<<", "", "^")}, {})
    assert not state.over[0]
    assert state.column[0, 2, 0] == 2
    ended = play(text.replace("S2<", "F").replace("dead A2^ 0 0", "seats 3"), {0: (">>",)}, {})
    assert ended.over[0]
    assert ended.round[0] == 1
    assert ended.timer[0] == 5  # it is over before the timer is looked at


def test_rule_9_one_player_is_over_at_once() -> None:
    assert GAME.over(board("S0> F F\nF F F\nF F A0<")).tolist() == [True]
    assert GAME.scores(Settings(), board("S0> F F\nF F F\nF F A0<")).tolist() == [[1.0, 0.0]]


def test_rule_10_timer() -> None:
    text = "timer 3\nF F F F F\nF S0> F F F\nF F F F F\nF F F S1< F\nF F F F F"
    assert play(text, {}).timer[0] == 2
    assert play(text, {}).circles[0] == 0
    state = play(text, {}, {}, {})
    assert state.timer[0] == 5
    assert state.circles[0] == 1
    assert play(text, {}, {}, {}, timer=9).timer[0] == 9
    assert started(2).timer[0] == 5


def test_rule_10_ring_after_ring() -> None:
    before, after = halves("""
                        |               | winners 1
                        | dead S0> 0 0  | dead S0> 0 0
        timer 1         | dead A1< 4 2  | dead A1< 4 2
                        |               | dead A0> 1 1
        S0> F   F   F F | x x   x   x x | x x x   x x
        O   A0> O   F F | x A0> O   F x | x x x   x x
        F   F   S1< F F | x F   S1< F x | x x S1< x x
        F   O   F   W F | x O   F   W x | x x x   x x
        F   F   A1< F O | x x   x   x x | x x x   x x
        """)
    first, second = halves(after)
    state = play(before, {})
    assert same(state, first)
    assert state.crushed[0].tolist() == [[True, False], [False, True]]
    assert same(play(notation.show(state).replace("timer 5", "timer 1"), {}), second)


def test_rule_10_rectangles() -> None:
    text = "timer 1\nF F F F F F\nF S0> F F A1< F\nF F F F F F"
    assert same(play(f"{text}\nF F F F F F", {}), "x x x x x x\nx S0> F F A1< x\nx F F F F x\nx x x x x x")
    assert same(play(text, {}), "x x x x x x\nx S0> F F A1< x\nx x x x x x")


@pytest.mark.parametrize(("rows", "columns", "collapses"), [(3, 3, 2), (4, 9, 2), (7, 5, 3), (19, 19, 10)])
def test_rule_10_every_match_ends(rows: int, columns: int, collapses: int) -> None:
    """Two players who stay in the middle live until nothing is left."""
    settings = Settings(map="\n".join(["F" * columns] * rows))
    state = GAME.initial_state(settings, 2, [1])
    state.row[0] = rows // 2
    state.column[0] = [[columns // 2 - 1, columns // 2], [columns // 2, columns // 2]]
    state.alive[0] = [[False, True], [True, False]]
    state.column[0, 1, 0] -= (rows // 2, columns // 2) != (0, 0)
    batch = Batch.from_state(GAME, settings, 2, state)
    while batch.observations is not None:
        batch.answer(no_answers(batch.observations, batch.nobody_gone()))
    assert state.round[0] <= 5 * collapses
    assert (state.terrain == 0).all() or state.winner[0].sum() == 1
    assert state.circles[0] <= collapses


def test_rule_11_the_last_ones_share_when_they_die_together() -> None:
    text = """
        timer 1
        dead A1^ 0 0
        S0> A0> F
        F   F   F
        F   S1< S2<
        """
    state = play(text, {})
    assert state.over[0]
    third = 1 / 3
    assert GAME.scores(Settings(), state).tolist() == [[third, third, third]]


def test_rule_11_who_was_dead_before_has_no_share() -> None:
    text = """
        timer 1
        seats 4
        S0> F S1< S2<
        F   F F   F
        F   F F   S3<
        """
    state = play(text, {0: (">>",)})
    assert GAME.scores(Settings(), state)[0].tolist() == pytest.approx([1 / 3, 0, 1 / 3, 1 / 3])
    assert GAME.scores(Settings(), board("S0> F F\nF F F\nF F S1<")).tolist() == [[0.0, 0.0]]


def test_rule_11_one_point_to_a_sole_winner() -> None:
    state = play("timer 1\nF F F\nF A1> F\nF F S0<", {})
    assert GAME.scores(Settings(), state).tolist() == [[0.0, 1.0]]


def test_frame_after_a_round() -> None:
    text = """
        timer 1
        S0> F   F
        F   F   F
        A0> A1> S1<
        """
    settings = settings_for(text)
    state = play(text, {0: (">v", ">")})
    frame = GAME.frame(settings, state, 0)
    assert frame["captures"] == [[1, 3]], "pieces: player 0's assassin, player 1's"
    assert np.argwhere(state.crushed[0]).tolist() == [[0, 1], [1, 0]]
    assert frame["alive"] == [1, 0]
    assert frame["score"] == [1.0, 0.0]
    assert frame["row"].tolist() == [1, 2, 2, 2]
    assert frame["living"].tolist() == [1, 0, 0, 0]
    assert frame["terrain"].tolist() == [0, 0, 0, 0, 1, 0, 0, 0, 0]
    assert frame["seen"].tolist() == [0, 0, 1, 0, 1, 1, 0, 0, 1]


def test_facts() -> None:
    settings = Settings()
    state = GAME.initial_state(settings, 4, [1])
    match_info = GAME.match_info(settings, state, 0, 1)
    assert match_info["spotter"] == [0, 18]
    assert match_info["assassin"] == [1, 18]
    assert match_info["facing"] == [3, 3]
    assert (match_info["player"], match_info["players"], match_info["rows"], match_info["columns"]) == (1, 4, 19, 19)
