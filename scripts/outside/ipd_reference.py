"""A tournament of Axelrod's library itself, in an environment that has it: `reference.py BOTS REPETITIONS`.

It prints JSON: the mean score a turn of each bot in BOTS (a `koth.toml`, see `ipd_bots`), those of each pair that has
no dice, and the processor seconds of playing.
"""

from __future__ import annotations

import json
import sys
import time
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any


class _Torch(type(ModuleType)):  # type: ignore[misc]
    """Everything that one strategy, which does not play here, takes from torch when it is imported."""

    def __getattr__(cls, name: str) -> Any:
        return cls


class Torch(metaclass=_Torch):
    """In place of torch, which has 3 GB."""

    def __init__(self, *_: Any) -> None: ...

    def __call__(self, function: Any) -> Any:
        return function


def main(bots: Path, repetitions: int) -> None:
    """Play the tournament and print the results."""
    sys.modules["torch"] = Torch  # type: ignore[assignment]
    import axelrod

    classes = {name: words.split()[1] for name, words in tomllib.loads(bots.read_text())["bots"].items()}
    players = [getattr(axelrod, name)() for name in classes.values()]
    start = time.process_time()
    tournament = axelrod.Tournament(players, turns=200, repetitions=repetitions, seed=1)
    results = tournament.play(progress_bar=False)
    seconds = time.process_time() - start
    names, payoffs = list(classes), results.payoffs
    still = [not axelrod.Classifiers["stochastic"](player) for player in players]
    pairs = [
        [names[a], names[b], float(payoffs[a][b][0]), float(payoffs[b][a][0])]
        for a in range(len(names))
        for b in range(a)
        if still[a] and still[b]
    ]
    scores = {name: sum(own) / len(own) for name, own in zip(names, results.normalised_scores, strict=True)}
    matches = len(names) * (len(names) + 1) // 2 * repetitions
    print(json.dumps({"scores": scores, "pairs": pairs, "seconds": seconds, "matches": matches}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
