"""The rules of zombies, phase by phase, in the order of a turn."""

from __future__ import annotations

import numpy as np

from koth.game import Array
from koth.games.zombies.prey import chase, note_prey
from koth.games.zombies.state import (
    BODY,
    PLAYER,
    SHOOT,
    STAY,
    ZOMBIE,
    State,
    place,
    rename,
)
from koth.grid import wrap
from koth.kernel import kernel
from koth.rng import draw

# Phases of the random numbers' addresses.
START, SPAWN, WALK = 0, 1, 2


@kernel(inline=True)
def place_players(s: State, m: int, bullets: int) -> None:
    """Start. Put every player on a random free square; numbers run through the seats from 0."""
    side = s.slot_at.shape[1]
    per_bot = s.players[m] // s.score.shape[1]
    tries = 0
    for slot in range(s.players[m]):
        square = draw(s.seed[m], 0, START, tries, side * side)
        tries += 1
        while s.slot_at[m, square // side, square % side] != 0:
            square = draw(s.seed[m], 0, START, tries, side * side)
            tries += 1
        s.kind[m, slot] = PLAYER
        s.seat[m, slot] = slot // per_bot
        s.number[m, slot] = slot
        s.bullets[m, slot] = bullets
        s.x[m, slot] = square % side
        s.y[m, slot] = square // side
        place(s, m, slot)
    s.actors[m] = s.players[m]
    s.next_number[m] = s.players[m]


@kernel(inline=True)
def spawn_zombie(s: State, m: int) -> None:
    """Rule 1. Let a zombie appear at a random square, replacing any actor there."""
    s.turned_count[m] = 0  # the turn's first phase: forget the last turn's
    side = s.slot_at.shape[1]
    square = draw(s.seed[m], s.clock[m], SPAWN, 0, side * side)
    slot = s.slot_at[m, square // side, square % side] - 1
    if slot >= 0 and s.kind[m, slot] == PLAYER:
        note_turned(s, m, slot, slot)
    if slot < 0:
        slot = s.actors[m]
        s.actors[m] += 1
        s.x[m, slot] = square % side
        s.y[m, slot] = square // side
    s.bullets[m, slot] = 0
    rename(s, m, slot, ZOMBIE)


@kernel(inline=True)
def note_turned(s: State, m: int, slot: int, biter: int) -> None:
    """Record for pictures and events which player became a zombie, and the biter (itself: a zombie rose there)."""
    s.turned[m, s.turned_count[m], 0] = slot
    s.turned[m, s.turned_count[m], 1] = biter
    s.turned_count[m] += 1


@kernel(inline=True)
def zombies_bite(s: State, m: int) -> None:
    """Rule 2. Make every living player next to a zombie a zombie, which bites from the next turn on."""
    slot_at, kind, bitten_by, near = s.slot_at[m], s.kind[m], s.bitten_by[m], s.near[m]
    bitten_by[:] = 0
    for slot in range(s.actors[m]):
        if kind[slot] == ZOMBIE:
            for i in range(players_around(slot_at, kind, s.x[m, slot], s.y[m, slot], near)):
                bitten_by[near[i]] = slot + 1
    # A living player's slot is its number: they are renamed in the order of their numbers.
    for slot in range(s.players[m]):
        if bitten_by[slot]:
            note_turned(s, m, slot, bitten_by[slot] - 1)
            s.bullets[m, slot] = 0
            rename(s, m, slot, ZOMBIE)


@kernel
def players_around(slot_at: Array, kind: Array, x: int, y: int, near: Array) -> int:
    """Write the slots of the living players on the 8 squares around (x, y) to `near`; return their number."""
    side = slot_at.shape[0]
    count = 0
    for dy in range(-1, 2):
        row = wrap(y + dy, side)
        for dx in range(-1, 2):
            slot = slot_at[row, wrap(x + dx, side)] - 1
            if slot >= 0 and kind[slot] == PLAYER and (dx != 0 or dy != 0):
                near[count] = slot
                count += 1
    return count


@kernel(inline=True)
def score_survivors(s: State, m: int) -> None:
    """Rule 3. Record the turn as survived for bots with a living player."""
    kind, seat, score = s.kind[m], s.seat[m], s.score[m]
    for slot in range(s.players[m]):
        if kind[slot] == PLAYER:
            score[seat[slot]] = s.clock[m]


@kernel(inline=True)
def zombies_decide(s: State, m: int, vision: int) -> None:
    """Rule 4 (zombies). Choose a step towards the nearest living player in sight, else a random one of the 9."""
    note_prey(s, m)
    kind, action, xs, ys = s.kind[m], s.action[m], s.x[m], s.y[m]
    for slot in range(s.actors[m]):
        if kind[slot] == ZOMBIE:
            move = chase(s.first_prey[m], s.prey[m], xs, xs[slot], ys[slot], vision)
            action[slot] = move if move >= 0 else draw(s.seed[m], s.clock[m], WALK, s.number[m, slot], 9)


@kernel(inline=True)
def take_decisions(s: State, m: int, asked: range, unit: Array, action: Array) -> None:
    """Rule 4, players. Note the answer of every asked player (`asked`: this match's rows)."""
    chosen = s.action[m]
    for i in asked:
        chosen[unit[i]] = action[i]


@kernel(inline=True)
def fire_shots(s: State, m: int, asked: range, unit: Array, action: Array, target: Array, reach: int) -> None:
    """Rule 5. Fire all shots at once: each costs a bullet; valid hits make bodies, the lowest number first."""
    hit = s.hit[m]
    hits = 0
    shots = 0
    for i in asked:
        slot = unit[i]
        if action[i] != SHOOT or s.bullets[m, slot] <= 0:
            continue
        s.bullets[m, slot] -= 1
        victim = find_target(s, m, slot, target[i], reach)
        s.shots[m, shots, 0] = slot
        s.shots[m, shots, 1] = victim
        shots += 1
        if victim >= 0:
            hit[hits] = victim
            hits += 1
    s.shot_count[m] = shots
    sort_by_number(s.number[m], hit, hits)
    for i in range(hits):
        if i == 0 or hit[i] != hit[i - 1]:
            s.action[m, hit[i]] = STAY
            rename(s, m, hit[i], BODY)


@kernel
def sort_by_number(number: Array, slots: Array, count: int) -> None:
    """Sort the first `count` slots by number: few players are hit, and NumPy's sorts take long to compile."""
    for i in range(1, count):
        slot = slots[i]
        place = i
        while place > 0 and number[slots[place - 1]] > number[slot]:
            slots[place] = slots[place - 1]
            place -= 1
        slots[place] = slot


@kernel
def find_target(s: State, m: int, slot: int, target: np.uint32, reach: int) -> int:
    """Return the slot of exactly this identity within `reach` of the shooter at the snapshot, or -1."""
    side = s.slot_at.shape[1]
    halo = (s.board.shape[1] - side) // 2
    if target != 0:
        for y in range(s.y[m, slot] - reach, s.y[m, slot] + reach + 1):
            for x in range(s.x[m, slot] - reach, s.x[m, slot] + reach + 1):
                if s.board[m, y + halo, x + halo] == target:
                    return int(s.slot_at[m, (y + side) % side, (x + side) % side] - 1)
    return -1


@kernel(inline=True)
def share_bullets(s: State, m: int) -> None:
    """Rule 7. Share a body's bullets among the living players around it; the remainder is lost."""
    slot_at, kind, bullets, near = s.slot_at[m], s.kind[m], s.bullets[m], s.near[m]
    for slot in range(s.actors[m]):
        if kind[slot] != BODY or bullets[slot] == 0:
            continue
        count = players_around(slot_at, kind, s.x[m, slot], s.y[m, slot], near)
        for i in range(count):
            bullets[near[i]] += bullets[slot] // count
        if count > 0:
            bullets[slot] = 0


@kernel(inline=True)
def advance_clock(s: State, m: int) -> None:
    """Rule 8. Advance the clock; end a match without a living player."""
    s.clock[m] += 1
    s.over[m] = True
    for slot in range(s.players[m]):
        if s.kind[m, slot] == PLAYER:
            s.over[m] = False
            return
