"""Rules 29 to 33: what a Pac-Man and a dead one see, and in which order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from koth.game import copy_state
from koth.games.pacman import GAME
from koth.games.pacman.crowds import count_crowds
from koth.games.pacman.state import GHOST, PACMAN, STAY, Settings, State
from koth.grid import DCOL, DROW
from tests.games.pacman.boards import SETTINGS, board, field, see, sight


def squares(text: str) -> list[str]:
    """The coordinates that a piece is shown, in order."""
    return [word[:-1] for word in text.split()]


def test_rule_29_the_statements_picture() -> None:
    """`|I I|V|I|` over `|I V|V V|` over `|V V P|I|` over `|I I|I|I|`: I unseen, V seen, facing north."""
    text = """
        +---+---+---+---+
        |       |   |   |
        +   +   +   +   +
        |       |       |
        +   +   +   +   +
        |         A |   |
        +   +   +   +   +
        |     . |   |   |
        +---+---+---+---+
        A faces N
    """
    shown = squares(sight(text))
    assert shown == ["2,2", "2,1", "2,0", "1,2", "0,2", "1,1", "1,3"]


def test_rule_34_the_statements_worked_example() -> None:
    """At 23,70 after a step north, a dead end with a power pellet above, walls on both sides."""
    settings = Settings(side=80)
    s = board(field("\n".join(" ".join(["_"] * 80) for _ in range(80)), "A faces X"), settings)
    s.status[0, 0], s.row[0, 0], s.col[0, 0], s.facing[0, 0] = PACMAN, 23, 70, 0
    s.item[0, 22, 70] = 2
    s.walls[0, 23, 70] = 2 + 8
    s.walls[0, 22, 70] = 1 + 2 + 8
    s.walls[0, 23, 71] |= 8
    s.walls[0, 23, 69] |= 2
    s.walls[0, 22, 71] |= 8
    s.walls[0, 22, 69] |= 2
    count_crowds(s)
    observations = see(settings, s, PACMAN)
    protocol = GAME.protocols["text"](settings, 1)
    assert protocol.hello(GAME.match_info(settings, s, 0, 0))
    assert protocol.ask(observations) == b"23,70X 22,70O\n"


OPEN = "_ _ _ _ _ _ _\n"


@pytest.mark.parametrize(
    ("facing", "left", "ahead", "right", "corners"),
    [
        ("N", (0, -1), (-1, 0), (0, 1), ["2,2", "2,4"]),
        ("E", (-1, 0), (0, 1), (1, 0), ["2,4", "4,4"]),
        ("S", (0, 1), (1, 0), (0, -1), ["4,4", "4,2"]),
        ("W", (1, 0), (0, -1), (-1, 0), ["4,2", "2,2"]),
    ],
)
def test_rule_33_own_square_then_left_ahead_right_then_ahead_left_and_ahead_right(
    facing: str, left: tuple[int, int], ahead: tuple[int, int], right: tuple[int, int], corners: list[str]
) -> None:
    """In the middle of a walled room of 7 x 7, so that rays end where they should."""
    s = board(field(OPEN * 3 + "_ _ _ A _ _ _\n" + OPEN * 2 + "_ _ _ _ _ _ .", f"A faces {facing}"))
    for side, bit in ((s.walls[0, 0], 1), (s.walls[0, :, 6], 2), (s.walls[0, 6], 4), (s.walls[0, :, 0], 8)):
        side |= bit
    rays = [f"{3 + k * dr},{3 + k * dc}" for dr, dc in (left, ahead, right) for k in (1, 2, 3)]
    assert squares(shown(s)) == ["3,3", *rays, *corners]


def shown(s: State, who: int = PACMAN, settings: Settings = SETTINGS, row: int = 0) -> str:
    """One row of what is shown right now."""
    observations = see(settings, s, who).rows(row, row + 1)
    protocol = GAME.protocols["text"](Settings(), 1)
    protocol.hello({"side": s.walls.shape[1], "walls": ""})
    return protocol.ask(observations).decode().strip()


def test_rule_29_a_ray_ends_at_a_wall_and_the_facing_is_the_last_move() -> None:
    text = """
        +---+---+---+---+
        |               |
        +   +---+   +   +
        | A   . | o   o |
        +   +   +   +   +
        |               |
        +   +   +   +   +
        |               |
        +---+---+---+---+
        A faces E
    """
    assert sight(text) == "1,0X 0,0X 1,1o 2,0X 3,0X 0,1X 2,1X"


def test_rule_29_before_its_first_move_it_faces_north() -> None:
    s = GAME.initial_state(SETTINGS, 2, [5])
    assert (s.facing == 0).all()


def test_rule_29_a_diagonal_needs_only_one_of_its_two_ways() -> None:
    """Each of the four walls of a corner in turn, and pairs of them: seen unless both ways are cut."""
    base = board(field("_ _ _ _ _\n_ _ _ _ _\n_ _ A _ _\n_ _ _ _ _\n. _ _ _ _", "A faces X"))
    north, west = (1, 2), (2, 1)
    for walls in range(16):
        s = copy_state(base)
        first_north, then_west, first_west, then_north = (walls >> k & 1 for k in range(4))
        s.walls[0, 2, 2] |= first_north | first_west << 3
        s.walls[(0, *north)] |= first_north << 2 | then_west << 3
        s.walls[(0, *west)] |= first_west << 1 | then_north
        s.walls[0, 1, 1] |= then_west << 1 | then_north << 2
        cut = (first_north or then_west) and (first_west or then_north)
        assert ("1,1" in squares(shown(s))) is not bool(cut), walls


def test_rule_30_after_standing_still_all_four_directions_and_all_four_diagonals() -> None:
    s = board(field(OPEN * 3 + "_ _ _ A _ _ _\n" + OPEN * 2 + "_ _ _ _ _ _ .", "A faces X"))
    for side, bit in ((s.walls[0, 0], 1), (s.walls[0, :, 6], 2), (s.walls[0, 6], 4), (s.walls[0, :, 0], 8)):
        side |= bit
    rays = [f"{3 + k * dr},{3 + k * dc}" for dr, dc in ((-1, 0), (0, 1), (1, 0), (0, -1)) for k in (1, 2, 3)]
    assert squares(shown(s)) == ["3,3", *rays, "2,2", "2,4", "4,4", "4,2"]


def test_rule_29_sight_wraps_where_the_maze_does_and_a_ray_ends_before_the_own_square() -> None:
    text = field("_ _ _ _ _\n_ _ _ _ _\n_ A _ _ _\n_ _ _ _ _\n. _ _ _ _", "A faces N")
    assert squares(sight(text)) == ["2,1", "2,0", "2,4", "2,3", "2,2", "1,1", "0,1", "4,1", "3,1", "1,0", "1,2"], (
        "left goes all the way round, so nothing is left for right"
    )


def test_rule_33_a_square_already_listed_is_left_out() -> None:
    shown = squares(sight(field("A _ _\n_ _ _\n_ _ .", "A faces X")))
    assert sorted(shown) == sorted(set(shown))
    assert len(shown) == 9


@given(st.integers(3, 9), st.integers(0, 2**32), st.integers(0, 4))
def test_rules_29_to_33_against_sight_written_out(side: int, seed: int, facing: int) -> None:
    """Every Pac-Man's view in random mazes with random walls, against the rules said plainly."""
    rng = np.random.default_rng(seed)
    s = board(field("\n".join(" ".join(["_"] * side) for _ in range(side)), "A faces X"))
    for row, col in np.ndindex(side, side):
        for d in (1, 2):
            if rng.random() < 0.4:
                s.walls[0, row, col] |= 1 << d
                s.walls[0, (row + DROW[d]) % side, (col + DCOL[d]) % side] |= 1 << (d + 2) % 4
    s.item[0] = rng.integers(0, 4, (side, side))
    row, col = (int(k) for k in rng.integers(0, side, 2))
    s.status[0, 0], s.row[0, 0], s.col[0, 0], s.facing[0, 0] = PACMAN, row, col, facing
    count_crowds(s)
    assert shown(s) == plain_sight(s, row, col, facing)


