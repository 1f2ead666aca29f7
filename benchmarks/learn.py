"""Speed of learning's environments: `OMP_NUM_THREADS=1 taskset -c 0 python benchmarks/learn.py [--only WORD]`.

An agent-step is one observation answered; observations, masks and rewards are written, and matches begin again.
Time is this process's own, of one core. What is compared alternates in one run, nine bursts each; the median is told
and, of ratios to the first line, the median of those of the same round. Actions are drawn beforehand, so that only
the environment is timed.

First all games: about a thousand agents asked in a step (one match by PettingZoo's dictionaries), who act at random;
actions that are not possible are a step into a wall, or a shot at nobody. Then zombies beside MAgent2's battle and
Pac-Man beside Jumanji's, where these are installed (`pip install magent2 jumanji`). Battle and
zombies begin again after 16 steps there, which is timed, too: nearly all agents live then. In zombies a thousand
players of 20 bots walk at random, for their own shots would kill many; in battle 968 agents do anything.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import machine
import numpy as np

import koth_learn
from koth_learn import Environment
from koth_learn.gym import Vector
from koth_learn.zoo import Parallel

TABLES = {"zombies": 8, "pacman": 10, "metalman": 4, "aliens": 4}
"""Seats in a match."""
AGENTS, STEPS, WALKS, ROUNDS = 1000, 16, 9, 9

Play = Callable[[], int]
"""Plays some steps; returns how many agents were asked in them."""


def rate(play: Play, seconds: float = 0.4) -> float:
    """Agent-steps a second of processor time."""
    steps, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        steps += play()
    return steps / (time.process_time() - start)


def compare(title: str, ways: dict[str, Callable[[], Play]]) -> None:
    """Print how fast each way is, and its ratio to the first one; those that are not installed are left out."""
    plays: dict[str, Play] = {}
    for name, way in ways.items():
        try:
            plays[name] = way()
        except ImportError as error:
            print(f"{name}: {error}")
    if not plays:
        return
    for play in plays.values():
        play()
    found: dict[str, list[float]] = {name: [] for name in plays}
    for _ in range(ROUNDS):
        for name, play in plays.items():
            found[name].append(rate(play))
    print(f"{title}:")
    first = next(iter(found.values()))
    for name, rates in found.items():
        ratio = statistics.median(b / a for a, b in zip(first, rates, strict=True))
        print(f"  {name:<58}{statistics.median(rates):>12,.0f} agent-steps/s {ratio:>6.2f}", flush=True)


def begun(name: str, matches: int, **options: Any) -> tuple[Environment, list[np.ndarray]]:
    env = koth_learn.make(name, matches, TABLES[name], **options)
    env.reset(1)
    random = np.random.default_rng(1)
    high = env.choices if len(env.choices) > 1 else env.choices[0]
    return env, [random.integers(0, high, env.action_shape) for _ in range(STEPS)]


def environment(name: str) -> tuple[Environment, list[np.ndarray]]:
    """Matches in which about a thousand agents are asked in a step (not all live), begun, and actions for them."""
    one, actions = begun(name, 1)
    asked = [one.step(action)[-1]["asked"].sum() for action in 8 * actions]
    return begun(name, max(1, round(AGENTS / float(np.mean(asked)))))


def asked_in(env: Environment, actions: Sequence[Any], step: Callable[[Any], object]) -> int:
    """Take these steps, one after the other; returns how many agents were asked."""
    steps = 0
    for action in actions:
        steps += int(np.count_nonzero(env.arrays["asked"]))
        step(action)
    return steps


def native(name: str) -> Play:
    env, actions = environment(name)
    return lambda: asked_in(env, actions, env.step)


def vector(name: str) -> Play:
    env, actions = environment(name)
    several = Vector(env)
    several.reset(seed=1)
    flat = [action.reshape(several.num_envs, *action.shape[2:]) for action in actions]
    return lambda: asked_in(env, flat, several.step)


def dictionaries(name: str) -> Play:
    """One match of the game's usual table; few agents where a match has few."""
    env, actions = begun(name, 1, autoreset=False)
    zoo = Parallel(env)
    zoo.reset(seed=1)
    said = [dict(zip(zoo.possible_agents, action[0].tolist(), strict=True)) for action in actions]

    def play() -> int:
        steps = 0
        for action in said:
            if not zoo.agents:
                zoo.reset()
            steps += int(np.count_nonzero(env.arrays["asked"]))
            zoo.step({agent: action[agent] for agent in zoo.agents})
        return steps

    return play


