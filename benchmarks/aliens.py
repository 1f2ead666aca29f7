"""Speed of the aliens rules, everything written that a bot is shown: `python benchmarks/aliens.py`.

4,800 aliens: 43 bots and the prey on 110 x 110 squares, played by functions on arrays that answer at random.
Rounds per second of this process's processor time on one core, in four situations:

* a whole match of 1,000 rounds, in which most aliens die soon, as in every match;
* all 4,800 alive for good: everybody wants peace, so all pairs of every square meet in every round;
* the same with a vision of 20, and of 40, for everybody (the survivors of a long match see that far).

Beside them the speed at which the same core copies memory, and the ratio of the bytes that are written for
bots per second to it.
"""

from __future__ import annotations

import time

import machine
import numpy as np

from koth.engine.batch import Batch
from koth.game import Answers, default_answers
from koth.games.aliens import GAME
from koth.games.aliens.state import VISION, Settings

BOTS = 43


class RandomPlay:
    """Moves at random, and fights at random or never; drawing the answers costs next to nothing."""

    def __init__(self, batch: Batch, peaceful: bool) -> None:
        self.batch = batch
        self.peaceful = peaceful
        self.written = 0
        self.waves = 0
        self.rng = np.random.default_rng(1)
        self.moves = self.rng.integers(0, 9, 1 << 16).astype(np.int8)
        self.fights = np.zeros(1 << 16, np.uint8) if peaceful else self.moves.view(np.uint8) & 1
        self.fault = np.zeros(1 << 16, np.uint8)
        self.nobody = batch.nobody_gone()

    def answer(self) -> None:
        observations = self.batch.observations
        assert observations is not None
        rows = len(observations)
        if observations.question.name == "points":
            fields = default_answers(observations.question, rows)
            fields["points"][:] = 2
        else:
            self.written += sum(array.nbytes for array in observations.fields.values())
            self.waves += observations.question.name == "meet"
            start = int(self.rng.integers((1 << 16) - rows))
            name = "move" if observations.question.name == "move" else "fight"
            fields = {name: (self.moves if name == "move" else self.fights)[start : start + rows]}
        self.batch.answer(Answers(fields, self.fault[:rows], self.nobody))


def measure(name: str, bandwidth: float, rounds: int, *, peaceful: bool, vision: int = 0) -> None:
    """Play so many rounds three times; print the best."""
    best, alive, waves, written = 0.0, 0, 0.0, 0.0
    for seed in range(3):
        batch = Batch(GAME, Settings(), BOTS, [seed])
        play = RandomPlay(batch, peaceful)
        play.answer()
        if vision:
            batch.state.ability[..., VISION] = vision
        while batch.turn < 1:
            play.answer()
        play.written = play.waves = 0
        start = time.process_time()
        while batch.observations is not None and batch.turn < rounds:
            play.answer()
        speed = (rounds - 1) / (time.process_time() - start)
        if speed > best:
            best, alive = speed, int((batch.state.hp > 0).sum())
            waves, written = play.waves / (rounds - 1), play.written * speed / (rounds - 1)
    print(
        f"{name}: {best:7,.0f} rounds/s, {alive:5,} alive at the end, {waves:4.1f} waves a round; "
        f"views {written / 1e9:5.2f} GB/s, {written / bandwidth:.3f} of copying memory"
    )


def main() -> None:
    print(machine.name())
    bandwidth = machine.memory_bandwidth()
    print(f"copying memory: {bandwidth / 1e9:.1f} GB/s")
    measure("a whole match, random play    ", bandwidth, 1000, peaceful=False)
    measure("4,800 alive, peace            ", bandwidth, 200, peaceful=True)
    measure("4,800 alive, peace, vision 20 ", bandwidth, 200, peaceful=True, vision=20)
    measure("4,800 alive, peace, vision 40 ", bandwidth, 100, peaceful=True, vision=40)


if __name__ == "__main__":
    main()
