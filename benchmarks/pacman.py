"""Speed of batched Pac-Man matches: `python benchmarks/pacman.py [matches] [turns]`.

Ten Pac-Men a match move at random, their observations are written, finished matches are started anew every
sixteen turns. Time is this process's own (one core, whatever else the machine does). An agent-step is one
observation answered, of a living Pac-Man or of one that goes on as a ghost. What an observation holds, its
bytes a second, and that beside the speed of copying memory, are printed too.
Where Jumanji is installed, its PacMan-v1 (one agent, sees everything) runs beside it.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from koth.game import Answers, Batch
from koth.games.pacman import GAME

PACMEN = 10


def memory_bandwidth() -> float:
    """Bytes copied per second, of an array far larger than the caches."""
    source = np.ones(1 << 27, np.uint8)
    target = np.zeros_like(source)
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        np.copyto(target, source)
        best = min(best, time.process_time() - start)
    return source.size / best


def moves_made(rows: int, rounds: int) -> np.ndarray:
    """Random moves made beforehand, so that only the game is timed."""
    return np.random.default_rng(1).integers(0, 5, (rounds, rows), dtype=np.uint8)


def koth_steps(matches: int, turns: int) -> None:
    """Play `turns` turns of `matches` matches and print what was done in a second."""
    settings = GAME.rulesets["published"]
    batch = Batch(GAME, settings, PACMEN, list(range(matches)))
    moves = moves_made(matches * PACMEN, 64)
    no_fault = np.zeros(matches * PACMEN, np.uint8)
    nobody = batch.nobody_gone()
    seed = matches
    started = 0

    def start_anew() -> None:
        nonlocal seed, started
        over = np.flatnonzero(batch.state.over)
        if len(over) and batch.turn % 16 == 0:
            batch.reset(over.tolist(), range(seed, seed + len(over)))
            seed += len(over)
            started += len(over)

    batch.on_turn = start_anew
    steps = squares = 0
    start = 0.0
    warm_up = 20
    while batch.turn < turns + warm_up:
        if batch.turn == warm_up and not start:
            steps = squares = started = 0
            start = time.process_time()
        asks = batch.asks
        assert asks is not None
        rows = len(asks)
        steps += rows
        squares += len(asks.view["square"])
        batch.answer(Answers({"move": moves[batch.turn % 64, :rows]}, no_fault[:rows], nobody))
    seconds = time.process_time() - start
    size = squares * 5 + steps * 16
    bandwidth = memory_bandwidth()
    print(f"koth: {matches} matches of {PACMEN}, {turns} turns, {started} matches started anew")
    print(f"  {steps / seconds / 1e6:8.2f} million agent-steps/s")
    print(f"  {matches * turns / seconds / 1e6:8.3f} million turns/s of a match, {2 * PACMEN} NPC ghosts in each")
    print(
        f"  an observation: {squares / steps:.1f} squares on average (index int32, content uint8), their number, "
        f"match, seat and body (int32): {size / steps:.0f} bytes"
    )
    print(f"  {size / seconds / 1e9:8.2f} GB/s written, {size / seconds / bandwidth:.1%} of copying memory")


def jumanji_steps(matches: int, turns: int) -> None:
    """The same for Jumanji's PacMan-v1, where it is installed."""
    try:
        import jax
        import jumanji
    except ImportError:
        print("Jumanji is not installed: nothing to stand beside")
        return
    env = jumanji.make("PacMan-v1")
    keys = jax.random.split(jax.random.PRNGKey(0), matches)

    def step(state: object, key: object) -> tuple[object, object]:
        actions = jax.random.randint(key, (matches,), 0, 5)
        state, timestep = jax.vmap(env.step)(state, actions)
        return state, timestep.reward.sum()

    run = jax.jit(lambda state, key: jax.lax.scan(step, state, jax.random.split(key, turns)))
    state, _ = jax.jit(jax.vmap(env.reset))(keys)
    jax.block_until_ready(run(state, keys[0]))
    start = time.perf_counter()
    jax.block_until_ready(run(state, keys[1]))
    seconds = time.perf_counter() - start
    print(f"Jumanji PacMan-v1: {matches} environments, {turns} steps")
    print(f"  {matches * turns / seconds / 1e6:8.2f} million agent-steps/s (all cores that JAX takes)")


if __name__ == "__main__":
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 512
    turns = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    koth_steps(matches, turns)
    jumanji_steps(matches, turns)
