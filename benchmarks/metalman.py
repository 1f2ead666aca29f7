"""Speed of batched Metal Man matches, per second of one core: `python benchmarks/metalman.py [matches] [rounds]`.

Four players a match answer at random, their percepts are written, finished matches are started again at once.
A player-turn is one player asked, its answer drawn and played. The bytes of percepts written a second are
also printed beside the speed of copying memory. Seconds are those of the processor.
"""

from __future__ import annotations

import sys
import time

import machine
import numpy as np

from koth.engine.batch import Batch
from koth.game import Answers
from koth.games.metalman import GAME
from koth.games.metalman.state import Settings

PLAYERS = 4


class RandomPlay:
    """Draws a new answer to every question: steps and directions, each of the four or none."""

    def __init__(self, batch: Batch) -> None:
        self.random = np.random.default_rng(1)
        self.no_fault = np.zeros(batch.matches, np.uint8)
        self.nobody = batch.nobody_gone()

    def __call__(self, batch: Batch) -> int:
        """Answer the open question; returns how many players were asked."""
        observations = batch.observations
        assert observations is not None
        fields = {
            name: self.random.integers(0, 5, (len(observations), *spec.shape), dtype=np.uint8)
            for name, spec in observations.question.answer.items()
        }
        batch.answer(Answers(fields, self.no_fault[: len(observations)], self.nobody))
        return len(observations)


def player_turns(settings: Settings, matches: int, rounds: int, bandwidth: float) -> None:
    """Play so many rounds and print what was done in a second."""
    batch = Batch(GAME, settings, PLAYERS, range(matches))
    seed = matches

    def start_again() -> None:
        nonlocal seed
        over = np.flatnonzero(batch.state.over)
        if len(over):
            batch.reset(over.tolist(), range(seed, seed + len(over)))
            seed += len(over)

    batch.on_turn = start_again
    play = RandomPlay(batch)
    while batch.turn < 20:  # compiles, and spreads the matches over their courses
        play(batch)
    before, asked, start = seed, 0, time.process_time()
    while batch.turn < 20 + rounds:
        asked += play(batch)
    seconds = time.process_time() - start
    question = GAME.questions(settings, PLAYERS)["act"]
    size = sum(np.dtype(f.dtype).itemsize * int(np.prod(f.shape)) for f in question.observation.values())
    print(f"map {settings.map}: {matches} matches, {rounds} rounds, {seed - before} matches started again")
    print(f"  {asked / seconds / 1e6:8.2f} million player-turns/s")
    print(f"  {asked * size / seconds / 1e9:8.2f} GB/s of percepts ({size} bytes each),", end=" ")
    print(f"{asked * size / seconds / bandwidth:.1%} of copying memory ({bandwidth / 1e9:.1f} GB/s)")


if __name__ == "__main__":
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 2048
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    print(machine.name())
    copying = machine.memory_bandwidth()
    for name in ("classic", "random"):
        player_turns(Settings(map=name), matches, rounds, copying)
