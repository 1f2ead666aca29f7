"""Rules 12 to 15: who sees what, drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from koth.game import Buffers
from koth.games.metalman import GAME, observation
from koth.games.metalman.state import Settings
from koth.games.metalman.terrain import HIGHGROUND
from tests.games.lines import halves
from tests.games.metalman import notation
from tests.games.metalman.boards import answer, asked, play, sight, turned

DRAWINGS = {
    "spotter clear": """
        F F F F   F F F F F | . . . . . . . . .
        F F F F   F F F F F | . . o o o o o . .
        F F F F   F F F F F | . o o o o o o o .
        F F F F   F F F F F | . o o o o o o o .
        F F F F   F F F F F | . . o o o o o . .
        F F F F   F F F F F | . . . o o o . . .
        F F F F S0^ F F F F | . . . . S . . . .
        A1< F F F F F F F F | . . . . . . . . .
        """,
    "assassin clear": """
        F F F   F F   | . . . . .
        F F F   F F   | . o o o .
        F F F   F F   | . o o o .
        F F A0^ F F   | . . A . .
        F F F   F A1< | . . . . .
        """,
    # Without the ray's own square nothing beside the ray opens; only the diagonals go on.
    "wall in front": """
        F F F F   F F F F F | . . . . . . . . .
        F F F F   F F F F F | . . . . . . . . .
        F F F F   F F F F F | . . . . . . . . .
        F F F F   F F F F F | . o . . . . . o .
        F F F F   F F F F F | . . o . . . o . .
        F F F F   W F F F F | . . . o W o . . .
        F F F F S0^ F F F F | . . . . S . . . .
        A1< F F F F F F F F | . . . . . . . . .
        """,
    "wall further ahead": """
        F F F F   F F F F F | . . . . . . . . .
        F F F F   F F F F F | . . . . . . . . .
        F F F F   F F F F F | . o o . . . o o .
        F F F F   W F F F F | . o o o W o o o .
        F F F F   F F F F F | . . o o o o o . .
        F F F F   F F F F F | . . . o o o . . .
        F F F F S0^ F F F F | . . . . S . . . .
        A1< F F F F F F F F | . . . . . . . . .
        """,
    "wall at the side": """
        F F F F   F F F F F | . . . . . . . . .
        F F F F   F F F F F | . . . . o o o . .
        F F F F   F F F F F | . . . . o o o o .
        F F F F   F F F F F | . . . . o o o o .
        F F F F   F F F F F | . . . . o o o . .
        F F F W   F F F F F | . . . W o o . . .
        F F F F S0^ F F F F | . . . . S . . . .
        A1< F F F F F F F F | . . . . . . . . .
        """,
    "wall between ray and diagonal": """
        F F F F   F F F F F | . . . . . . . . .
        F F F F   F F F F F | . . o o o . . . .
        F F F F   F F F F F | . o o o o . . . .
        F F F F   F F F F F | . o o o o . . o .
        F F F F   F W F F F | . . o o o W o . .
        F F F F   F F F F F | . . . o o o . . .
        F F F F S0^ F F F F | . . . . S . . . .
        A1< F F F F F F F F | . . . . . . . . .
        """,
    "wall on the diagonal": """
        F F F F   F F F F F | . . . . . . . . .
        F F F F   F F F F F | . . o o o o . . .
        F F F F   F F F F F | . o o o o o . . .
        F F F F   F F F F F | . o o o o o . . .
        F F F F   F F W F F | . . o o o o W . .
        F F F F   F F F F F | . . . o o o . . .
        F F F F S0^ F F F F | . . . . S . . . .
        A1< F F F F F F F F | . . . . . . . . .
        """,
    "assassin walls": """
        F F F   F F   | . . . . .
        F F F   F F   | . . . . .
        F F W   F F   | . o W o .
        F F A0^ W F   | . . A . .
        F F F   F A1< | . . . . .
        """,
    "assassin diagonal wall": """
        F F F   F F   | . . . . .
        F F F   F F   | . o o . .
        F F F   W F   | . o o W .
        F F A0^ F F   | . . A . .
        F F F   F A1< | . . . . .
        """,
    "highground not for assassins and not from the floor": """
        F F O F F    | . o O o .
        F F O F F    | . o O o .
        F F A0^O F F | . . A . .
        F F F F F    | . . . . .
        F F F F A1<  | . . . . .
        """,
    # What one piece sees does not open the way for the other's sight.
    "two pieces see each for itself": """
        F   F F   F F   | o . . . .
        F   F F   F F   | o . . . .
        F   F F   F F   | o . o o .
        F   W F   F F   | o W o o .
        S0^ F A0^ F F   | S . A . .
        F   F F   F A1< | . . . . .
        """,
    "collapsed squares are walls": """
        x x x x   x x | . W W W W W
        x F F F   F x | . . o o o .
        x F F S0^ F x | . . . S . .
        x F F F   F x | . . . . . .
        x F F A1< F x | . . . . . .
        x x x x   x x | . . . . . .
        """,
}
"""Boards, and what player 0 sees of them."""


def sees(drawing: str, quarters: int = 0) -> bool:
    """Whether player 0 sees of the board on the left what stands on the right, both turned."""
    text, seen = halves(drawing)
    return sight(turned(text, quarters)) == turned(seen, quarters)


@pytest.mark.parametrize("quarters", range(4), ids=["up", "right", "down", "left"])
@pytest.mark.parametrize("drawing", DRAWINGS.values(), ids=DRAWINGS.keys())
def test_rules_12_to_15_drawings(drawing: str, quarters: int) -> None:
    assert sees(drawing, quarters)


def test_rule_12_squares_in_all() -> None:
    assert DRAWINGS["spotter clear"].count("o") + 1 == 28
    assert DRAWINGS["assassin clear"].count("o") + 1 == 7


EDGES = [
    """
        F F   F F F F   | o o o . . .
        F S0^ F F F F   | . S . . . .
        F F   F F F A1< | . . . . . .
    """,
    """
        F   F F F F F F   | o o o o . . .
        F   F F F F F F   | o o o . . . .
        F   F F F F F F   | o o . . . . .
        S0^ F F F F F F   | S . . . . . .
        F   F F F F F A1< | . . . . . . .
    """,
    """
        S0< F F   | S . .
        F   F F   | . . .
        F   F A1< | . . .
    """,
    """
        F F   A1< | . . .
        F F   F   | . . o
        F A0> F   | . A o
    """,
]


@pytest.mark.parametrize("quarters", range(4))
@pytest.mark.parametrize("drawing", EDGES)
def test_rule_13_edge_of_the_map(drawing: str, quarters: int) -> None:
    assert sees(drawing, quarters)


HIGH = """
    F F   F F F F F F F F F F     | . . . . . . o . . . . .
    F F   F F F F F F F F F F     | . . . . . o o o . . . .
    F F   F F F F F F F F F F     | . . . . o o o o o . . .
    F F   F F F F W F F F F F     | . . . o o o W o o o . .
    F F   F F F W W W F F F F     | . . o o o W W W o o o .
    F F   F F W W S0{}O W W F F F | . o o o W W S W W o o o
    F F   F F F W W W F F F F     | . . o o o W W W o o o .
    F F   F F F F F F F F F F     | . . . o o o o o o o . .
    F F   F F F F O F F F F F     | . . . . o o O o o . . .
    F F   F F F F F F F F F F     | . . . . . o o o . . . .
    F F   F F F F F F F F F F     | . . . . . . o . . . . .
    F F   F F F F F F F F F A1<   | . . . . . . . . . . . .
    """


@pytest.mark.parametrize("arrow", "^>v<")
def test_rule_14_highground(arrow: str) -> None:
    assert sees(HIGH.format(arrow))
    seen = halves(HIGH)[1]
    assert sum(word != "." for word in seen.split()) == 61


def test_rule_15_seen_through_a_collapse_of_this_round() -> None:
    text = "timer 1\nF O F F F\nF S0^ F F F\nF F F F F\nF F A1< F F\nF F F F F"
    empty = "\n. . . . ."
    assert sight(notation.show(play(text, {}))) == "W W W . .\n. S . . ." + 3 * empty


def test_rule_15_enemies_in_sight() -> None:
    text = """
        F F S1v F  F
        F F F   F  F
        F F A1>O W F
        F F S2< F  A2^
        F F S0^ F  A0^
        """
    observation = asked(text, 0)
    assert observation["enemy_row"].tolist() == [[-1, -1], [0, 2], [3, 3]]
    assert observation["enemy_column"].tolist() == [[-1, -1], [2, 2], [2, 4]]
    assert observation["enemy_facing"].tolist() == [[-1, -1], [2, 1], [3, 0]]
    assert observation["board"][2, 2] == HIGHGROUND


def test_rule_15_enemies_block_no_view_and_hidden_ones_are_not_shown() -> None:
    drawing = """
        F A1v F   F F   | . . o o o
        F F   F   F F   | . . o o o
        F W   F   F F   | o W o o o
        F F   S1< F F   | . o s o .
        F F   S0^ F S2^ | . . S . .
        """
    assert sees(drawing)
    observation = asked(f"dead A2^ 1 2\n{halves(drawing)[0]}", 0)
    assert observation["enemy_row"].tolist() == [[-1, -1], [3, -1], [-1, -1]]


def test_rule_15_percepts() -> None:
    observation = asked("timer 2\ndead A0> 2 1\nx x x x x\nx S0v F F x\nx F F F x\nx F F S1< x\nx x x x x", 0)
    assert observation["timer"] == 2
    assert observation["circles"] == 1
    assert observation["row"].tolist() == [1, 2]
    assert observation["column"].tolist() == [1, 1]
    assert observation["facing"].tolist() == [2, 1]
    assert observation["alive"].tolist() == [1, 0]


def test_rule_3_percepts_show_what_earlier_players_did() -> None:
    text = """
        F F F   F F
        F F S0< F F
        F F F   F F
        F F F   F F
        F F S1^ F F
        """
    settings_ = Settings(map="\n".join(["FFFFF"] * 5))
    state = notation.parse(text, settings_)
    generator = GAME.turn(settings_, state, Buffers(GAME.questions(settings_, 2), 1))
    observations = next(generator)
    assert observations.seat.tolist() == [0]
    observations = generator.send(answer(observations, {0: ("v>", "", "v")}, np.zeros((1, 2), np.bool_)))
    assert observations.seat.tolist() == [1]
    assert observations.fields["enemy_row"][0, 0].tolist() == [2, -1]
    assert observations.fields["enemy_column"][0, 0].tolist() == [3, -1]
    assert observations.fields["enemy_facing"][0, 0].tolist() == [2, -1]


@st.composite
def worlds(draw: st.DrawFn) -> str:
    """A board full of walls and hills, with player 0's pieces and three enemies on it."""
    rows, columns = draw(st.integers(3, 9)), draw(st.integers(3, 9))
    squares = [[draw(st.sampled_from("FFFWO")) for _ in range(columns)] for _ in range(rows)]
    places = draw(
        st.lists(
            st.tuples(st.integers(0, rows - 1), st.integers(0, columns - 1)), min_size=5, max_size=5, unique=True
        )
    )
    for name, (row, column) in zip(("S0", "A0", "S1", "A1", "S2"), places, strict=True):
        high = "O" if squares[row][column] == "O" else ""
        squares[row][column] = name + draw(st.sampled_from("^>v<")) + high
    return "\n".join(" ".join(row) for row in squares)


