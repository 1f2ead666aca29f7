"""A match as text, both ways: a line of what is counted, one for each snake, one for the food.

turn 3 seed 7
snake health 90 heading up: 5,5 5,4 5,3
dead in 2
food: 3,3 8,8
"""

from __future__ import annotations

import re

import numpy as np

from koth_snakes.rules import end, part
from koth_snakes.state import MOVES, Settings, State, empty_state

FIRST = re.compile(r"turn (\d+) seed (\d+)")
SNAKE = re.compile(r"snake health (\d+) heading (up|right|down|left): (.*)")
DEAD = re.compile(r"dead in (\d+)")


def show(settings: Settings, state: State, match: int) -> str:
    side = settings.side
    lines = [f"turn {state.turn[match]} seed {state.seed[match]}"]
    for k in range(state.alive.shape[1]):
        if not state.alive[match, k]:
            lines.append(f"dead in {state.died[match, k]}")
            continue
        squares = (part(state, match, k, i) for i in range(state.length[match, k]))
        places = " ".join(f"{square % side},{square // side}" for square in squares)
        heading = MOVES[state.heading[match, k]]
        lines.append(f"snake health {state.health[match, k]} heading {heading}: {places}")
    food = " ".join(f"{square % side},{square // side}" for square in np.flatnonzero(state.food[match]))
    return "\n".join([*lines, f"food: {food}".rstrip(), ""])


def parse(text: str, settings: Settings) -> State:
    """Raises ValueError that names the line."""
    lines = text.strip().splitlines()
    first = FIRST.fullmatch(lines[0].strip()) if lines else None
    if first is None or not lines[-1].startswith("food:"):
        raise ValueError("line 1: a match begins with 'turn N seed N' and ends with 'food: ...'")
    state = empty_state(settings, len(lines) - 2, 1)
    state.turn[0], state.seed[0] = int(first[1]), int(first[2])
    for k, line in enumerate(lines[1:-1]):
        snake, dead = SNAKE.fullmatch(line.strip()), DEAD.fullmatch(line.strip())
        if dead:
            state.died[0, k] = int(dead[1])
        elif snake:
            squares = _squares(snake[3], settings.side, k + 2)
            state.alive[0, k] = True
            state.health[0, k] = int(snake[1])
            state.heading[0, k] = MOVES.index(snake[2])
            state.length[0, k] = len(squares)
            state.body[0, k, : len(squares)] = squares
            np.add.at(state.parts[0], squares, 1)
        else:
            raise ValueError(f"line {k + 2}: neither a snake nor 'dead in N'")
    state.food[0, _squares(lines[-1][5:], settings.side, len(lines))] = True
    end(state, 0, settings.turns)
    return state


def _squares(text: str, side: int, line: int) -> list[int]:
    squares = []
    for place in text.split():
        x, comma, y = place.partition(",")
        if not (comma and x.isdigit() and y.isdigit() and int(x) < side and int(y) < side):
            raise ValueError(f"line {line}: {place!r} is no square of a board of {side} x {side}")
        squares.append(int(y) * side + int(x))
    return squares
