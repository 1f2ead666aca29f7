"""Kernels of a step that map rows of questions to agents, without allocating arrays."""

from __future__ import annotations

import numpy as np

from koth.game import Array
from koth.kernel import kernel


@kernel
def begin_step(
    given: Array,
    rows: Array,
    most: Array,
    edges: Array,
    mask: Array,
    chosen: Array,
    last: Array,
    rewards: Array,
    terminated: Array,
    truncated: Array,
    ended: Array,
    restarted: Array,
    impossible: Array,
) -> bool:
    """Set the actions of asked agents, mark those that the mask excludes, and clear the last step's results.

    Return False, and change nothing, if an action is out of range.
    """
    good: bool = True
    for i in range(rows.size):
        row = np.uint64(rows[i])
        for k in range(most.size):
            good &= bool(np.uint64(given[row, np.uint64(k)]) < np.uint64(most[k]))  # one below 0 is a huge one
    if good:
        impossible[:] = False
        for i in range(rows.size):
            row = np.uint64(rows[i])
            for k in range(most.size):
                chosen[i, k] = last[row, np.uint64(k)] = given[row, np.uint64(k)]
                impossible[row] |= not mask[row, np.uint64(edges[k] + given[row, np.uint64(k)])]
        rewards[:] = 0
        terminated[:], truncated[:], ended[:], restarted[:] = False, False, False, False
    return good


@kernel
def free_masks(mask: Array, asked: Array, edges: Array, places: Array, out: Array) -> None:
    """Write the masks of the agents at some flat indices; agents not asked have the first choice of each action."""
    for i in range(places.size):
        place, row = places[i], out[i]
        for k in range(row.size):
            row[k] = mask[place, k] & asked[place]
        for k in range(edges.size - 1):
            row[edges[k]] |= not asked[place]


@kernel
def count_turns(turns: Array, over: Array, limit: int, ended: Array) -> int:
    """Count a turn; mark matches that have ended, by the rules or at the limit (-1: none); return their number."""
    count = 0
    for m in range(turns.size):
        turns[m] += 1
        if over[m] or 0 <= limit <= turns[m]:
            ended[count] = m
            count += 1
    return count


@kernel
def find_agents(match: Array, seat: Array, unit: Array, table: Array, agents: int, places: Array) -> None:
    """Write each row's flat agent index; `table` has the agent's index in its match, by seat and unit."""
    for i in range(match.size):
        places[i] = match[i] * agents + table[np.uint64(seat[i]), np.uint64(unit[i])]


@kernel
def mark_agents(
    match: Array, seat: Array, unit: Array, table: Array, agents: int, places: Array, asked: Array
) -> None:
    """Find each row's flat agent index, as `find_agents` does, and mark the agents that are asked."""
    find_agents(match, seat, unit, table, agents, places)
    asked[:] = False
    for i in range(places.size):
        asked[np.uint64(places[i])] = True


@kernel
def note_changes(
    worth: Array,
    before: Array,
    alive: Array,
    lived: Array,
    restarted: Array,
    column: Array,
    rewards: Array,
    terminated: Array,
) -> None:
    """Add the gains and mark the deaths since the last call, except in restarted matches; update `before` and
    `lived`.
    """
    add_gains(worth, restarted, lived, column, before, rewards)
    for m in range(alive.shape[0]):
        for k in range(alive.shape[1]):
            terminated[m, k] |= lived[m, k] & (not alive[m, k]) & (not restarted[m])
            lived[m, k] = alive[m, k]


@kernel
def add_gains(worth: Array, restarted: Array, lived: Array, column: Array, before: Array, rewards: Array) -> None:
    """Add the gain of each agent's value, if the agent lived at the last call and the match is not new.

    Update `before`.
    """
    for m in range(rewards.shape[0]):
        if not restarted[m]:
            for k in range(column.size):
                if lived[m, k]:
                    own = np.uint64(column[k])
                    rewards[m, k] += worth[m, own] - before[m, own]
        for k in range(worth.shape[1]):
            before[m, k] = worth[m, k]
