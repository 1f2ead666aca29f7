"""Self-play of all seats: zombies learnt by one network that plays everybody, in PyTorch.

    python examples/learn/self_play.py --out zombies_bot
    koth run zombies zombies_bot @gunner @wanderer @coward --matches 60

Every player of every bot is an agent; each gets a tenth of a point for every turn that it lives, and as much for the
part of its own bot's players that live.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from ppo import Plan, run

import koth.learn

SEATS = 4


def survival(rewards: np.ndarray, infos: dict[str, np.ndarray]) -> np.ndarray:
    """Return the rewards that are learnt from: for being alive, and for the part of the bot's players that is."""
    alive = infos["alive"].reshape(len(rewards), SEATS, -1).astype(np.float32)
    return 0.05 * (alive + alive.mean(axis=2, keepdims=True)).reshape(rewards.shape)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decisions", type=int, default=1_500_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("zombies_bot"))
    options = parser.parse_args()
    env = koth.learn.make("zombies", matches=4, seats=SEATS, limit=400)
    run(env, Plan(options.decisions, steps=16, gamma=0.97), survival, options.seed, options.out)


if __name__ == "__main__":
    main()
