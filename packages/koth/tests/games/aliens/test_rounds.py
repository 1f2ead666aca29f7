"""Rules 3, 6, 7 and 8: what is seen, moves, prey, scores, the end."""

from __future__ import annotations

import numpy as np
import pytest

from koth.engine.batch import Batch
from koth.game import copy_state, no_answers
from koth.games.aliens import GAME
from koth.games.aliens.rules import SHOWN, WALK
from koth.games.aliens.state import DX, DY, HALO, MOVES, Settings
from koth.rng import draw
from koth.testing import seed_where
from tests.games.aliens.boards import ONE_ROUND, SMALL, Planet, rows

CROSS = """
    .  .  .  .  .
    .  .  w0 .  .
    .  A0 B0 c0 .
    .  .  e0 .  .
    h0 .  .  .  t0
"""


def test_rule_3_what_an_alien_sees() -> None:
    """A base alien sees one square around; A an alien of any species, prey by its letter."""
    planet = Planet(CROSS).play()
    assert planet.windows["B0"] == [" W ", "ACA".replace("CA", "AC"), " E "]
    assert planet.windows["A0"] == ["  W", " AA", "  E"]


@pytest.mark.parametrize("vision", [2.0, 2.9, 3.0, 3.4, 5.0, 11.0, 40.0, 64.0, 65.0, 90.0])
def test_rule_3_windows_wrap_as_often_as_needed(vision: float) -> None:
    """Odd levels see more: 3 halved is 1.5, rounded 2. Far sights go around the planet many times."""
    planet = Planet(CROSS + f"    A0 10hp 1 1 1 {vision} 1\n").play()
    sight = int(np.floor(vision / 2 + 0.5))
    letters = ["     ", "  W  ", " AAC ", "  E  ", "H   T"]
    window = planet.windows["A0"]
    assert len(window) == 2 * sight + 1
    for row, line in enumerate(window):
        y = (2 + row - sight) % 5
        assert line == "".join(letters[y][(1 + column - sight) % 5] for column in range(2 * sight + 1))
    assert (sight > HALO) == (vision >= 65)


def test_rule_3_windows_are_columns_from_the_west() -> None:
    planet = Planet(CROSS)
    observations = planet.batch.observations
    assert bytes(observations.fields["window"][:9]).decode() == "    A WAE"
    assert observations.fields["cells"].tolist() == [9, 9]
    assert observations.fields["levels"].tolist() == [[1, 1, 1, 1, 1]] * 2
    assert (
        observations.fields["hp"].tolist(),
        observations.fields["sight"].tolist(),
        observations.fields["blur"].tolist(),
    ) == (
        [10, 10],
        [1, 1],
        [1, 1],
    )


def test_rule_3_one_of_several_on_a_square_is_shown_to_everybody() -> None:
    text = """
        .  B0       .
        .  A0+w0+c0 .
        .  .        .
        A0 10hp 1 1 1 1 1
    """
    seen = {"A": 0, "W": 0, "C": 0}
    for seed in range(600):
        planet = Planet(text, seed=seed).play()
        shown = planet.windows["A0"][1][1]
        assert planet.windows["B0"][2][1] == shown
        seen[shown] += 1
    assert all(150 < count < 250 for count in seen.values()), seen


def test_rule_3_who_is_shown_is_drawn_once_per_round() -> None:
    seed = seed_where(
        lambda seed: draw(seed, 0, SHOWN, 8, 2) == 0,
        lambda seed: draw(seed, 1, SHOWN, 8, 2) == 1,
    )
    planet = Planet("A0+w0 . B0\n. . .\n. . .\n", seed=seed)
    assert planet.slot("w0") == 8
    planet.play()
    assert planet.windows["A0"][1][1] == "W"
    planet.play()
    assert planet.windows["A0"][1][1] == "A"


@pytest.mark.parametrize("move", MOVES)
def test_rule_3_moves(move: str) -> None:
    step = MOVES.index(move)
    planet = Planet(". . .\n. A0 .\n. . .\n", moves={"A0": move}).play()
    assert (planet.state.x[0, 0], planet.state.y[0, 0]) == (1 + DX[step], 1 + DY[step])
    for _ in range(2):
        planet.play()
    assert (planet.state.x[0, 0], planet.state.y[0, 0]) == ((1 + 3 * DX[step]) % 3, (1 + 3 * DY[step]) % 3)


def test_rule_3_all_move_at_once() -> None:
    """Two who change places do not meet."""
    planet = Planet("A0 B0 .\n. . .\n. . .\n", moves={"A0": "EAST", "B0": "WEST"}, fights={"A0": True}).play()
    assert planet.board() == rows("B0 A0 .\n. . .\n. . .\n")
    assert planet.waves == []


@pytest.mark.parametrize("nonsense", [9, 77, 127, -1, -128])
def test_rule_3_nonsense_is_stay(nonsense: int) -> None:
    planet = Planet(CROSS)
    answers = no_answers(planet.batch.observations, planet.batch.nobody_gone())
    answers.fields["move"][:] = nonsense
    planet.batch.answer(answers)
    assert (planet.state.x[0, :5].tolist(), planet.state.y[0, :5].tolist()) == (
        [1, 0, 0, 0, 2],
        [2, 0, 0, 0, 2],
    )


