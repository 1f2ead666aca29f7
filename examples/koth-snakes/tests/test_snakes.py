"""Snakes: its numbered rules, and the laws that every game keeps.

A board is a line of what is counted, one for each snake, one for the food:

    turn 3 seed 7
    snake health 90 heading up: 5,5 5,4 5,3
    dead in 2
    food: 3,3 8,8
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from koth_snakes import GAME
from koth_snakes.rules import end, part
from koth_snakes.state import MOVES, Settings, State, empty_state

from koth.engine.batch import Batch
from koth.events import in_words, own_copy
from koth.game import no_answers
from koth.testing import LAWS, Case

STANDARD = Settings(food_chance=0, minimum_food=0)


def parse(text: str, settings: Settings) -> State:
    """The state that a board's text stands for."""
    first, *snakes, food = text.strip().splitlines()
    state = empty_state(settings, len(snakes), 1)
    state.turn[0], state.seed[0] = (int(word) for word in first.split()[1::2])
    for k, line in enumerate(snakes):
        before, _, body = line.partition(":")
        words = before.split()
        if words[0] == "dead":
            state.died[0, k] = int(words[2])
            continue
        squares = squares_of(body, settings)
        state.alive[0, k] = True
        state.health[0, k] = int(words[2])
        state.heading[0, k] = MOVES.index(words[4])
        state.length[0, k] = len(squares)
        state.body[0, k, : len(squares)] = squares
        np.add.at(state.parts[0], squares, 1)
    state.food[0, squares_of(food.partition(":")[2], settings)] = True
    end(state, 0, settings.turns)
    return state


def squares_of(text: str, settings: Settings) -> list[int]:
    places = (place.split(",") for place in text.split())
    return [int(y) * settings.side + int(x) for x, y in places]


def show(settings: Settings, state: State) -> str:
    """The reverse of `parse`."""
    side = settings.side
    lines = [f"turn {state.turn[0]} seed {state.seed[0]}"]
    for k in range(state.alive.shape[1]):
        squares = (part(state, 0, k, i) for i in range(state.length[0, k]))
        places = " ".join(f"{square % side},{square // side}" for square in squares)
        snake = f"snake health {state.health[0, k]} heading {MOVES[state.heading[0, k]]}: {places}"
        lines.append(snake if state.alive[0, k] else f"dead in {state.died[0, k]}")
    food = " ".join(f"{square % side},{square // side}" for square in np.flatnonzero(state.food[0]))
    return "\n".join([*lines, f"food: {food}".rstrip(), ""])


def after(board: str, *moves: str, settings: Settings = STANDARD) -> str:
    """The match as text, after these moves of its living snakes in one turn ("" for no answer)."""
    state = parse(board, settings)
    batch = Batch.from_state(GAME, settings, state.alive.shape[1], state)
    observations = batch.observations
    assert observations is not None
    answers = no_answers(observations, batch.nobody_gone())
    answers["move"][:] = [MOVES.index(move or "on") for move in moves]
    batch.answer(answers)
    return show(settings, batch.state)


def snakes(*lines: str, food: str = "") -> str:
    return "\n".join(["turn 4 seed 1", *lines, f"food: {food}"])


FAR = "snake health 50 heading up: 9,5 9,4 9,3"
FAR_ON = "snake health 49 heading up: 9,6 9,5 9,4"


@pytest.mark.slow
def test_rule_4_every_part_follows_and_silence_goes_on() -> None:
    board = snakes("snake health 50 heading right: 5,5 4,5 3,5", FAR)
    assert (
        after(board, "", "")
        == snakes("snake health 49 heading right: 6,5 5,5 4,5", FAR_ON)
        .replace("turn 4", "turn 5")
        .replace("food: ", "food:")
        + "\n"
    )
    assert "heading up: 5,6 5,5 4,5" in after(board, "up", "")


def test_rule_4_the_square_of_a_tail_is_free() -> None:
    ring = snakes("snake health 50 heading up: 5,5 5,4 4,4 4,5", FAR)
    assert "snake health 49 heading left: 4,5 5,5 5,4 4,4" in after(ring, "left", "")
    fed = snakes("snake health 99 heading up: 5,5 5,4 4,4 4,5 4,5", FAR)
    assert "dead in 5" in after(fed, "left", "")


def test_rule_6_food() -> None:
    board = snakes("snake health 1 heading up: 5,5 5,4 5,3", FAR, food="5,6 2,2")
    assert "snake health 100 heading up: 5,6 5,5 5,4 5,4" in after(board, "", "")
    assert after(board, "", "").endswith("food: 2,2\n")


def test_rule_7_new_food() -> None:
    settings = replace(STANDARD, minimum_food=3)
    board = snakes("snake health 50 heading up: 5,5 5,4 5,3", FAR)
    assert len(after(board, "", "", settings=settings).splitlines()[-1].split()) == 1 + 3