def plain_sight(s: State, row: int, col: int, facing: int) -> str:
    """The rules, square by square."""
    side = s.walls.shape[1]

    def to(square: tuple[int, int], d: int) -> tuple[int, int]:
        return (square[0] + int(DROW[d])) % side, (square[1] + int(DCOL[d])) % side

    def is_open(square: tuple[int, int], d: int) -> bool:
        return not s.walls[0][square] >> d & 1

    me = (row, col)
    order = [(facing + 3) % 4, facing, (facing + 1) % 4] if facing != STAY else [0, 1, 2, 3]
    found: list[tuple[int, int]] = []
    for d in order:
        square = me
        while is_open(square, d) and to(square, d) != me:
            square = to(square, d)
            found.append(square)
    corners = [((facing + 3) % 4, facing), (facing, (facing + 1) % 4)] if facing != STAY else [
        (3, 0), (0, 1), (1, 2), (2, 3)
    ]  # fmt: skip
    for d, e in corners:
        if any(is_open(me, a) and is_open(to(me, a), b) for a, b in ((d, e), (e, d))):
            found.append(to(to(me, d), e))
    words = [f"{row},{col}X"]
    for r, c in dict.fromkeys(found):
        words.append(f"{r},{c}{'XoOF'[s.item[0, r, c]]}")
    return " ".join(words)