def test_rule_6_how_prey_moves() -> None:
    text = """
        .  .  .  .  .
        .  w0 .  .  .
        .  .  .  .  .
        .  t0 .  h0 .
        .  .  .  .  A0
    """
    planet = Planet(text).play()
    assert planet.board() == rows("""
        .  .  .  .  .
        .  w0 .  .  .
        .  .  .  .  h0
        .  .  .  .  .
        t0 .  .  .  A0
    """)
    assert Planet("h0 . .\n. . .\n. . A0\n").play().board() == rows(". . .\n. . .\n. h0 A0\n")
    assert Planet(". . .\nA0 . .\nt0 . .\n").play().board() == rows(". . t0\nA0 . .\n. . .\n")


def test_rule_6_a_cow_takes_any_of_the_nine_moves() -> None:
    counts = np.zeros(9, int)
    for seed in range(900):
        planet = Planet(". . .\n. c0 .\n. . .\n", ONE_ROUND, seed=seed).play()
        cow = planet.slot("c0")
        step = draw(seed, 0, WALK, cow, 9)
        assert (planet.state.x[0, cow], planet.state.y[0, cow]) == (1 + DX[step], 1 + DY[step])
        counts[step] += 1
    assert counts.min() > 60, counts


@pytest.mark.parametrize(
    ("others", "move"),
    [
        ({}, "NORTH"),  # all rays are empty: the first
        ({(6, 5): "w0"}, "NORTHEAST"),
        ({(6, 0): "w0", (7, 5): "w1"}, "EAST"),  # the ray reaches six squares
        ({(6, 12): "w0"}, "NORTH"),  # the seventh square to the north, around the planet: not on its ray
    ],
)
def test_rule_6_the_eagle_looks_along_its_rays(others: dict[tuple[int, int], str], move: str) -> None:
    """Its vision of 11 sees 6 squares (5.5 rounded)."""
    squares = [["." for _ in range(13)] for _ in range(13)]
    squares[6][6] = "e0"
    for (x, y), name in others.items():
        squares[y][x] = name
    planet = Planet("\n".join(" ".join(row) for row in squares), ONE_ROUND).play()
    eagle, step = planet.slot("e0"), MOVES.index(move)
    assert (planet.state.x[0, eagle], planet.state.y[0, eagle]) == (6 + DX[step], 6 + DY[step])


def test_rule_6_a_cornered_eagle_stays_last() -> None:
    """STAY's ray is its own square, which is never empty: as many as its sight."""
    ring = """
        A0 A1 A2
        A3 e0 B0
        B1 B2 B3
    """
    planet = Planet(ring + "\ne0 10hp 1 1 1 1 1\n").play()
    assert (planet.state.x[0, planet.slot("e0")], planet.state.y[0, planet.slot("e0")]) == (1, 0)
    planet = Planet("e0\n", Settings(instances=1, prey=1, rounds=1)).play()  # every ray is its own square
    assert planet.alive() == ["e0"]
    open_row = ring.replace("B2", ". ") + "\ne0 10hp 1 1 1 1 1\n"
    planet = Planet(open_row).play()
    assert (planet.state.x[0, planet.slot("e0")], planet.state.y[0, planet.slot("e0")]) == (1, 2)


def test_rule_7_scores() -> None:
    """Each alien's sum is rounded by itself: 5 + 6.5 -> 7 + nothing for the dead."""
    text = """
        A0 .  A1
        .  B0 .
        .  .  w0
        A1 3hp 1.5 1.5 1 1.25 1.25
    """
    planet = Planet(text)
    assert GAME.scores(SMALL, planet.state).tolist() == [[12.0, 5.0]]
    assert GAME.extra_scores(SMALL, planet.state, 0) == {
        "Whale": 15.0,
        "Cow": 0.0,
        "Turtle": 0.0,
        "Eagle": 0.0,
        "Human": 0.0,
    }
    frame = GAME.frame(SMALL, planet.state, 0)
    assert (frame["alive"], frame["score"]) == ([2, 1, 1, 0, 0, 0, 0], [12, 5, 15, 0, 0, 0, 0])


def test_rule_7_all_rounds_are_played_even_by_nobody() -> None:
    settings = Settings(instances=1, prey=0, rounds=7)
    batch = Batch(GAME, settings, 1, [1])
    answers = no_answers(batch.observations, batch.nobody_gone())
    answers.fields["points"][:] = 11
    batch.answer(answers)
    assert (batch.observations, batch.turn, int(batch.state.clock[0])) == (None, 7, 7)


def test_rule_8_a_bot_without_a_process_stays_and_is_not_asked() -> None:
    planet = Planet(
        "A0 . . B0\n. . . .\n. . A1 .\n. . . .\n",
        moves={"A0": "SOUTH", "A1": "SOUTH", "B0": "SOUTH"},
        dying={"A": 2},
    )
    planet.play(4)
    assert planet.board() == rows(". . . B0\nA0 . . .\n. . . .\n. . A1 .\n")
    assert planet.batch.observations.seat.tolist() == [1]


def test_rule_8_without_a_process_while_setting_up_nobody_lives() -> None:
    batch = Batch(GAME, SMALL, 2, [1])
    answers = no_answers(batch.observations, batch.nobody_gone())
    answers.gone[0, 0] = True
    answers.fault[batch.observations.seat == 0] = 2
    batch.answer(answers)
    assert batch.state.hp[0, :8].tolist() == [0] * 4 + [10] * 4


def test_a_question_knows_nothing_of_the_round() -> None:
    """Two states that differ beyond what an alien sees give it the same question."""
    first = Planet(CROSS).batch
    state = copy_state(first.state)
    far = SMALL.instances * 2 + 2 * 4  # h0
    state.x[0, far], state.hp[0, far], state.ability[0, far] = 1, 99, 7
    second = Batch.from_state(GAME, SMALL, 2, state)
    for name, values in first.observations.fields.items():
        assert values.tobytes() == second.observations.fields[name].tobytes()
