"""What each move and each shot leads to, for who learns without pictures: nine moves, then the nearest targets."""

from __future__ import annotations

import numpy as np

from koth.game import Array
from koth.games.zombies.state import BODY, DX, DY, PLAYER, SHOOT, STAY, ZOMBIE
from koth.kernel import kernel

TARGETS = 8
"""Shots to choose from: at the nearest zombies and strangers within range; of those as near, row by row."""
CHOICES = SHOOT + TARGETS
FEATURES = (
    "a move", "a shot", "somebody stands there", "zombies next to it", "zombies next to it soon", "zombies near it",
    "bodies next to it", "own players next to it", "strangers next to it", "nearest stranger", "own players near it",
    "at a zombie", "at a stranger", "how near", "how near to one of its own", "own players nearer to it",
    "bullets", "zombies within two squares", "zombies in sight", "own players in sight",
)  # fmt: skip
(
    MOVE, SHOT, TAKEN, BESIDE, SOON, NEAR,
    BODIES, OWN, FOES, NEAREST_FOE, CROWD,
    AT_ZOMBIE, AT_FOE, PROXIMITY, CLOSE_TO_OWN, NEARER,
    BULLETS, AROUND, ZOMBIES, OWN_IN_SIGHT,
) = range(len(FEATURES))  # fmt: skip


class Prospects:
    """Room for those who are in sight of one player, and for its targets."""

    def __init__(self, side: int) -> None:
        self._scratch = np.zeros((5, side * side + TARGETS), np.int32)

    def write(
        self, window: Array, seat: Array, bullets: Array, rows: Array, reach: int, out: Array, mask: Array
    ) -> None:
        """Write the features of all choices, for each row; or only, which are possible (`mask` or `out` is empty)."""
        weigh(window, seat, bullets, rows, reach, self._scratch, out, mask)

    def take(self, choice: Array, window: Array, seat: Array, reach: int, action: Array, target: Array) -> None:
        """Write the answer for each choice: a move, or a shot at an identity."""
        take_actions(choice, window, seat, reach, self._scratch, action, target)


KIND, AT_X, AT_Y, STEP, TARGET = range(5)
"""Scratch: those in sight (zombies, bodies, own, strangers) and where, how far away, and which are targets."""
FOE = PLAYER + 1


@kernel
def look(window: Array, own: int, reach: int, scratch: Array) -> tuple[int, int]:
    """Note who is in sight, and the targets, nearest first; returns how many each are."""
    centre, size = window.shape[0] // 2, window.shape[0]
    count, targets = 0, 0
    for y in range(size):
        for x in range(size):
            low = int(window[y, x]) & 255
            if low and (y != centre or x != centre):
                scratch[KIND, count] = low if low < PLAYER else PLAYER if low == own else FOE
                scratch[AT_X, count], scratch[AT_Y, count] = x - centre, y - centre
                scratch[STEP, count] = max(abs(x - centre), abs(y - centre))
                count += 1
    for distance in range(1, reach + 1):
        for k in range(count):
            kind = scratch[KIND, k]
            if scratch[STEP, k] == distance and targets < TARGETS and kind in (ZOMBIE, FOE):
                scratch[TARGET, targets] = k
                targets += 1
    return count, targets


@kernel
def weigh(
    window: Array, seat: Array, bullets: Array, rows: Array, reach: int, scratch: Array, out: Array, mask: Array
) -> None:
    """See `Prospects.write`."""
    for i in range(rows.size):
        count, targets = look(window[i], PLAYER + seat[i], reach, scratch)
        if mask.size:
            mask[rows[i], :SHOOT] = True
            for k in range(TARGETS):
                mask[rows[i], SHOOT + k] = k < targets and bullets[i] > 0
        if out.size:
            found = out[rows[i]]
            found[:] = 0
            see_all(count, scratch, bullets[i], found)
            for k in range(SHOOT):
                weigh_move(DX[k], DY[k], count, scratch, found[k])
            found[STAY, TAKEN] = 0
            for k in range(targets):
                weigh_shot(scratch[TARGET, k], count, scratch, found[SHOOT + k])


@kernel
def see_all(count: int, scratch: Array, bullets: int, found: Array) -> None:
    """What is the same for all choices."""
    near, zombies, own = 0, 0, 0
    for k in range(count):
        zombies += scratch[KIND, k] == ZOMBIE
        near += scratch[KIND, k] == ZOMBIE and scratch[STEP, k] <= 2
        own += scratch[KIND, k] == PLAYER
    for choice in range(CHOICES):
        found[choice, BULLETS] = min(bullets, 6) / 3
        found[choice, AROUND], found[choice, ZOMBIES], found[choice, OWN_IN_SIGHT] = near / 3, zombies / 20, own / 10


@kernel
def weigh_move(dx: int, dy: int, count: int, scratch: Array, found: Array) -> None:
    """What a player expects where this move leads; zombies come towards it."""
    found[MOVE] = 1
    for k in range(count):
        x, y, kind = scratch[AT_X, k], scratch[AT_Y, k], scratch[KIND, k]
        step = max(abs(x - dx), abs(y - dy))
        if step == 0:
            found[TAKEN] = 1
        elif kind == ZOMBIE:
            soon = max(abs(x - (x > 0) + (x < 0) - dx), abs(y - (y > 0) + (y < 0) - dy))
            found[BESIDE] += 0.5 * (step == 1)
            found[SOON] += 0.5 * (soon <= 1)
            found[NEAR] += 1 / (soon + 1) ** 2
        elif kind == BODY:
            found[BODIES] += 0.25 * (step == 1)
        elif kind == PLAYER:
            found[OWN] += 0.25 * (step == 1)
            found[CROWD] += 0.3 / step
        else:
            found[FOES] += 0.5 * (step == 1)
            found[NEAREST_FOE] = max(found[NEAREST_FOE], 1 / step)


@kernel
def weigh_shot(at: int, count: int, scratch: Array, found: Array) -> None:
    """What a player expects of a shot at this one."""
    found[SHOT] = 1
    found[AT_ZOMBIE if scratch[KIND, at] == ZOMBIE else AT_FOE] = 1
    found[PROXIMITY] = 1 / scratch[STEP, at]
    nearest = scratch[STEP, at]
    for k in range(count):
        if scratch[KIND, k] == PLAYER:
            step = max(abs(scratch[AT_X, k] - scratch[AT_X, at]), abs(scratch[AT_Y, k] - scratch[AT_Y, at]))
            found[NEARER] += 0.3 * (step < scratch[STEP, at])
            nearest = min(nearest, step)
    found[CLOSE_TO_OWN] = 1 / nearest


@kernel
def take_actions(
    choice: Array, window: Array, seat: Array, reach: int, scratch: Array, action: Array, target: Array
) -> None:
    """See `Prospects.take`; a shot at a target that there is not is one at nobody."""
    centre = window.shape[1] // 2
    for i in range(choice.size):
        action[i], target[i] = min(choice[i], SHOOT), 0
        if choice[i] >= SHOOT:
            targets = look(window[i], PLAYER + seat[i], reach, scratch)[1]
            if choice[i] - SHOOT < targets:
                k = scratch[TARGET, choice[i] - SHOOT]
                target[i] = window[i, centre + scratch[AT_Y, k], centre + scratch[AT_X, k]]
