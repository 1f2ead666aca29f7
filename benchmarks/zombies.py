"""Speed of the zombies rules, everything written that a bot is shown: `python benchmarks/zombies.py [replay]`.

Early: 1,000 players of 20 bots (the board is full), all standing still, batches of 1 and of 64. Late: the state
at turn 3,000 of a recorded match (or of one played here by players that never move out of their fortress),
per zombie and turn. Seconds are those of this process's processor time on one core; beside them the speed at
which the same core copies memory, and the ratio of the view bytes written per second to it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import machine
import numpy as np

from koth.game import Answers, Batch, default_answers
from koth.games.zombies import GAME
from koth.games.zombies.state import PLAYER, ZOMBIE, Settings
from koth.replay import Replay, verify

BOTS = 20


def silence(batch: Batch) -> Callable[[], int]:
    """Answers every question with "stay", without spending time on it."""
    rows = batch.views.questions["act"].most * batch.matches
    fields = default_answers(batch.views.questions["act"], rows)
    fault = np.zeros(rows, np.uint8)
    nobody = batch.nobody_gone()

    def answer() -> int:
        assert batch.asks is not None
        n = len(batch.asks)
        batch.answer(Answers({name: array[:n] for name, array in fields.items()}, fault[:n], nobody))
        return n

    return answer


def early(matches: int, turns: int, bandwidth: float) -> float:
    """Player-turns per second in the first turns of full boards."""
    best = 0.0
    for attempt in range(5):
        batch = Batch(GAME, Settings(), BOTS, range(attempt, attempt + matches))
        answer = silence(batch)
        answer()
        start = time.process_time()
        done = sum(answer() for _ in range(turns))
        best = max(best, done / (time.process_time() - start))
    window = (2 * Settings().vision + 1) ** 2 * 4
    print(
        f"early, batch of {matches:3}: {best / 1e6:6.1f} million player-turns/s "
        f"({best / matches / 1000:,.0f} turns/s a match of 1,000); views {best * window / 1e9:.1f} GB/s, "
        f"{best * window / bandwidth:.2f} of copying memory"
    )
    return best


def late() -> None:
    """Time per zombie and turn where few players and thousands of zombies are left.

    Fifty players in one corner of a large board, thousands of zombies around: the numbers of a long match's
    turn 3,000, in the notation's terms, without having to play one.
    """
    settings = Settings()
    batch = Batch(GAME, settings, BOTS, [7])
    s = batch.state
    rng = np.random.default_rng(1)
    players = int(s.players[0])
    living = rng.permutation(players)[:40]
    s.kind[0, :players] = ZOMBIE
    s.kind[0, living] = PLAYER
    side = s.slot_at.shape[1]
    free = np.flatnonzero(s.slot_at[0].ravel() == 0)
    rng.shuffle(free)
    for square in free[:3000]:
        slot = int(s.actors[0])
        s.actors[0] += 1
        s.kind[0, slot] = ZOMBIE
        s.y[0, slot], s.x[0, slot] = divmod(int(square), side)
        s.number[0, slot] = slot
        s.slot_at[0, s.y[0, slot], s.x[0, slot]] = slot + 1
    from koth.games.zombies.state import place

    for slot in range(int(s.actors[0])):
        place(s, 0, slot)
    answer = silence(batch)
    zombies = int(np.count_nonzero(s.kind[0] == ZOMBIE))
    turns = 10
    start = time.process_time()
    for _ in range(turns):
        if batch.asks is None:
            break
        answer()
    seconds = (time.process_time() - start) / turns
    alive = int(np.count_nonzero(s.kind[0] == PLAYER))
    print(f"late, made up: {zombies:,} zombies, {alive} players: {seconds / zombies * 1e6:.3f} us per zombie and turn")


def recorded(path: Path) -> None:
    """The same, over turns 3,000 to 3,100 of a recorded match that is played again."""
    replay = Replay(path)
    marks: dict[int, float] = {}
    counts: list[int] = []
    for turn in replay.turns():
        if 3000 <= turn.turn < 3100:
            counts.append(int(np.count_nonzero(np.asarray(turn.frame["kind"]) == ZOMBIE)))
    if not counts:
        print(f"{path}: it has no turn 3,000")
        return
    from koth.settings import from_header

    class Watched(type(GAME)):  # type: ignore[misc]
        def turn(self, settings, state, views):  # type: ignore[no-untyped-def]
            marks[int(state.clock[0])] = time.process_time()
            inner = super().turn(settings, state, views)
            asks = next(inner)
            marks[int(state.clock[0]) + 0.5] = time.process_time() - marks[int(state.clock[0])]
            answers = yield asks
            begin = time.process_time()
            try:
                inner.send(answers)
            except StopIteration:
                marks[int(state.clock[0]) - 0.5] += time.process_time() - begin

    verify(Watched(), replay, from_header(GAME, replay.header))
    spent = [marks[turn + 0.5] for turn in range(3000, 3100) if turn + 0.5 in marks]
    mean = sum(counts) / len(counts)
    print(
        f"late, recorded: {mean:,.0f} zombies at turns 3,000 to 3,100 of {path.name}: "
        f"{np.median(spent) / mean * 1e6:.3f} us per zombie and turn, {np.median(spent) * 1e6:,.0f} us a turn"
    )


def main() -> None:
    print(machine.name())
    bandwidth = machine.memory_bandwidth()
    print(f"copying memory: {bandwidth / 1e9:.1f} GB/s; within the second-level cache: ", end="")
    print(f"{machine.memory_bandwidth(1 << 18) / 1e9:.1f} GB/s")
    one = early(1, 10, bandwidth)
    many = early(64, 10, bandwidth)
    print(f"a match in a batch of 64 takes {one / many:.2f} times as long as alone")
    late()
    for path in sys.argv[1:]:
        recorded(Path(path))


if __name__ == "__main__":
    main()
