"""Fog: what a player can't see does not change what it is shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from koth.games.zombies.state import Settings
from tests.games.zombies.boards import board, dice, empty, take_turn

SIDE, VISION = 11, 2
CENTRE = SIDE // 2
SETTINGS = Settings(vision=VISION, shoot_range=2, players=55)
SEED = dice(SIDE, (0, 0), {})
"""The turn's zombie rises where nobody in the window is next to it."""

SQUARES = [(x, y) for y in range(SIDE) for x in range(SIDE)]
KINDS = "....AB#z"

boards = st.binary(min_size=SIDE * SIDE, max_size=SIDE * SIDE)
"""A byte per square: who stands there, and with how many bullets."""


def distance(x: int, y: int) -> int:
    """From the player in the centre."""
    return max(abs(x - CENTRE), abs(y - CENTRE))


def words(seen: bytes, unseen: bytes, bullets: bytes) -> dict[tuple[int, int], str]:
    """A board of what is in sight and what is not, with other bullets for all but the one who looks.

    Nobody bites across the border of the window: no zombies in it, and only bodies right outside.
    Numbers are given to who stands in sight first, so that they do not depend on anybody else.
    """
    counts = {"A": 1, "B": 0}
    found = {(CENTRE, CENTRE): "A0:7"}
    for x, y in sorted(SQUARES, key=lambda square: distance(*square) > VISION):
        square = y * SIDE + x
        far = distance(x, y)
        what = KINDS[(seen if far <= VISION else unseen)[square] % len(KINDS)]
        if far == 0 or what == "." or (far == VISION + 1 and what != "#"):
            continue
        if what in counts:
            number, counts[what] = counts[what], counts[what] + 1
            if number < SETTINGS.players:
                found[x, y] = f"{what}{number}:{bullets[square] % 9}"
        elif what == "z" and far <= VISION:
            found[x, y] = f"#{200 + square}"
        else:
            found[x, y] = f"{what}{200 + square}"
    return found


def view_of(found: dict[tuple[int, int], str], scores: list[int]) -> dict[str, bytes]:
    state = board(empty(SIDE, found), SETTINGS, seed=SEED, next=900)
    state.score[0] = scores
    observations = take_turn(state, settings=SETTINGS)
    assert observations.unit[0] == 0
    return {name: array[0].tobytes() for name, array in observations.fields.items()}


@given(seen=boards, one=boards, other=boards, bullets=boards)
def test_rule_4_fog(seen: bytes, one: bytes, other: bytes, bullets: bytes) -> None:
    """Everything out of sight, everybody else's bullets, and the scores are changed."""
    first = view_of(words(seen, one, one), [0, 0])
    assert view_of(words(seen, other, bullets), [5, 9]) == first


@given(seen=boards, other=boards, unseen=boards)
def test_rule_4_what_is_in_sight_shows(seen: bytes, other: bytes, unseen: bytes) -> None:
    """The counterpart: two boards that differ in sight look different."""
    found = [words(in_sight, unseen, unseen) for in_sight in (seen, other)]
    near = [
        {square: word.split(":")[0] for square, word in board_.items() if distance(*square) <= VISION}
        for board_ in found
    ]
    first, second = (view_of(board_, [0, 0]) for board_ in found)
    assert (near[0] == near[1]) == (first == second)
