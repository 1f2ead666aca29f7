"""Fights and rewards (rule 5)."""

from __future__ import annotations

import numpy as np

from koth.game import Array
from koth.games.aliens.rules import FIGHT
from koth.games.aliens.state import DEFENSE, LIFE, STRENGTH, State, round_half_up
from koth.kernel import kernel
from koth.rng import draw


@kernel(inline=True)
def fight_it_out(s: State, m: int, a: int, b: int) -> None:
    """Rules 4 and 5. Let these two fight to the death, and reward the survivor."""
    s.fights[m, s.fight_count[m], 0] = a
    s.fights[m, s.fight_count[m], 1] = b
    had_a, had_b = s.hp[m, a], s.hp[m, b]
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
    s.slain[m, s.fight_count[m]] = int(had_a > 0 >= left_a) + 2 * int(had_b > 0 >= left_b)
    s.fight_count[m] += 1


@kernel
def fight(
    seed: int, clock: int, index: int, hp_a: int, hp_b: int, ability_a: Array, ability_b: Array
) -> tuple[int, int]:
    """Rule 5. Exchange blows until at least one is dead; return the HP that are left."""
    left_a = int(hp_a)
    left_b = int(hp_b)
    strength_a = round_half_up(ability_a[STRENGTH])
    strength_b = round_half_up(ability_b[STRENGTH])
    odds_a = 50 // min(round_half_up(ability_a[DEFENSE]), 50) + 1
    odds_b = 50 // min(round_half_up(ability_b[DEFENSE]), 50) + 1
    while left_a > 0 and left_b > 0:
        left_a -= strike(seed, clock, index, odds_a, strength_b)
        left_b -= strike(seed, clock, index + 2, odds_b, strength_a)
        index += 4
    return left_a, left_b


@kernel
def strike(seed: int, clock: int, index: int, odds: int, strength: int) -> int:
    """Rule 5. Return the HP that a blow takes: none in one case of `odds`, else 1 up to the strength."""
    if draw(seed, clock, FIGHT, index, odds) == 0:
        return 0
    return 1 + draw(seed, clock, FIGHT, index + 1, strength)


@kernel
def reward(winner: Array, loser: Array) -> int:
    """Rule 5. Raise the winner's abilities by a fifth of the loser's levels; return the HP that the winner gains."""
    for k in range(5):
        winner[k] = winner[k] + np.float32(round_half_up(loser[k])) / np.float32(5.0)
    return 2 * round_half_up(loser[LIFE])
