"""Planning with `copy()`, in one file: `python examples/learn/search.py --matches 20`.

Before each decision of one seat the match is copied, once for every first action that is tried: the copies go on for
some turns with the greedy policy at every seat, and the action that gained most is taken. What is copied is the match
itself, with what nobody is shown and the dice that are still to fall: this is how strong a perfect simulator could
be, and no bot could play so.
"""

from __future__ import annotations

import argparse

import numpy as np

import koth.learn
from koth.learn import Environment

DEPTH = 24


def everybody(env: Environment) -> np.ndarray:
    """What the greedy policy does for all who are asked."""
    asked = env.arrays["asked"]
    actions = np.zeros(env.action_shape, np.int64)
    shown = {name: array[asked] for name, array in env.arrays.observations.items()}
    actions[asked] = koth.learn.greedy_policy(env)(shown, env.arrays["mask"][asked])
    return actions


def worth(env: Environment, actions: np.ndarray, first: int, agent: int, depth: int) -> float:
    """What an agent gains in a future that begins with this action."""
    future = env.copy()
    actions = actions.copy()
    actions[0, agent] = first
    gained = 0.0
    for _ in range(depth):
        _, rewards, terminated, _, infos = future.step(actions)
        gained += float(rewards[0, agent])
        if infos["ended"][0] or terminated[0, agent]:
            break
        actions = everybody(future)
    return gained


def searched(env: Environment, agent: int, depth: int = DEPTH) -> int:
    """The possible action whose future gains most; the greedy one, where several do."""
    actions = everybody(env)
    usual = int(actions[0, agent])
    possible = [usual, *(a for a in np.flatnonzero(env.arrays["mask"][0, agent]).tolist() if a != usual)]
    return max(possible, key=lambda action: worth(env, actions, action, agent, depth))


def play(seed: int, depth: int, turns: int) -> np.ndarray:
    """The scores of a match of Pac-Man whose first seat searches, and whose others are greedy."""
    env = koth.learn.make("pacman", 1, 3, settings={"turns": turns}, copies=True)
    env.reset(seed)
    while not env.arrays["ended"][0]:
        actions = everybody(env)
        if depth and env.arrays["asked"][0, 0]:
            actions[0, 0] = searched(env, 0, depth)
        env.step(actions)
    return env.arrays["final_scores"][0].copy()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=10)
    parser.add_argument("--depth", type=int, default=DEPTH)
    parser.add_argument("--turns", type=int, default=100)
    told = parser.parse_args()
    for words, depth in (("greedy", 0), ("searching", told.depth)):
        scores = np.array([play(seed, depth, told.turns)[0] for seed in range(told.matches)])
        error = 2 * scores.std(ddof=1) / np.sqrt(told.matches)
        print(f"{words}: {scores.mean():.0f} points in {told.turns} turns (+- {error:.0f})")


if __name__ == "__main__":
    main()
