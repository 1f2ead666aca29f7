"""Matches of Colour Battle by its own controller, in a clone of the contest: `colour_reference.py BOTS MATCHES TURNS`.

It prints JSON: the mean share of the canvas of each bot in BOTS (a `koth.toml`, see `colour_bots`) in per cent, its
standard error, and the processor seconds.
"""

from __future__ import annotations

import importlib
import json
import random
import sys
import time
import tomllib
from pathlib import Path

import numpy as np


def main(bots: Path, matches: int, turns: int) -> None:
    """Play the matches and print the results."""
    np.bool8 = np.bool_  # type: ignore[attr-defined]
    sys.path.insert(0, ".")
    world = importlib.import_module("world").World(harsh=True)
    named = {name: words.split() for name, words in tomllib.loads(bots.read_text())["bots"].items()}
    for module, bot in named.values():
        world.add_bot(getattr(importlib.import_module(f"robots.{module}"), bot))
    shares = []
    start = time.process_time()
    for seed in range(matches):
        random.seed(seed)
        np.random.seed(seed)
        world.setup(turns)
        while not world.step():
            pass
        scores = world.get_score()
        shares.append([100 * scores[bot.id] / world.grid.size for bot in world.bots])
    seconds = time.process_time() - start
    mean, error = np.mean(shares, axis=0), np.std(shares, axis=0, ddof=1) / matches**0.5
    told = {name: (float(mean[at]), float(error[at])) for at, name in enumerate(named)}
    print(json.dumps({"scores": told, "seconds": seconds}))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), *map(int, sys.argv[2:4]))
