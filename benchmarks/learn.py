"""Speed of learning's environments: `python benchmarks/learn.py [agents] [seconds]`.

About so many agents (1,000) of one game act at random, observations, masks and rewards are written, matches that end
begin anew. Native, as Gymnasium's VectorEnv, and one match of about as many agents as PettingZoo's dictionaries, in
one run, alternating. Time is this process's own, one core. An agent-step is one observation answered. Actions are
drawn beforehand, so that only the environment is timed; those that are not possible are a step into a wall, or a shot
at nobody. Where MAgent2 is installed, its battle (81 agents a side on 45 x 45) runs beside it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

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
    """Matches with about so many agents, begun, and actions for them."""
    each = koth.learn.make(name, 1, TABLES[name]).agents
    env = koth.learn.make(name, max(1, round(agents / each)), TABLES[name])
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
    env, actions = environment(name, 1)
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


def magent(seconds: float) -> None:
    """MAgent2's battle by PettingZoo, if it is there."""
    try:
        from magent2.environments import battle_v4
    except ImportError:
        print("MAgent2 is not installed")
        return
    env = battle_v4.parallel_env(map_size=45)
    env.reset(seed=1)
    random = np.random.default_rng(1)
    said = [{agent: int(random.integers(21)) for agent in env.possible_agents} for _ in range(16)]

    def play() -> int:
        steps = 0
        for action in said:
            if not env.agents:
                env.reset()
            steps += len(env.agents)
            env.step({agent: action[agent] for agent in env.agents})
        return steps

    print(f"MAgent2 battle_v4, PettingZoo: {rate(play, seconds):12,.0f} agent-steps/s")


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
    magent(seconds)


if __name__ == "__main__":
    main()
