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
from tests.games.metalman import notation
from tests.games.metalman.boards import answer, asked, picture, play, sight, turned

SPOTTER_CLEAR = (
    """
    F F F F   F F F F F
    F F F F   F F F F F
    F F F F   F F F F F
    F F F F   F F F F F
    F F F F   F F F F F
    F F F F   F F F F F
    F F F F S0^ F F F F
    A1< F F F F F F F F
    """,
    """
    . . . . . . . . .
    . . o o o o o . .
    . o o o o o o o .
    . o o o o o o o .
    . . o o o o o . .
    . . . o o o . . .
    . . . . S . . . .
    . . . . . . . . .
    """,
)

ASSASSIN_CLEAR = (
    """
    F F F   F F
    F F F   F F
    F F F   F F
    F F A0^ F F
    F F F   F A1<
    """,
    """
    . . . . .
    . o o o .
    . o o o .
    . . A . .
    . . . . .
    """,
)

WALL_IN_FRONT = (
    """
    F F F F   F F F F F
    F F F F   F F F F F
    F F F F   F F F F F
    F F F F   F F F F F
    F F F F   F F F F F
    F F F F   W F F F F
    F F F F S0^ F F F F
    A1< F F F F F F F F
    """,
    # Without the ray's own square nothing beside the ray opens; only the diagonals go on.
    """
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . o . . . . . o .
    . . o . . . o . .
    . . . o W o . . .
    . . . . S . . . .
    . . . . . . . . .
    """,
)

WALL_FURTHER_AHEAD = (
    """
    F F F F   F F F F F
    F F F F   F F F F F
    F F F F   F F F F F
    F F F F   W F F F F
    F F F F   F F F F F
    F F F F   F F F F F
    F F F F S0^ F F F F
    A1< F F F F F F F F
    """,
    """
    . . . . . . . . .
    . . . . . . . . .
    . o o . . . o o .
    . o o o W o o o .
    . . o o o o o . .
    . . . o o o . . .
    . . . . S . . . .
    . . . . . . . . .
    """,
)

WALL_AT_THE_SIDE = (
    """
    F F F F   F F F F F
    F F F F   F F F F F
    F F F F   F F F F F
    F F F F   F F F F F
    F F F F   F F F F F
    F F F W   F F F F F
    F F F F S0^ F F F F
    A1< F F F F F F F F
    """,
    """
    . . . . . . . . .
    . . . . o o o . .
    . . . . o o o o .
    . . . . o o o o .
    . . . . o o o . .
    . . . W o o . . .
    . . . . S . . . .
    . . . . . . . . .
    """,
)

WALL_BETWEEN_RAY_AND_DIAGONAL = (
    """
    F F F F   F F F F F
    F F F F   F F F F F
    F F F F   F F F F F
    F F F F   F F F F F
    F F F F   F W F F F
    F F F F   F F F F F
    F F F F S0^ F F F F
    A1< F F F F F F F F
    """,
    """
    . . . . . . . . .
    . . o o o . . . .
    . o o o o . . . .
    . o o o o . . o .
    . . o o o W o . .
    . . . o o o . . .
    . . . . S . . . .
    . . . . . . . . .
    """,
)

WALL_ON_THE_DIAGONAL = (
    """
    F F F F   F F F F F
    F F F F   F F F F F
    F F F F   F F F F F
    F F F F   F F F F F
    F F F F   F F W F F
    F F F F   F F F F F
    F F F F S0^ F F F F
    A1< F F F F F F F F
    """,
    """
    . . . . . . . . .
    . . o o o o . . .
    . o o o o o . . .
    . o o o o o . . .
    . . o o o o W . .
    . . . o o o . . .
    . . . . S . . . .
    . . . . . . . . .
    """,
)

ASSASSIN_WALLS = (
    """
    F F F   F F
    F F F   F F
    F F W   F F
    F F A0^ W F
    F F F   F A1<
    """,
    """
    . . . . .
    . . . . .
    . o W o .
    . . A . .
    . . . . .
    """,
)

ASSASSIN_DIAGONAL_WALL = (
    """
    F F F   F F
    F F F   F F
    F F F   W F
    F F A0^ F F
    F F F   F A1<
    """,
    """
    . . . . .
    . o o . .
    . o o W .
    . . A . .
    . . . . .
    """,
)

DRAWINGS = {
    name: drawing for name, drawing in list(globals().items()) if name.isupper() and isinstance(drawing, tuple)
}


@pytest.mark.parametrize("quarters", range(4), ids=["up", "right", "down", "left"])
@pytest.mark.parametrize("drawing", DRAWINGS.values(), ids=DRAWINGS.keys())
def test_rules_12_and_13_drawings(drawing: tuple[str, str], quarters: int) -> None:
    assert sight(turned(drawing[0], quarters)) == turned(drawing[1], quarters)


