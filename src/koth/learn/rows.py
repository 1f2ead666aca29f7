"""What a step does with rows and agents, in compiled code: nothing is made anew."""

from __future__ import annotations

from koth.game import Array
from koth.kernel import kernel


@kernel
def take_actions(given: Array, rows: Array, most: Array, chosen: Array, last: Array) -> bool:
    """Take the actions of who is asked; False, and nothing is taken, if there is none of some value."""
    good: bool = True
    for i in range(rows.size):
        for k in range(most.size):
            good &= 0 <= given[rows[i], k] < most[k]
    if good:
        for i in range(rows.size):
            for k in range(most.size):
                chosen[i, k] = last[rows[i], k] = given[rows[i], k]
    return good


@kernel
def find_agents(match: Array, seat: Array, body: Array, table: Array, agents: int, places: Array) -> None:
    """Write each row's agent, counted through all matches; `table` has its place in its match, by seat and body."""
    for i in range(match.size):
        places[i] = match[i] * agents + table[seat[i], body[i]]


@kernel
def mark(rows: Array, asked: Array) -> None:
    """Write who is asked."""
    asked[:] = False
    for i in range(rows.size):
        asked[rows[i]] = True


@kernel
def add_gains(scores: Array, anew: Array, seat: Array, before: Array, rewards: Array) -> None:
    """Add what each agent's seat has gained, but in matches that begin anew; `before` is brought up to date."""
    for m in range(rewards.shape[0]):
        if not anew[m]:
            for k in range(seat.size):
                rewards[m, k] += scores[m, seat[k]] - before[m, seat[k]]
        for k in range(scores.shape[1]):
            before[m, k] = scores[m, k]


@kernel
def note_deaths(alive: Array, anew: Array, before: Array, terminated: Array) -> None:
    """Add who has died since the last look, but in matches that begin anew; `before` is brought up to date."""
    for m in range(alive.shape[0]):
        for k in range(alive.shape[1]):
            terminated[m, k] |= before[m, k] & (not alive[m, k]) & (not anew[m])
            before[m, k] = alive[m, k]
