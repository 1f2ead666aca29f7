"""Speed of the zombies rules, everything written that a bot is shown: `python benchmarks/zombies.py [REPLAY]`.

Early: 1,000 players of 20 bots (the board is full), all standing still, batches of 1 and of 64. Late: from turn
3,000 of a recorded match on (of REPLAY, or of one between sample bots that is played first), per zombie and turn.
Seconds are processor time of one core; beside them the speed at which the same core copies memory, and the ratio of
the view bytes written per second to it.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import machine
import numpy as np

from koth.discovery.entrants import find_entrants
from koth.discovery.interpreters import Interpreters
from koth.engine.batch import Batch
from koth.engine.settings import read_settings
from koth.game import Answers, default_answers
from koth.games.zombies import GAME
from koth.games.zombies.state import ZOMBIE, Settings
from koth.match import Hosting, play
from koth.replay.reader import Replay
from koth.replay.verify import make_batch, read_answers

BOTS = 20
LATE = 3000


def silence(batch: Batch) -> Callable[[], int]:
    """Plays a turn in which everybody stays, without spending time on the answers; gives how many were asked."""
    rows = batch.buffers.questions["act"].max_rows * batch.matches
    fields = default_answers(batch.buffers.questions["act"], rows)
    fault = np.zeros(rows, np.uint8)
    nobody = batch.nobody_gone()

    def play_turn() -> int:
        asked, turn = 0, batch.turn
        while batch.turn == turn:
            assert batch.observations is not None
            n = len(batch.observations)
            batch.answer(Answers({name: array[:n] for name, array in fields.items()}, fault[:n], nobody))
            asked += n
        return asked

    return play_turn


def early(matches: int, bandwidth: float) -> float:
    """Player-turns per second in the first turns of full boards."""
    best = 0.0
    for attempt in range(max(5, 100 // matches)):
        batch = Batch(GAME, Settings(), BOTS, range(attempt, attempt + matches))
        play_turn = silence(batch)
        play_turn()
        start = time.process_time()
        done = sum(play_turn() for _ in range(8))
        best = max(best, done / (time.process_time() - start))
    window = (2 * Settings().vision + 1) ** 2 * 4
    print(
        f"early, batch of {matches}: {best / 1e6:6.1f} million player-turns/s "
        f"({best / matches / 1000:,.0f} turns/s a match of 1,000); views {best * window / 1e9:.1f} GB/s, "
        f"{best * window / bandwidth:.2f} of copying memory"
    )
    return best


def record(folder: Path) -> Path:
    """A full match of 20 of the sample bots, most of them builders, so that some live at turn 3,000."""
    others = ["fox", "hunter", "herd", "coward", "convoy", "runner"]
    words = [f"builder{i}=@wall_builder" for i in range(BOTS - len(others))] + [f"@{name}" for name in others]
    found = find_entrants(GAME, words, Interpreters())
    bots, problems = found.bots, found.problems
    assert not problems, problems
    for seed in range(20):
        path = folder / f"match-{seed}.koth.gz"
        started = time.perf_counter()
        result = play(GAME, Settings(), bots, seed, Hosting(ruleset="published", replay=path))
        size = path.stat().st_size
        spent = time.perf_counter() - started
        print(f"recorded with seed {seed}: {result.turns:,} turns in {spent:.0f} s, {size / 1e6:.1f} MB", flush=True)
        if result.turns >= LATE + 200:
            return path
    raise SystemExit("no match lasted long enough")


def late(path: Path) -> None:
    """Time per zombie and turn from turn 3,000 of a recorded match on, played again without its bots."""
    replay = Replay(path)
    settings = read_settings(GAME, replay.header)
    batch, _ = make_batch(GAME, replay, settings)
    spent, counts = [], []
    for turn in replay.turns():
        for asked in turn.questions:
            answers = read_answers(batch, asked)
            assert isinstance(answers, Answers), answers
            start = time.process_time()
            batch.answer(answers)
            if turn.turn >= LATE:
                spent.append(time.process_time() - start)
                counts.append(int(np.count_nonzero(batch.state.kind[0] == ZOMBIE)))
        if turn.turn >= LATE + 200 or batch.observations is None:
            break
    if not spent:
        raise SystemExit(f"{path}: it has no turn {LATE}")
    zombies, seconds = sum(counts) / len(counts), sorted(spent)[len(spent) // 2]
    alive = len(batch.observations) if batch.observations is not None else 0
    print(
        f"late, turns {LATE:,} to {LATE + 200:,}: {zombies:,.0f} zombies, {alive} players: {seconds * 1e6:,.0f} us a "
        f"turn, {seconds / zombies * 1e6:.3f} us per zombie and turn"
    )


def main() -> None:
    print(machine.name())
    bandwidth = machine.memory_bandwidth()
    print(f"copying memory: {bandwidth / 1e9:.1f} GB/s; within the second-level cache: ", end="")
    print(f"{machine.memory_bandwidth(1 << 18) / 1e9:.1f} GB/s")
    one = early(1, bandwidth)
    many = early(64, bandwidth)
    print(f"a match in a batch of 64 takes {one / many:.2f} times as long as alone")
    if len(sys.argv) > 1:
        late(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            late(record(Path(folder)))


if __name__ == "__main__":
    main()
