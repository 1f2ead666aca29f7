"""Speed of learning's environments: `OMP_NUM_THREADS=1 taskset -c 0 python benchmarks/learn.py [agents] [seconds]`.

About so many agents (1,000) of one game are asked in a step and act at random; observations, masks and rewards are
written, matches that end begin anew. Native, as Gymnasium's VectorEnv, and one match of the usual table by
PettingZoo's dictionaries, in one run, alternating; then environments of others, where they are installed. Time is
this process's own. An agent-step is one observation answered. Actions are drawn beforehand, so that only the
environment is timed; those that are not possible are a step into a wall, or a shot at nobody.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import machine
import numpy as np

import koth.learn
from koth.learn import Environment
from koth.learn.gym import Vector
from koth.learn.zoo import Parallel

TABLES = {"zombies": 8, "pacman": 10, "metalman": 4, "aliens": 4}
"""Seats in a match."""


def rate(play: Callable[[], int], seconds: float) -> float:
    """Agent-steps a second of processor time."""
    steps, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        steps += play()
    return steps / (time.process_time() - start)


def environment(name: str, agents: int) -> tuple[Environment, list[np.ndarray]]:
    """Matches in which about so many agents are asked in a step (not all live), begun, and actions for them."""
    one, actions = begun(name, 1)
    asked = [one.step(action)[-1]["asked"].sum() for action in 8 * actions]
    return begun(name, max(1, round(agents / float(np.mean(asked)))))


def begun(name: str, matches: int) -> tuple[Environment, list[np.ndarray]]:
    env = koth.learn.make(name, matches, TABLES[name])
    env.reset(1)
    random = np.random.default_rng(1)
    high = env.choices if len(env.choices) > 1 else env.choices[0]
    return env, [random.integers(0, high, env.action_shape) for _ in range(16)]


def native(name: str, agents: int) -> Callable[[], int]:
    env, actions = environment(name, agents)

    def play() -> int:
        steps = 0
        for action in actions:
            steps += int(env.arrays["asked"].sum())
            env.step(action)
        return steps

    return play


def vector(name: str, agents: int) -> Callable[[], int]:
    env, actions = environment(name, agents)
    several = Vector(env)
    several.reset(seed=1)
    flat = [action.reshape(several.num_envs, *action.shape[2:]) for action in actions]

    def play() -> int:
        steps = 0
        for action in flat:
            steps += int(env.arrays["asked"].sum())
            several.step(action)
        return steps

    return play


def dictionaries(name: str, agents: int) -> Callable[[], int]:
    """One match of the game's usual table; few agents where a match has few."""
    env, actions = begun(name, 1)
    zoo = Parallel(env)
    zoo.reset(seed=1)
    said = [dict(zip(zoo.possible_agents, action[0], strict=True)) for action in actions]

    def play() -> int:
        steps = 0
        for action in said:
            if not zoo.agents:
                zoo.reset()
            steps += int(env.arrays["asked"].sum())
            zoo.step({agent: action[agent] for agent in zoo.agents})
        return steps

    return play


def magent_raw() -> Callable[[], int]:
    """MAgent2's battle, its engine alone: 484 agents a side on 112 x 112, observations, actions, rewards."""
    from magent2.environments import battle_v4

    env = battle_v4.parallel_env(map_size=112)
    env.reset(seed=1)
    engine = env.unwrapped.env
    sides = engine.get_handles()
    random = np.random.default_rng(1)
    said = [random.integers(0, 21, 484).astype(np.int32) for _ in range(16)]

    def play() -> int:
        steps = 0
        for actions in said:
            counts = [engine.get_num(side) for side in sides]
            for side, count in zip(sides, counts, strict=True):
                engine.get_observation(side)
                engine.set_action(side, actions[:count].copy())
            done = engine.step()
            for side in sides:
                engine.get_reward(side)
            engine.clear_dead()
            steps += sum(counts)
            if done or not all(engine.get_num(side) for side in sides):
                env.reset(seed=1)
        return steps

    return play


def magent_zoo() -> Callable[[], int]:
    """The same by PettingZoo's dictionaries, with about as many agents as a usual table of zombies has."""
    from magent2.environments import battle_v4

    return by_dictionaries(battle_v4.parallel_env(map_size=72), 21)


def by_dictionaries(env: Any, choices: int) -> Callable[[], int]:
    """Sixteen steps of a PettingZoo environment whose agents choose at random."""
    env.reset(seed=1)
    random = np.random.default_rng(1)
    said = [{agent: int(random.integers(choices)) for agent in env.possible_agents} for _ in range(16)]

    def play() -> int:
        steps = 0
        for action in said:
            if not env.agents:
                env.reset()
            steps += len(env.agents)
            env.step({agent: action[agent] for agent in env.agents})
        return steps

    return play


def jumanji_pacman() -> Callable[[], int]:
    """Jumanji's PacMan, 1,000 at a time, one agent each."""
    import jax
    import jumanji
    from jumanji.wrappers import VmapAutoResetWrapper

    env = VmapAutoResetWrapper(jumanji.make("PacMan-v1"))
    state, _ = jax.jit(env.reset)(jax.random.split(jax.random.PRNGKey(1), 1000))
    step = jax.jit(env.step)
    random = np.random.default_rng(1)
    said = [random.integers(0, 5, 1000).astype(np.int32) for _ in range(4)]

    def play() -> int:
        nonlocal state
        for actions in said:
            state, timestep = step(state, actions)
        jax.block_until_ready(timestep)
        return 1000 * len(said)

    return play


def pursuit() -> Callable[[], int]:
    """PettingZoo's pursuit, dictionaries of 8 agents."""
    from pettingzoo.sisl import pursuit_v4

    return by_dictionaries(pursuit_v4.parallel_env(), 5)


def others(seconds: float) -> None:
    """Environments of others, those that are installed (`pip install magent2 jumanji 'pettingzoo[sisl]'`)."""
    for way in (magent_raw, magent_zoo, jumanji_pacman, pursuit):
        try:
            play = way()
        except ImportError as error:
            print(f"{way.__name__}: {error}")
            continue
        play()
        print(f"{way.__name__}: {max(rate(play, seconds / 3) for _ in range(3)):,.0f} agent-steps/s")


def main() -> None:
    agents, seconds = (int(sys.argv[1]) if sys.argv[1:] else 1000), (float(sys.argv[2]) if sys.argv[2:] else 2.0)
    print(machine.name())
    for name in TABLES:
        ways = {way.__name__: way(name, agents) for way in (native, vector, dictionaries)}
        for play in ways.values():
            play()
        found: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(3):
            for way, play in ways.items():
                found[way].append(rate(play, seconds / 3))
        best = {way: max(rates) for way, rates in found.items()}
        told = ", ".join(f"{way} {value:,.0f}" for way, value in best.items())
        print(f"{name}: agent-steps/s: {told}; vector / native {best['vector'] / best['native']:.2f}")
    others(seconds)


if __name__ == "__main__":
    main()
