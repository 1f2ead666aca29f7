"""Speed of the rules of every game, everything written that bots are shown: `python benchmarks/rules.py [OTHER/src]`.

Each workload is played by a process that stays, in bursts of so many turns. With the sources of another version (a
checkout's `src`) its bursts alternate with this one's, and the median of the ratios is printed with the smallest and
the largest: speeds vary with what else a machine does, from one second to the next. Snakes is held against the other
version's Pac-Man. Seconds are the processor's, a step is one answer. `--only WORD` takes the workloads whose name has
the word, `--rounds N` plays so many bursts (9).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).parents[1] / "packages/koth/src"
SNAKES = Path(__file__).parents[1] / "examples" / "koth-snakes"


class Workload(NamedTuple):
    """A batch of one game whose bots answer by dice, or (`still`) as those that are silent."""

    game: str
    seats: int
    matches: int
    turns: int
    """Of a burst."""
    settings: tuple[tuple[str, Any], ...] = ()
    still: bool = False
    restarts: bool = True
    """Finished matches start again; else a burst begins with new ones."""


PACMAN = "pacman, 512 matches of ten"
WORKLOADS = {
    PACMAN: Workload("pacman", 10, 512, 40),
    "pacman, a match of twenty": Workload("pacman", 20, 1, 400),
    "metalman, 2,048 matches of four": Workload("metalman", 4, 2048, 12),
    "metalman, random maps": Workload("metalman", 4, 2048, 8, (("map", "random"),)),
    "metalman, a match of four": Workload("metalman", 4, 1, 300),
    "zombies, a full board": Workload("zombies", 20, 1, 60, still=True, restarts=False),
    "zombies, 64 full boards": Workload("zombies", 20, 64, 6, still=True, restarts=False),
    "zombies, by dice": Workload("zombies", 20, 1, 400, restarts=False),
    "aliens, a match": Workload("aliens", 43, 1, 120, restarts=False),
    "aliens, 16 matches": Workload("aliens", 43, 16, 20, restarts=False),
    "aliens, in peace": Workload("aliens", 43, 1, 30, still=True, restarts=False),
    "snakes, 1,000 matches of four": Workload("snakes", 4, 1000, 100),
}


def answers_of(question: Any, rows: int, still: bool) -> list[dict[str, Any]]:
    """What is answered, made beforehand, so that only the game is timed."""
    from koth.game import default_answers

    default = default_answers(question, rows)
    if still or question.name == "points":  # (points are not drawn: they must fit)
        fixed = {"points": 2, "fight": 0}
        return [{name: np.full_like(array, fixed.get(name, array)) for name, array in default.items()}]
    rng = np.random.default_rng(1)
    high = {name: 2 if name == "fight" else max(5, int(array.max(initial=0)) + 1) for name, array in default.items()}
    return [
        {name: rng.integers(0, high[name], array.shape).astype(array.dtype) for name, array in default.items()}
        for _ in range(16)
    ]


def player(work: Workload) -> Callable[[], tuple[int, float]]:
    """Plays a burst; returns how many answers that were, and seconds of the processor."""
    from koth.engine.batch import Batch
    from koth.game import Answers

    if work.game == "snakes":
        sys.path.insert(0, str(SNAKES))
    game: Any = import_module("koth_snakes" if work.game == "snakes" else f"koth.games.{work.game}").GAME
    settings = type(next(iter(game.rulesets.values())))(**dict(work.settings))
    said: dict[str, list[dict[str, Any]]] = {}
    seed = 0
    batch: Any = None

    def fresh() -> None:
        nonlocal batch, seed
        batch = Batch(game, settings, work.seats, range(seed, seed + work.matches))
        batch.on_turn = restart if work.restarts else None
        seed += work.matches

    def restart() -> None:
        nonlocal seed
        over = np.flatnonzero(batch.state.over)
        if len(over) and (batch.turn % 16 == 0 or len(over) == work.matches):
            batch.reset(over.tolist(), range(seed, seed + len(over)))
            seed += len(over)

    def burst() -> tuple[int, float]:
        if batch is None or not work.restarts:
            fresh()
        first, steps, none = batch.turn + (not work.restarts), 0, batch.nobody_gone()
        start = time.process_time()
        while (observations := batch.observations) is not None and batch.turn < first + work.turns:
            rows, name = len(observations), observations.question.name
            if name not in said:
                said[name] = answers_of(
                    observations.question, work.matches * observations.question.max_rows, work.still
                )
            if batch.turn < first:
                start, steps = time.process_time(), 0
            fields = said[name][steps % len(said[name])]
            fault = np.zeros(rows, np.uint8)
            batch.answer(Answers({field: array[:rows] for field, array in fields.items()}, fault, none))
            steps += rows
        return steps, time.process_time() - start

    return burst


def serve(name: str) -> None:
    """Play a burst for each line that comes, and say how fast it was."""
    burst = player(WORKLOADS[name])
    for _ in sys.stdin:
        steps, seconds = burst()
        print(steps, seconds, flush=True)


class Served:
    """A process that plays one workload with the sources in a folder."""

    def __init__(self, source: Path, name: str) -> None:
        environment = {**os.environ, "PYTHONPATH": str(source)}
        command = [sys.executable, __file__, "--serve", name]
        self.process = subprocess.Popen(command, env=environment, stdin=-1, stdout=-1, text=True)
        self.burst()

    def burst(self) -> tuple[int, float]:
        """Answers, and seconds of one burst."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(file=self.process.stdin, flush=True)
        steps, seconds = self.process.stdout.readline().split()
        return int(steps), float(seconds)

    def end(self) -> None:
        self.process.communicate()


def beside(name: str, other: tuple[Path, str] | None, rounds: int) -> None:
    """Print the speed of one workload, and how it stands to a workload of the other version."""
    served = [Served(HERE, name), *([Served(*other)] if other else [])]
    figures = np.array([[one.burst() for one in served] for _ in range(rounds)])
    for one in served:
        one.end()
    speed = figures[..., 0] / figures[..., 1]
    print(f"{name}: {np.median(speed[:, 0]) / 1e6:.2f} million steps/s", end="")
    if other:
        ratio = speed[:, 0] / speed[:, 1]
        what = "" if other[1] == name else f" {other[1]}"
        print(
            f"; {np.median(ratio):.2f} of the other version's{what} ({ratio.min():.2f} to {ratio.max():.2f})", end=""
        )
    print(flush=True)


def main() -> None:
    import machine

    parser = argparse.ArgumentParser()
    parser.add_argument("other", nargs="?", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve)
        return
    print(machine.name())
    for name, work in WORKLOADS.items():
        if options.only in name:
            against = PACMAN if work.game == "snakes" else name
            beside(name, (options.other.resolve(), against) if options.other else None, options.rounds)


if __name__ == "__main__":
    main()
