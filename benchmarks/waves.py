"""koth's own processor time for a wave of an aliens match: `python benchmarks/waves.py [OTHER/src] [pairs] [rounds]`.

Java species, six Ravagers to one Sidestep, in processes of their own. What they compute is not counted, nor the start
of the match (and its first rounds, in which kernels are loaded): only what this process itself takes, by its
processor's clock. Of a wave that follows another of the same round: all from the end of the one before (`all`), and
asking and hearing the bots (`referee`). Of the match: all of it, moves, births and what a round begins with included.
With the sources of another version (a checkout's `src`), that one plays in turn with this one, and the ratios are
printed, by the message and by the question: their dice differ, so their matches do.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

HERE = Path(__file__).parents[1] / "packages/koth/src"
SPECIES = 43
SAMPLES = (*["Ravager"] * 6, "Sidestep")
STARTED = 3
"""Rounds after which everything is loaded that a match needs."""
FIGURES = (
    "wave, a message",
    "wave's referee, a message",
    "wave, a question",
    "wave's referee, a question",
    "match, a message",
)


class Waves:
    """What waves have taken so far that follow another of the same round: seconds, in all and of the referee's."""

    def __init__(self) -> None:
        self.spent = np.zeros(4)
        """Seconds in all and of the referee's, messages, questions."""
        self._ended = 0.0
        self._before: tuple[str, int] = ("", -1)

    def timed(self, ask: Callable[..., Any], referee: Any, observations: Any, *given: Any) -> Any:
        """Put a question, as `Referee.ask` does; the last argument is the turn."""
        begun = time.process_time()
        answers = ask(referee, observations, *given)
        ended = time.process_time()
        if self._before == (observations.question.name, given[-1]):
            messages = 1 + np.count_nonzero(np.diff(observations.seat))
            self.spent += ended - self._ended, ended - begun, messages, 1
        self._before = observations.question.name, given[-1]
        self._ended = time.process_time()
        return answers


def played(seed: int, rounds: int) -> dict[str, float]:
    """Microseconds of this process's own time in one match, and how much of it was wanted."""
    from koth.discovery.folder import load_bot
    from koth.discovery.interpreters import Interpreters
    from koth.discovery.samples import find_sample
    from koth.games.aliens import GAME
    from koth.games.aliens.state import Settings
    from koth.match import Hosting, Watching, play
    from koth.sandbox.levels import choose_level
    from koth.session.referee import Referee

    made = [load_bot(GAME, find_sample("aliens", name), Interpreters()) for name in SAMPLES]
    bots = [replace(made[i % len(made)], name=f"{made[i % len(made)].name}{i}") for i in range(SPECIES)]
    waves, ask = Waves(), Referee.ask
    Referee.ask = lambda *given: waves.timed(ask, *given)  # type: ignore[method-assign]
    marks: list[tuple[float, Any]] = []
    result = play(
        GAME,
        Settings(rounds=rounds),
        bots,
        seed,
        Hosting(ruleset="published", isolation=choose_level()),
        Watching(on_turn=lambda _: marks.append((time.process_time(), waves.spent.copy()))),
    )
    whole, (every, asking, messages, questions) = (
        last - first for first, last in zip(marks[STARTED], marks[-1], strict=True)
    )
    said = sum(turn >= STARTED for record in result.records.values() for turn, _ in record.times)
    figures = [every / messages, asking / messages, every / questions, asking / questions, whole / said]
    told = dict(zip(FIGURES, (1e6 * figure for figure in figures), strict=True))
    return {**told, "messages": messages, "questions": questions}


def of_version(source: Path, cache: str, *words: str) -> dict[str, float]:
    """What a process says that plays with these sources."""
    environment = {**os.environ, "PYTHONPATH": str(source), "KOTH_CACHE_DIR": cache}
    argv = [sys.executable, __file__, "--play", *words]
    told = subprocess.run(argv, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(told.stdout.splitlines()[-1]))


def main() -> None:
    import machine

    print(machine.name())
    others = [Path(word).resolve() for word in sys.argv[1:2]]
    pairs, rounds = (sys.argv[2:4] + ["3", "400"][len(sys.argv[2:4]) :]) if others else ["3", "400"]
    told: list[list[dict[str, float]]] = [[] for _ in (HERE, *others)]
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(pairs)):
            for number, source in enumerate((HERE, *others)):
                home = Path(folder, str(number))
                home.mkdir(exist_ok=True)
                if not seed:
                    of_version(source, str(home), "0", "6")  # so that nothing is compiled beside what is measured
                told[number].append(of_version(source, str(home), str(seed), rounds))
                figures = ", ".join(f"{name} {told[number][-1][name]:.1f} us" for name in FIGURES)
                counts = f"{told[number][-1]['messages']:,.0f} messages, {told[number][-1]['questions']:,.0f} waves"
                print(f"{'the other' if number else 'this one '}, seed {seed}: {figures} ({counts})", flush=True)
    if others:
        for name in FIGURES:
            here, there = (median(one[name] for one in version) for version in told)
            print(f"{name}: {here:.1f} us, the other {there:.1f} us; {here / there:.2f} of it")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--play"]:
        print(json.dumps(played(int(sys.argv[2]), int(sys.argv[3]))))
    else:
        main()
