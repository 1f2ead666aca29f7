"""A single agent against samples: Pac-Man learnt beside real bots, in PyTorch.

    python examples/learn/against_samples.py --out pacman_bot
    koth run pacman pacman_bot @random_walk @greedy --matches 80

The other seats are played by the samples themselves, as processes that are asked as in a contest. Most of the time is
theirs. After 60,000 decisions it beats the random walk, and not yet the greedy one (docs/learning.md has figures).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from ppo import Plan, run

import koth.learn
from koth.games.pacman.learn import GHOSTS


def points(rewards: np.ndarray, infos: dict[str, np.ndarray]) -> np.ndarray:
    """Return the rewards that are learnt from: 0.02 of each point (a pellet has ten)."""
    return 0.02 * rewards


def is_ghost(observations: dict[str, np.ndarray]) -> np.ndarray:
    """Return bool[matches, agents]: agents that score no more (a ghost stands in the window's centre)."""
    planes = observations["planes"]
    centre = planes.shape[-1] // 2
    return planes[:, :, GHOSTS, centre, centre] > 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decisions", type=int, default=60_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--opponents", nargs="+", default=["@random_walk", "@greedy"])
    parser.add_argument("--out", type=Path, default=Path("pacman_bot"))
    options = parser.parse_args()
    opponents = dict(enumerate(options.opponents, 1))
    env = koth.learn.make("pacman", 16, len(opponents) + 1, opponents=opponents, window=4)
    plan = Plan(options.decisions, steps=64, gamma=0.97, epochs=4, minibatch=256, idle=is_ghost)
    run(env, plan, points, options.seed, options.out)


if __name__ == "__main__":
    main()
