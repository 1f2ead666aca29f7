"""Frames for replays, and the standings of a frame."""

from __future__ import annotations

from typing import Any

import numpy as np

from koth.game import Array, FrameSpec, Units
from koth.games.aliens.observation import write_levels
from koth.games.aliens.state import ABILITIES, PREY, VISION, State, halve, side_of, total
from koth.kernel import kernel


@kernel
def score_species(s: State, alive: Array, score: Array) -> None:
    """Rule 7. Count the living of every species in every match, and sum their rounded abilities."""
    for m in range(s.seed.size):
        for slot in range(s.hp.shape[1]):
            if s.hp[m, slot] > 0:
                alive[m, s.species[m, slot]] += 1
                score[m, s.species[m, slot]] += total(s.ability[m, slot])


def standings(s: State) -> tuple[Array, Array]:
    """Return the living and the score of each species (seats first, then prey): two int32[matches, species]."""
    shape = len(s.seed), s.gone.shape[1] + len(PREY)
    alive, score = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
    score_species(s, alive, score)
    return alive, score


@kernel
def draw_the_living(
    hp: Array, x: Array, y: Array, ability: Array, fights: Array, place: Array, levels: Array, totals: Array
) -> None:
    """Write squares and levels (an array per ability, and last the sight) of the living and those killed this round.

    Aliens killed in earlier rounds are not shown. `totals` are of the living alone.
    """
    for slot in range(hp.size):
        if hp[slot] > 0:
            draw_one(slot, x, y, ability, place, levels)
            totals[slot] = total(ability[slot])
    for i in range(fights.shape[0]):
        for k in range(2):
            draw_one(fights[i, k], x, y, ability, place, levels)


@kernel
def draw_one(slot: int, x: Array, y: Array, ability: Array, place: Array, levels: Array) -> None:
    """Write the square and the levels of one alien."""
    place[0, slot] = x[slot]
    place[1, slot] = y[slot]
    write_levels(ability[slot], levels[:, slot])
    levels[5, slot] = halve(ability[slot, VISION])


FRAMES = FrameSpec(
    wraps=True,
    codes={"ability": ABILITIES},
    units=[Units("x", "y", ["hp", "total", *ABILITIES, "sight"], links=["fights"], seat="species", reach="sight")],
)


def frame(s: State, m: int) -> dict[str, Any]:
    """Return one frame with all instances: an entry per instance that has ever lived, in the order of their slots."""
    alive, score = standings(type(s)(*(array[m : m + 1] for array in s)))
    totals = np.zeros(s.hp.shape[1], np.int32)
    place = np.zeros((2, s.hp.shape[1]), np.int32)
    levels = np.zeros((6, s.hp.shape[1]), np.int32)
    fights = s.fights[m, : int(s.fight_count[m])]
    draw_the_living(s.hp[m], s.x[m], s.y[m], s.ability[m], fights, place, levels, totals)
    levels[5] = np.where(s.hp[m] > 0, levels[5], -1)
    return {
        "side": side_of(s),
        "clock": int(s.clock[m]),
        "prey": list(PREY),
        "species": s.species[m],
        "x": place[0],
        "y": place[1],
        "hp": s.hp[m],
        "total": totals,
        **dict(zip((*ABILITIES, "sight"), levels, strict=True)),
        "fights": fights.tolist(),
        "alive": alive[0].tolist(),
        "score": score[0].tolist(),
    }