def test_rule_12_squares_in_all() -> None:
    assert picture(SPOTTER_CLEAR[1]).count("o") + 1 == 28
    assert picture(ASSASSIN_CLEAR[1]).count("o") + 1 == 7


EDGES = [
    (
        """
        F F   F F F F
        F S0^ F F F F
        F F   F F F A1<
        """,
        """
        o o o . . .
        . S . . . .
        . . . . . .
        """,
    ),
    (
        """
        F   F F F F F F
        F   F F F F F F
        F   F F F F F F
        S0^ F F F F F F
        F   F F F F F A1<
        """,
        """
        o o o o . . .
        o o o . . . .
        o o . . . . .
        S . . . . . .
        . . . . . . .
        """,
    ),
    (
        """
        S0< F F
        F   F F
        F   F A1<
        """,
        """
        S . .
        . . .
        . . .
        """,
    ),
    (
        """
        F F   A1<
        F F   F
        F A0> F
        """,
        """
        . . .
        . . o
        . A o
        """,
    ),
]


@pytest.mark.parametrize("quarters", range(4))
@pytest.mark.parametrize("drawing", EDGES)
def test_rule_13_edge_of_the_map(drawing: tuple[str, str], quarters: int) -> None:
    assert sight(turned(drawing[0], quarters)) == turned(drawing[1], quarters)


HIGH = """
    F F   F F F F F F F F F F
    F F   F F F F F F F F F F
    F F   F F F F F F F F F F
    F F   F F F F W F F F F F
    F F   F F F W W W F F F F
    F F   F F W W S0{}O W W F F F
    F F   F F F W W W F F F F
    F F   F F F F F F F F F F
    F F   F F F F O F F F F F
    F F   F F F F F F F F F F
    F F   F F F F F F F F F F
    F F   F F F F F F F F F A1<
    """


@pytest.mark.parametrize("arrow", "^>v<")
def test_rule_14_highground(arrow: str) -> None:
    seen = sight(HIGH.format(arrow))
    assert seen == picture(
        """
        . . . . . . o . . . . .
        . . . . . o o o . . . .
        . . . . o o o o o . . .
        . . . o o o W o o o . .
        . . o o o W W W o o o .
        . o o o W W S W W o o o
        . . o o o W W W o o o .
        . . . o o o o o o o . .
        . . . . o o O o o . . .
        . . . . . o o o . . . .
        . . . . . . o . . . . .
        . . . . . . . . . . . .
        """
    )
    assert sum(word != "." for word in seen.split()) == 61


def test_rule_14_not_for_assassins_and_not_from_the_floor() -> None:
    text = """
        F F O F F
        F F O F F
        F F A0^O F F
        F F F F F
        F F F F A1<
        """
    assert sight(text) == picture(
        """
        . o O o .
        . o O o .
        . . A . .
        . . . . .
        . . . . .
        """
    )


def test_rule_12_two_pieces_see_each_for_itself() -> None:
    """What one piece sees does not open the way for the other's sight."""
    text = """
        F   F F   F F
        F   F F   F F
        F   F F   F F
        F   W F   F F
        S0^ F A0^ F F
        F   F F   F A1<
        """
    assert sight(text) == picture(
        """
        o . . . .
        o . . . .
        o . o o .
        o W o o .
        S . A . .
        . . . . .
        """
    )


def test_rule_15_collapsed_squares_are_walls() -> None:
    text = """
        x x x x   x x
        x F F F   F x
        x F F S0^ F x
        x F F F   F x
        x F F A1< F x
        x x x x   x x
        """
    assert sight(text) == picture(
        """
        . W W W W W
        . . o o o .
        . . . S . .
        . . . . . .
        . . . . . .
        . . . . . .
        """
    )


def test_rule_15_seen_through_a_collapse_of_this_round() -> None:
    text = """
        timer 1
        F O   F   F F
        F S0^ F   F F
        F F   F   F F
        F F   A1< F F
        F F   F   F F
        """
    state = play(text, {})
    assert sight(notation.show(state)) == picture(
        """
        W W W . .
        . S . . .
        . . . . .
        . . . . .
        . . . . .
        """
    )


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
    text = """
        dead A2^ 1 2
        F A1v F   F F
        F F   F   F F
        F W   F   F F
        F F   S1< F F
        F F   S0^ F S2^
        """
    observation = asked(text, 0)
    assert observation["enemy_row"].tolist() == [[-1, -1], [3, -1], [-1, -1]]
    assert sight(text) == picture(
        """
        . . o o o
        . . o o o
        o W o o o
        . o s o .
        . . S . .
        """
    )


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
