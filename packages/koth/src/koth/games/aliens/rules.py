"""The rules of aliens, phase by phase: setting up, and a round without its meetings (`meetings`, `fights`)."""

from __future__ import annotations

import numpy as np

from koth.game import Array
from koth.games.aliens.state import (
    COW,
    DX,
    DY,
    EAGLE,
    EMPTY,
    HALO,
    HUMAN,
    LIFE,
    STAY,
    TURTLE,
    VISION,
    State,
    halve,
    round_half_up,
    side_of,
)
from koth.grid import wrap
from koth.kernel import kernel
from koth.rng import draw

# Phases of the random numbers' addresses.
START, SHOWN, WALK, PAIR, BLUR, FIGHT, ARRIVAL = 0, 1, 2, 3, 4, 5, 6

NORTHEAST, SOUTHWEST = 1, 5


@kernel
def place_instances(s: State) -> None:
    """Rule 2. Put every instance on its own random square."""
    side = side_of(s)
    for m in range(s.seed.size):
        taken = s.count_at[m]
        taken[:] = 0
        tries = 0
        for slot in range(s.hp.shape[1]):
            square = draw(s.seed[m], 0, START, tries, side * side)
            tries += 1
            while taken[square] != 0:
                square = draw(s.seed[m], 0, START, tries, side * side)
                tries += 1
            taken[square] = 1
            s.x[m, slot] = square // side
            s.y[m, slot] = square % side


@kernel
def make_alive(ability: Array, points: Array, base_hp: int, hp_per_life: int) -> int:
    """Rule 1. Set abilities to 1 plus the points; return the HP, which follow from the points in life."""
    for k in range(5):
        ability[k] = np.float32(1.0) + points[k]
    return base_hp + hp_per_life * round_half_up(points[LIFE])


@kernel(allocates=True)
def raise_prey(s: State, most: int, base_hp: int, hp_per_life: int) -> None:
    """Rule 6. Put all points of prey into the one ability of their species."""
    seats = s.gone.shape[1]
    for m in range(s.seed.size):
        for slot in range(s.hp.shape[1]):
            if s.species[m, slot] >= seats:
                points = np.zeros(5, np.float32)
                points[s.species[m, slot] - seats] = np.float32(most)
                s.hp[m, slot] = make_alive(s.ability[m, slot], points, base_hp, hp_per_life)


@kernel
def are_legal(points: Array, most: int) -> bool:
    """Rule 2. Return whether these are five finite points, none below 0, at most `most` each and in all."""
    limit = np.float32(most)
    total = np.float32(0.0)
    for k in range(5):
        if not (points[k] >= np.float32(0.0) and points[k] <= limit):
            return False
        total = total + points[k]
    return bool(total <= limit)


@kernel
def set_up(
    s: State, match: Array, unit: Array, points: Array, fault: Array, most: int, base_hp: int, hp_per_life: int
) -> None:
    """Rule 2. Make alive each alien whose bot gave a legal number of points without a fault."""
    for i in range(match.size):
        if fault[i] == 0 and are_legal(points[i], most):
            ability = s.ability[match[i], unit[i]]
            s.hp[match[i], unit[i]] = make_alive(ability, points[i], base_hp, hp_per_life)


@kernel
def list_the_living(s: State) -> None:
    """Rule 3. Return the slots of the living, ascending: they take part in the round."""
    for m in range(s.seed.size):
        s.population[m] = 0
        for slot in range(s.hp.shape[1]):
            if s.hp[m, slot] > 0:
                s.living[m, s.population[m]] = slot
                s.population[m] += 1


@kernel
def everybody_decides(s: State) -> None:
    """Rule 3. Choose the moves of prey by species; all others stay unless their bots answer a move."""
    seats = s.gone.shape[1]
    for m in range(s.seed.size):
        if s.over[m]:
            continue
        for i in range(s.population[m]):
            slot = s.living[m, i]
            kind = int(s.species[m, slot]) - seats
            move = STAY
            if kind == COW:
                move = draw(s.seed[m], s.clock[m], WALK, slot, 9)
            elif kind == TURTLE:
                move = SOUTHWEST
            elif kind == EAGLE:
                sight = halve(s.ability[m, slot, VISION])
                move = look_for_space(s.board[m], s.x[m, slot], s.y[m, slot], sight)
            elif kind == HUMAN:
                move = NORTHEAST
            s.move[m, slot] = move


@kernel
def look_for_space(board: Array, from_x: int, from_y: int, sight: int) -> int:
    """Rule 6. Return the eagle's move: the first whose ray has the fewest squares that are not empty."""
    side = board.shape[0] - 2 * HALO
    best = STAY
    fewest = sight + 1
    for move in range(9):
        x = int(from_x)
        y = int(from_y)
        seen = 0
        for _ in range(sight):
            x = (x + DX[move] + side) % side
            y = (y + DY[move] + side) % side
            if board[x + HALO, y + HALO] != EMPTY:
                seen += 1
        if seen < fewest:
            fewest = seen
            best = move
    return best


@kernel
def take_moves(moves: Array, match: Array, unit: Array, move: Array) -> None:
    """Rule 3. Note the answer of every asked alien in `State.move`; an invalid move counts as STAY."""
    for i in range(match.size):
        moves[match[i], unit[i]] = move[i] if 0 <= move[i] < 9 else STAY


@kernel
def move_everybody(s: State) -> None:
    """Rule 3. Move all instances at once."""
    side = side_of(s)
    for m in range(s.seed.size):
        if s.over[m]:
            continue
        for i in range(s.population[m]):
            slot = s.living[m, i]
            s.x[m, slot] = wrap(s.x[m, slot] + DX[s.move[m, slot]], side)
            s.y[m, slot] = wrap(s.y[m, slot] + DY[s.move[m, slot]], side)


@kernel
def remove_the_dead(s: State) -> None:
    """Rule 3. Remove the aliens that died this round from the board."""
    for m in range(s.seed.size):
        if s.over[m]:
            continue
        for i in range(s.population[m]):
            slot = s.living[m, i]
            s.hp[m, slot] = max(0, s.hp[m, slot])


@kernel
def advance_clock(clock: Array, over: Array, rounds: int) -> None:
    """Rule 7. End a match after the last round."""
    for m in range(clock.size):
        if not over[m]:
            clock[m] += 1
            over[m] = clock[m] >= rounds