@pytest.mark.parametrize(("side", "seen"), [(3, 9), (10, 100), (11, 121), (12, 121), (30, 121)])
@pytest.mark.parametrize("corner", [False, True])
def test_rule_31_a_dead_pacman_sees_eleven_by_eleven_walls_or_no_walls(side: int, seen: int, corner: bool) -> None:
    s = GAME.initial_state(Settings(ghosts=0, power_pellets=0, fruit=0, side=side), 1, [3])
    s.walls[:] = 15
    s.status[0, 0] = GHOST
    row, col = (0, side - 1) if corner else (side // 2, side // 2)
    s.row[0, 0], s.col[0, 0] = row, col
    count_crowds(s)
    words = shown(s, GHOST).split()
    around = [((row + dr) % side, (col + dc) % side) for dr in range(-5, 6) for dc in range(-5, 6)]
    expected = dict.fromkeys([(row, col), *around])
    assert [word[:-1] for word in words] == [f"{r},{c}" for r, c in expected]
    assert len(words) == seen
    assert words[0][-1] == "G"


def test_rule_31_how_far_a_dead_pacman_sees_is_a_setting() -> None:
    settings = Settings(ghost_sight=1)
    s = board(field("_ _ _ _ _\n_ A . _ _\n_ _ _ _ _\n_ _ _ _ _\n_ _ _ _ _", "A ghost"))
    assert shown(s, GHOST, settings) == "1,1G 0,0X 0,1X 0,2X 1,0X 1,2o 2,0X 2,1X 2,2X"


@pytest.mark.parametrize(
    ("what", "letter"),
    [
        ("_", "X"),
        (".", "o"),
        ("o", "O"),
        ("%", "F"),
        ("B", "P"),
        ("B.", "P"),
        ("b", "G"),
        ("b.", "G"),
        ("bB%", "G"),
        ("C", "G"),
    ],
)
def test_rule_32_what_another_square_shows(what: str, letter: str) -> None:
    details = ["A faces E", "B faces X", "C ghost"][: 3 if "C" in what else 2 if "B" in what else 1]
    s = board(field(f"_ _ _ _ _\n_ A {what} _ _\n_ _ _ _ _\n_ _ _ _ _\n_ _ _ _ .", *details))
    words = {word[:-1]: word[-1] for word in shown(s).split()}
    assert words["1,2"] == letter


def test_rule_32_the_own_square() -> None:
    s = board(field("A. _ _\n_ BC _\nDb _ .", "D ghost", "A faces X"))
    assert shown(s, row=0).split()[0] == "0,0X", "what lies there was eaten or fought for"
    assert shown(s, row=1).split()[0] == "1,1P", "another Pac-Man is there too"
    assert shown(s, GHOST).split()[0] == "2,0G"


def test_rule_32_a_ghost_that_landed_on_a_pacmans_square_does_not_show_there() -> None:
    s = board(field("Ab _ _\n_ _ _\n_ _ .", "A faces X"))
    assert shown(s).split()[0] == "0,0X"
