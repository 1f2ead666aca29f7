"""The rules of aliens, phase by phase: setting up, moving, fighting. Who meets whom: `pairs` and `original`."""

from __future__ import annotations

import numpy as np

from koth.game import Array
from koth.games.aliens.state import (
    COW,
    DEFENSE,
    DX,
    DY,
    EAGLE,
    EMPTY,
    HALO,
    HUMAN,
    LIFE,
    STAY,
    STRENGTH,
    TURTLE,
    VISION,
    State,
    halved,
    list_the_living,
    rounded,
    side_of,
)
from koth.kernel import kernel
from koth.rng import draw

# Phases of the random numbers' addresses.
START, SHOWN, WALK, PAIR, BLUR, FIGHT, ARRIVAL = 0, 1, 2, 3, 4, 5, 6

NORTHEAST, SOUTHWEST = 1, 5


@kernel
def place_instances(s: State) -> None:
    """Rule 2. Every instance gets its own random square."""
    side = side_of(s)
    for m in range(s.seed.size):
        taken = s.count_at[m]
        taken[:] = 0
        tries = 0
        for slot in range(s.hp.shape[1]):
            square = draw(s.seed[m], 0, START, tries, side * side)
            while taken[square] != 0:
                tries += 1
                square = draw(s.seed[m], 0, START, tries, side * side)
            taken[square] = 1
            s.x[m, slot] = square // side
            s.y[m, slot] = square % side


@kernel
def make_alive(ability: Array, points: Array, base_hp: int, hp_per_life: int) -> int:
    """Rule 1. Abilities are 1 plus the points; HP, which are returned, follow from the points in life."""
    for k in range(5):
        ability[k] = np.float32(1.0) + points[k]
    return base_hp + hp_per_life * rounded(points[LIFE])


@kernel
def raise_prey(s: State, most: int, base_hp: int, hp_per_life: int) -> None:
    """Rule 6. Prey put all points into the one ability of their species."""
    seats = s.gone.shape[1]
    for m in range(s.seed.size):
        for slot in range(s.hp.shape[1]):
            if s.species[m, slot] >= seats:
                points = np.zeros(5, np.float32)
                points[s.species[m, slot] - seats] = np.float32(most)
                s.hp[m, slot] = make_alive(s.ability[m, slot], points, base_hp, hp_per_life)
        s.population[m] = list_the_living(s.hp[m], s.living[m])


@kernel
def are_legal(points: Array, most: int) -> bool:
    """Rule 2. Five finite points, none below 0 or above `most`, and no more than that in all."""
    limit = np.float32(most)
    total = np.float32(0.0)
    for k in range(5):
        if not (points[k] >= np.float32(0.0) and points[k] <= limit):
            return False
        total = total + points[k]
    return bool(total <= limit)


@kernel
def set_up(
    s: State, match: Array, body: Array, points: Array, fault: Array, most: int, base_hp: int, hp_per_life: int
) -> None:
    """Rule 2. Whose points are legal lives; a fault, or too many points, and it does not."""
    for i in range(match.size):
        if fault[i] == 0 and are_legal(points[i], most):
            ability = s.ability[match[i], body[i]]
            s.hp[match[i], body[i]] = make_alive(ability, points[i], base_hp, hp_per_life)
    for m in range(s.seed.size):
        s.population[m] = list_the_living(s.hp[m], s.living[m])


@kernel
def everybody_decides(s: State) -> None:
    """Rule 3. Prey choose their moves by their species; everybody else stays until a bot says otherwise."""
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
                sight = halved(s.ability[m, slot, VISION])
                move = look_for_space(s.board[m], s.x[m, slot], s.y[m, slot], sight)
            elif kind == HUMAN:
                move = NORTHEAST
            s.move[m, slot] = move


@kernel
def look_for_space(board: Array, from_x: int, from_y: int, sight: int) -> int:
    """Rule 6. The eagle's move: the first whose ray of squares holds the fewest that are not empty."""
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
def take_moves(moves: Array, match: Array, body: Array, move: Array) -> None:
    """Rule 3. Note in `State.move` what every asked alien answered; what is no move is STAY."""
    for i in range(match.size):
        moves[match[i], body[i]] = move[i] if 0 <= move[i] < 9 else STAY


@kernel
def move_everybody(s: State) -> None:
    """Rule 3. Everybody moves at once."""
    side = side_of(s)
    for m in range(s.seed.size):
        if s.over[m]:
            continue
        for i in range(s.population[m]):
            slot = s.living[m, i]
            x = int(s.x[m, slot]) + DX[s.move[m, slot]]
            y = int(s.y[m, slot]) + DY[s.move[m, slot]]
            s.x[m, slot] = x - side if x >= side else x + side if x < 0 else x
            s.y[m, slot] = y - side if y >= side else y + side if y < 0 else y