def crowd(**options: Any) -> tuple[Environment, list[np.ndarray]]:
    """A match of a thousand players of zombies, and moves for them."""
    env = koth_learn.make("zombies", 1, 20, **options)
    random = np.random.default_rng(1)
    return env, [random.integers(0, WALKS, env.action_shape) for _ in range(STEPS)]


def walkers(**options: Any) -> Play:
    """They walk at random."""
    env, actions = crowd(**options)
    seed = 0

    def play() -> int:
        nonlocal seed
        seed += 1
        env.reset(seed)
        return asked_in(env, actions, env.step)

    return play


def walkers_by_dictionaries() -> Play:
    env, actions = crowd(autoreset=False)
    zoo = Parallel(env)
    said = [dict(zip(zoo.possible_agents, action[0].tolist(), strict=True)) for action in actions]
    return by_dictionaries(zoo, said)


def by_dictionaries(env: Any, said: list[dict[str, Any]]) -> Play:
    """A PettingZoo environment from its beginning, whose agents do as was said."""
    seed = 0

    def play() -> int:
        nonlocal seed
        seed += 1
        env.reset(seed=seed)
        steps = 0
        for action in said:
            steps += len(env.agents)
            env.step({agent: action[agent] for agent in env.agents})
        return steps

    return play


def magent_raw() -> Play:
    """MAgent2's battle, its engine alone: 484 agents a side on 112 x 112, observations, actions, rewards."""
    from magent2.environments import battle_v4

    env = battle_v4.parallel_env(map_size=112).unwrapped
    engine = env.env
    sides = engine.get_handles()
    random = np.random.default_rng(1)
    said = [random.integers(0, 21, 484).astype(np.int32) for _ in range(STEPS)]

    def play() -> int:
        engine.reset()
        env.generate_map()
        steps = 0
        for actions in said:
            counts = [engine.get_num(side) for side in sides]
            for side, count in zip(sides, counts, strict=True):
                engine.get_observation(side)
                engine.set_action(side, actions[:count].copy())
            engine.step()
            for side in sides:
                engine.get_reward(side)
            engine.clear_dead()
            steps += sum(counts)
        return steps

    return play


def drawn(env: Any, choices: int) -> list[dict[str, int]]:
    """Any action for each agent, several times."""
    random = np.random.default_rng(1)
    return [{agent: int(random.integers(choices)) for agent in env.possible_agents} for _ in range(STEPS)]


def magent_zoo() -> Play:
    """The same by PettingZoo's dictionaries."""
    from magent2.environments import battle_v4

    env = battle_v4.parallel_env(map_size=112)
    return by_dictionaries(env, drawn(env, 21))


def jumanji_pacman() -> Play:
    """Jumanji's PacMan, 1,000 at a time, one agent each."""
    import jax
    import jumanji
    from jumanji.wrappers import VmapAutoResetWrapper

    env = VmapAutoResetWrapper(jumanji.make("PacMan-v1"))
    state, _ = jax.jit(env.reset)(jax.random.split(jax.random.PRNGKey(1), AGENTS))
    step = jax.jit(env.step)
    random = np.random.default_rng(1)
    said = [random.integers(0, 5, AGENTS).astype(np.int32) for _ in range(4)]

    def play() -> int:
        nonlocal state
        for actions in said:
            state, timestep = step(state, actions)
        jax.block_until_ready(timestep)
        return AGENTS * len(said)

    return play


COMPARED: dict[str, dict[str, Callable[[], Play]]] = {
    **{
        f"{name}, at random": {
            "native": lambda name=name: native(name),  # type: ignore[misc]
            "Gymnasium's vector": lambda name=name: vector(name),  # type: ignore[misc]
            "PettingZoo's dictionaries, one match": lambda name=name: dictionaries(name),  # type: ignore[misc]
        }
        for name in TABLES
    },
    "zombies beside MAgent2's battle": {
        "battle, engine: 13 x 13 x 5 float32, 3,380 bytes": magent_raw,
        "zombies, 17 x 17 x 4 int8, 1,156 bytes": walkers,
        "zombies, 13 x 13 x 4 int8 of them, 676 bytes": lambda: walkers(window=6),
        "zombies that see 13 x 13, 676 bytes": lambda: walkers(settings={"vision": 6}),
        "battle, PettingZoo's dictionaries": magent_zoo,
        "zombies, PettingZoo's dictionaries": walkers_by_dictionaries,
    },
    "Pac-Man beside Jumanji's": {"Jumanji's": jumanji_pacman, "ours": lambda: native("pacman")},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="WORD", help="only what has this word in its title")
    only = parser.parse_args().only
    print(machine.name())
    for title, ways in COMPARED.items():
        if only in title:
            compare(title, ways)


if __name__ == "__main__":
    main()