@settings(max_examples=150, deadline=None)
@given(world=worlds(), data=st.data())
def test_fog_law(world: str, data: st.DataObject) -> None:
    """What player 0 does not see can change without a change in what it is shown."""
    before = asked(world, 0)
    squares = [line.split() for line in world.splitlines()]
    hidden = [(r, c) for r, row in enumerate(squares) for c, _ in enumerate(row) if before["board"][r, c] < 0]
    dead = []
    for row, column in hidden:
        word = squares[row][column]
        if data.draw(st.booleans()):
            squares[row][column] = data.draw(st.sampled_from("FWO"))
            if len(word) > 1:
                dead.append(f"dead {word[:3]} {row} {column}")
    # If nobody but player 0 were left, the match would be over and nobody asked.
    assume(any(name in " ".join(map(" ".join, squares)) for name in ("S1", "A1", "S2")))
    after = asked("\n".join([*dead, *map(" ".join, squares)]), 0)
    for name, array in before.items():
        assert np.array_equal(array, after[name]), name


@settings(max_examples=60, deadline=None)
@given(world=worlds())
def test_frames_show_what_players_see(world: str) -> None:
    shape = np.array([line.split() for line in world.splitlines()]).shape
    own = Settings(map="\n".join(["F" * shape[1]] * shape[0]))
    seen = observation.players_in_view(own, notation.parse(world, own), 0).reshape(shape)
    assert np.array_equal(seen & 1 == 1, asked(world, 0)["board"] >= 0)
    assert np.array_equal(seen & 2 == 2, asked(world, 1)["board"] >= 0)