@kernel
def gather_piles(s: State) -> None:
    """List the squares where several stand, each with its members, lowest slot first."""
    side = side_of(s)
    for m in range(s.seed.size):
        s.piles[m] = 0
        s.meetings[m] = 0
        if s.over[m]:
            continue
        s.fight_count[m] = 0
        count = s.count_at[m]
        pile_at = s.pile_at[m]
        count[:] = 0
        for i in range(s.population[m]):
            slot = s.living[m, i]
            square = s.x[m, slot] * side + s.y[m, slot]
            count[square] += 1
            pile_at[square] = 0
        members = 0
        for i in range(s.population[m]):
            slot = s.living[m, i]
            square = s.x[m, slot] * side + s.y[m, slot]
            if count[square] < 2:
                continue
            if pile_at[square] == 0:
                pile = s.piles[m]
                s.piles[m] = pile + 1
                pile_at[square] = pile + 1
                s.pile_start[m, pile] = members
                s.pile_size[m, pile] = 0
                members += count[square]
            pile = pile_at[square] - 1
            s.member[m, s.pile_start[m, pile] + s.pile_size[m, pile]] = slot
            s.met[m, slot] = -1
            s.pile_size[m, pile] += 1


@kernel
def meet(s: State, m: int, a: int, b: int) -> None:
    """Rule 4. One of the two wants it: they fight to the death, and a living winner is paid."""
    s.fights[m, s.fight_count[m], 0] = a
    s.fights[m, s.fight_count[m], 1] = b
    s.fight_count[m] += 1
    pair = int(a) * s.hp.shape[1] + int(b)
    left_a, left_b = fight(
        s.seed[m], s.clock[m], pair << 32, s.hp[m, a], s.hp[m, b], s.ability[m, a], s.ability[m, b]
    )
    if left_a > 0:
        left_a += reward(s.ability[m, a], s.ability[m, b])
    elif left_b > 0:
        left_b += reward(s.ability[m, b], s.ability[m, a])
    s.hp[m, a] = left_a
    s.hp[m, b] = left_b


@kernel
def fight(
    seed: int, clock: int, index: int, hp_a: int, hp_b: int, ability_a: Array, ability_b: Array
) -> tuple[int, int]:
    """Rule 5. Exchanges until at least one is dead; returns the HP that are left."""
    left_a = int(hp_a)
    left_b = int(hp_b)
    strength_a = rounded(ability_a[STRENGTH])
    strength_b = rounded(ability_b[STRENGTH])
    odds_a = 50 // min(rounded(ability_a[DEFENSE]), 50) + 1
    odds_b = 50 // min(rounded(ability_b[DEFENSE]), 50) + 1
    while left_a > 0 and left_b > 0:
        left_a -= strike(seed, clock, index, odds_a, strength_b)
        left_b -= strike(seed, clock, index + 2, odds_b, strength_a)
        index += 4
    return left_a, left_b


@kernel
def strike(seed: int, clock: int, index: int, odds: int, strength: int) -> int:
    """Rule 5. What the struck one loses: nothing in one case of `odds`, else 1 up to the strength."""
    if draw(seed, clock, FIGHT, index, odds) == 0:
        return 0
    return 1 + draw(seed, clock, FIGHT, index + 1, strength)


@kernel
def reward(winner: Array, loser: Array) -> int:
    """Rule 5. The winner's abilities grow by a fifth of the loser's levels; returns the HP that it gains."""
    for k in range(5):
        winner[k] = winner[k] + np.float32(rounded(loser[k])) / np.float32(5.0)
    return 2 * rounded(loser[LIFE])


@kernel
def wants_unasked(species: int, gone: Array) -> bool:
    """Rules 4, 6 and 8. Until somebody answers for it an alien wants to fight, and prey never does."""
    return bool(species < gone.size)


@kernel
def take_wishes(wants: Array, match: Array, body: Array, fight: Array) -> None:
    """Rule 4. Note in `State.wants` who wants to fight."""
    for i in range(match.size):
        wants[match[i], body[i]] = fight[i] != 0


@kernel
def settle_meetings(s: State) -> None:
    """Rule 4. All meetings of this wave are answered: fights."""
    for m in range(s.seed.size):
        for i in range(s.meetings[m]):
            a = s.meeting[m, i, 0]
            b = s.meeting[m, i, 1]
            s.opponent[m, a] = -1
            s.opponent[m, b] = -1
            if s.wants[m, a] != 0 or s.wants[m, b] != 0:
                meet(s, m, a, b)
        s.meetings[m] = 0


@kernel
def remove_the_dead(s: State) -> None:
    """Rule 3. Who died this round leaves the board."""
    for m in range(s.seed.size):
        if s.over[m]:
            continue
        for i in range(s.population[m]):
            slot = s.living[m, i]
            s.hp[m, slot] = max(0, s.hp[m, slot])
        s.population[m] = list_the_living(s.hp[m], s.living[m])


@kernel
def advance_clock(clock: Array, over: Array, rounds: int) -> None:
    """Rule 7. A match is over after the last round."""
    for m in range(clock.size):
        if not over[m]:
            clock[m] += 1
            over[m] = clock[m] >= rounds
