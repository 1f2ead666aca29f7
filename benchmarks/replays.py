"""The cost of recording: bytes of a replay and processor time, with frames and steps, without steps, of answers only.

python benchmarks/replays.py [GAME]...
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import machine

from koth.engine.batch import Batch
from koth.engine.secret import key_of
from koth.games import GAMES, load
from koth.match import replay_header
from koth.replay import writer
from koth.session.local import InlineBot
from koth.testing import RandomAnswers

TURNS = 40
KINDS = {"frames and steps": (True, 64), "frames": (True, 0), "answers": (False, 0)}


def recorded(name: str, frames: bool, steps: int) -> tuple[int, int, float, float]:
    """Turns, bytes, processor seconds of recording, and of everything else."""
    game = load(name)
    settings, seats = next(iter(game.rulesets.values())), game.contest_defaults.seats or max(8, game.seats.start)
    writer.MOST_STEPS = steps
    entrants = [InlineBot(f"bot {seat}", lambda observations, match_info: {}) for seat in range(seats)]
    batch, policy, spent = Batch(game, settings, seats, [key_of(1).dice]), RandomAnswers([1], seats), [0.0]
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "match.koth.gz"
        made = writer.Recording(path, replay_header(game, "published", settings, entrants), batch, frames=frames)

        def timed(act: Any, *what: Any) -> None:
            start = time.process_time()
            act(*what)
            spent[0] += time.process_time() - start

        batch.on_turn = lambda: timed(made.record_turn)
        begun = time.process_time()
        while batch.turn < TURNS and batch.observations is not None:
            answers = policy(batch.observations)
            timed(made.record_question, batch.observations, answers)
            batch.answer(answers)
        timed(made.finish, key_of(1))
        return batch.turn, path.stat().st_size, spent[0], time.process_time() - begun - spent[0]


def main() -> None:
    print(machine.name())
    for name in sys.argv[1:] or GAMES:
        recorded(name, True, 64)  # compiles
        for _ in range(2):
            for kind, how in KINDS.items():
                turns, size, spent, rest = recorded(name, *how)
                print(
                    f"{name}, {kind}: {size / turns:,.0f} bytes and {spent / turns * 1e3:.2f} ms a turn "
                    f"({turns} turns; {rest / turns * 1e3:.2f} ms for the rules and the answers)",
                    flush=True,
                )


if __name__ == "__main__":
    main()
