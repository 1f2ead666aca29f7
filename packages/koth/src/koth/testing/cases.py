"""The matches on which the laws are tested: a few seeds, their states, and the sequence of state hashes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from koth.engine.batch import Batch
from koth.game import Game, State, copy_state, state_hash
from koth.testing.policies import Policy, RandomAnswers


@dataclass(frozen=True)
class Case:
    """A case for the laws, which compare `turns` turns in detail; each match must end within `cap` turns."""

    game: Game
    settings: Any
    seats: int
    seed: int = 1
    turns: int = 20
    cap: int = 5_000


def play(batch: Batch, policy: Policy, turns: int, on_turn: Callable[[list[int]], None]) -> None:
    """Play `turns` more turns; after each, call `on_turn` with the matches that took part in it."""
    over = batch.game.over(batch.state).copy()
    stop = batch.turn + turns

    def note() -> None:
        if batch.turn <= stop:
            on_turn(np.flatnonzero(~over).tolist())
        over[:] = batch.game.over(batch.state)

    batch.on_turn = note
    while batch.observations is not None and batch.turn < stop:
        batch.answer(policy(batch.observations))
    batch.on_turn = None


def trail(batch: Batch, policy: Policy, turns: int) -> list[list[str]]:
    """Return each match's state hashes: one per turn in which the match took part (and one per opening that asks)."""
    hashes: list[list[str]] = [[] for _ in range(batch.matches)]

    def note(matches: list[int]) -> None:
        for match in matches:
            hashes[match].append(state_hash(batch.game, batch.state, match))

    play(batch, policy, turns, note)
    return hashes


def begin(case: Case, seeds: Sequence[int], **options: Any) -> Batch:
    """Return a new batch of the case's matches."""
    return Batch(case.game, case.settings, case.seats, seeds, **options)


def go_on(case: Case, state: State) -> Batch:
    """Return a batch that continues from a copy of this state."""
    return Batch.from_state(case.game, case.settings, case.seats, copy_state(state))


def policy_of(case: Case, *seeds: int) -> RandomAnswers:
    """Return the policy of random answers for matches of these seeds."""
    return RandomAnswers(seeds, case.seats)


def states(case: Case, turns: int) -> list[State]:
    """Return copies of one match's states between turns: after the opening, if it asks, and every turn."""
    batch = begin(case, [case.seed])
    found: list[State] = []
    play(batch, policy_of(case, case.seed), turns, lambda _: found.append(copy_state(batch.state)))
    return found


def seed_where(*claims: Callable[[int], object], tries: int = 1_000_000) -> int:
    """Return the first seed from 0 on for which all conditions hold, so that a test gets the dice it needs.

    seed_where(lambda seed: draw(seed, 0, SPAWN, 0, 81) == 40)

    Raises LookupError if none of the first `tries` seeds fits.
    """
    for seed in range(tries):
        if all(claim(seed) for claim in claims):
            return seed
    raise LookupError(f"no seed below {tries} fits")