@pytest.mark.parametrize(
    ("first", "second", "dead"),
    [
        ("snake health 1 heading up: 5,5 5,4 5,3", FAR, [True, False]),  # hunger
        ("snake health 50 heading up: 5,10 5,9 5,8", FAR, [True, False]),  # the wall
        ("snake health 50 heading right: 8,4 7,4 6,4", FAR, [True, False]),  # a body
        ("snake health 50 heading right: 5,5 4,5 3,5", "snake health 50 heading left: 7,5 8,5 9,5", [True, True]),
        (
            "snake health 50 heading right: 5,5 4,5 3,5 2,5",
            "snake health 50 heading left: 7,5 8,5 9,5",
            [False, True],
        ),
        # who starves lies there for nobody
        ("snake health 1 heading up: 5,5 5,4 5,3", "snake health 50 heading right: 4,4 3,4 2,4", [True, False]),
    ],
)
def test_rule_8_death(first: str, second: str, dead: list[bool]) -> None:
    lines = after(snakes(first, second), "", "").splitlines()[1:3]
    assert [line == "dead in 5" for line in lines] == dead


DEATHS = [
    ("snake health 1 heading up: 5,5 5,4 5,3", FAR, ["ann starves at (5, 6)"]),
    ("snake health 50 heading up: 5,10 5,9 5,8", FAR, ["ann runs off the board at (5, 10)"]),
    ("snake health 50 heading right: 8,4 7,4 6,4", FAR, ["ann runs into ben at (9, 4)"]),
    ("snake health 50 heading left: 5,5 5,4 4,4 4,5 3,5", FAR, ["ann runs into itself at (4, 5)"]),
    (
        "snake health 50 heading right: 5,5 4,5 3,5 2,5",
        "snake health 50 heading left: 7,5 8,5 9,5",
        ["ben loses head to head with ann at (6, 5)"],
    ),
]


@pytest.mark.parametrize(("first", "second", "told"), DEATHS)
def test_rule_8_events_say_of_what_a_snake_died(first: str, second: str, told: list[str]) -> None:
    state = parse(snakes(first, second), STANDARD)
    before = own_copy(GAME.frame(STANDARD, state, 0))
    batch = Batch.from_state(GAME, STANDARD, 2, state)
    assert batch.observations is not None
    batch.answer(no_answers(batch.observations, batch.nobody_gone()))
    found = GAME.events(STANDARD, state, 0, before, GAME.frame(STANDARD, state, 0))
    assert [f"{in_words(event.as_json(), ['ann', 'ben'])} at {event.at}" for event in found] == told


def test_rule_8_a_torus_has_no_wall() -> None:
    board = snakes("snake health 50 heading up: 5,10 5,9 5,8", FAR)
    assert "heading up: 5,0 5,10 5,9" in after(board, "", "", settings=replace(STANDARD, wraps=True))


def test_rule_10_scores() -> None:
    state = parse(snakes("dead in 3", "dead in 3", "dead in 1", FAR), STANDARD)
    assert state.over[0]
    assert GAME.scores(STANDARD, state)[0].tolist() == [1.5, 1.5, 0, 3]


def test_rule_12_fog() -> None:
    fog = replace(STANDARD, sight=2)
    state = parse(snakes("snake health 50 heading up: 5,5 5,4 5,3 5,2 5,1", FAR, food="7,7 8,8"), fog)
    observations = Batch.from_state(GAME, fog, 2, state).observations
    assert observations is not None
    mine = observations.rows(0, 1).fields
    assert mine["health"].tolist() == [[50, -1]]
    assert mine["parts"].tolist() == [5]
    assert list(zip(mine["food_x"].tolist(), mine["food_y"].tolist(), strict=True)) == [(7, 7)]


@pytest.mark.parametrize("seats", [1, 2, 8])
def test_rules_1_to_3_the_start(seats: int) -> None:
    state = GAME.initial_state(Settings(), seats, range(20))
    ring = {(x, y) for x in (1, 5, 9) for y in (1, 5, 9)} - {(5, 5)}
    heads = state.body[:, :, 0]
    assert {(int(s) % 11, int(s) // 11) for s in heads.ravel()} <= ring
    assert all(len(set(row)) == seats for row in heads.tolist())
    assert state.food[:, 60].all()
    assert (state.food.sum(axis=1) == 1 + seats).all()


CASES = [Case(GAME, replace(s, side=7, turns=40), seats, seed=3) for s in GAME.rulesets.values() for seats in (2, 5)]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_laws(law: Callable[[Case], None]) -> None:
    for case in CASES:
        law(case)


def test_the_longest_snake_fits() -> None:
    settings = Settings()
    assert GAME.initial_state(settings, 2, [0]).body.shape[2] >= settings.side**2 + 2
    assert np.iinfo(np.int16).max >= settings.side**2
