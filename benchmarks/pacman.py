"""Speed of batched Pac-Man matches: `python benchmarks/pacman.py [matches] [turns]`; of hosting: `... hosting`.

Ten Pac-Men a match move at random, their observations are written, finished matches are started again every
sixteen turns. Time is this process's own (one core, whatever else the machine does). An agent-step is one
observation answered, of a living Pac-Man or of one that goes on as a ghost. What an observation holds, its
bytes a second, and that beside the speed of copying memory, are printed too.
Where Jumanji is installed, its PacMan-v1 (one agent, sees everything) runs beside it.

Hosting: a match of twenty programs that speak the text lines and always step the same way, wall time.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import machine
import numpy as np

from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.engine.batch import Batch
from koth.game import Answers
from koth.games.pacman import GAME, maze
from koth.match import Watching, play

turn = sys.modules["koth.games.pacman.turn"]  # the package has a function of this name

PACMEN = 10


def moves_made(rows: int, rounds: int) -> np.ndarray:
    """Random moves made beforehand, so that only the game is timed."""
    return np.random.default_rng(1).integers(0, 5, (rounds, rows), dtype=np.uint8)


def watched() -> Counter[str]:
    """Processor time of each kernel of a turn, by name, from now on.

    What the dead are shown is written by the ghosts' turn, what the living are shown by the turn of the dead.
    """
    spent: Counter[str] = Counter()

    def timed(name: str, kernel: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            start = time.process_time()
            result = kernel(*arguments)
            spent[name] += time.process_time() - start
            return result

        return call

    for module, name in (
        (turn, "ghosts_turn"),
        (turn, "the_dead_turn"),
        (turn, "the_living_turn"),
        (maze, "make_mazes"),
        (maze, "place_everything"),
    ):
        setattr(module, name, timed(name, getattr(module, name)))
    return spent


def koth_steps(matches: int, turns: int) -> None:
    """Play `turns` turns of `matches` matches, print what was done in a second."""
    settings = GAME.rulesets["published"]
    batch = Batch(GAME, settings, PACMEN, list(range(matches)))
    moves = moves_made(matches * PACMEN, 64)
    no_fault = np.zeros(matches * PACMEN, np.uint8)
    nobody = batch.nobody_gone()
    seed = matches
    started = 0

    def start_again() -> None:
        nonlocal seed, started
        over = np.flatnonzero(batch.state.over)
        if len(over) and batch.turn % 16 == 0:
            batch.reset(over.tolist(), range(seed, seed + len(over)))
            seed += len(over)
            started += len(over)

    batch.on_turn = start_again
    spent = watched()
    steps = squares = 0
    start = 0.0
    warm_up = 20
    while batch.turn < turns + warm_up:
        if batch.turn == warm_up and not start:
            steps = squares = started = 0
            spent.clear()
            start = time.process_time()
        observations = batch.observations
        assert observations is not None
        rows = len(observations)
        steps += rows
        squares += len(observations.fields["square"])
        batch.answer(Answers({"move": moves[batch.turn % 64, :rows]}, no_fault[:rows], nobody))
    seconds = time.process_time() - start
    size = squares * 5 + steps * 16
    bandwidth = machine.memory_bandwidth()
    print(f"koth: {matches} matches of {PACMEN}, {turns} turns, {started} matches started again")
    print(f"  {steps / seconds / 1e6:8.2f} million agent-steps/s")
    print(f"  {matches * turns / seconds / 1e6:8.3f} million turns/s of a match, {2 * PACMEN} NPC ghosts in each")
    print(
        f"  an observation: {squares / steps:.1f} squares on average (index int32, content uint8), their number, "
        f"match, seat and body (int32): {size / steps:.0f} bytes"
    )
    print(f"  {size / seconds / 1e9:8.2f} GB/s written, {size / seconds / bandwidth:.1%} of copying memory")
    print("  where the time goes, for an agent-step: ", end="")
    parts = [f"{name} {one / steps * 1e9:.0f} ns" for name, one in spent.most_common()]
    print(", ".join(parts), f"and {(seconds - spent.total()) / steps * 1e9:.0f} ns around them")


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
    start = time.process_time()
    jax.block_until_ready(run(state, keys[1]))
    seconds = time.process_time() - start
    print(f"Jumanji PacMan-v1: {matches} environments, {turns} steps")
    print(f"  {matches * turns / seconds / 1e6:8.2f} million agent-steps/s (of all its threads' processor time)")


STUBBORN = """
import sys
write, flush = sys.stdout.write, sys.stdout.flush
for line in sys.stdin:
    if ',' in line:
        write("N\\n")
        flush()
"""


def hosting(bots: int) -> None:
    """Wall time a bot and turn, with and without the bots' own time."""
    settings = GAME.rulesets["published"]
    with tempfile.TemporaryDirectory() as home:
        field = []
        for k in range(bots):
            folder = Path(home) / f"stubborn{k}"
            folder.mkdir()
            (folder / "main.py").write_text(STUBBORN)
            (folder / "command.txt").write_text("python -I -S main.py\n")
            field.append(load_bot(GAME, folder, Interpreters()))
        marks: list[tuple[float, float]] = []
        note = lambda _: marks.append((time.perf_counter(), time.process_time()))  # noqa: E731
        result = play(GAME, settings, field, 3, watching=Watching(on_turn=note))
    wall, own = np.median(np.diff(np.array(marks[5:]), axis=0), axis=0) / bots * 1e6
    faults = [record.faults for record in result.records.values() if record.faults]
    assert not faults, faults
    print(f"hosting: {bots} programs, {result.turns} turns, median of a turn, for each bot:")
    print(f"  {wall:.0f} us of wall time, {own:.0f} us of koth's own processor time")


if __name__ == "__main__":
    if sys.argv[1:] == ["hosting"]:
        print(machine.name())
        hosting(20)
        sys.exit()
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 512
    turns = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    print(machine.name())
    koth_steps(matches, turns)
    jumanji_steps(matches, turns)
