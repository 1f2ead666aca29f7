"""A full-size aliens match of 43 Java species in processes of their own: `python benchmarks/aliens_jvm.py [matches]`.

Six fighters (Ravager) to one that keeps the peace (Sidestep), under 43 names, and the prey: 4,800 aliens, 1,000
rounds, under both rulesets, also with five species whose errors throw exceptions at each meeting. Printed: wall
time without the JVMs' start, the same per stretch of rounds (the JIT compilers' warm-up shows in the first ones), how
many messages the waves of meetings took, the processor time of koth and of all bots, one match recorded, and what the
rules alone take with as many species answering inside this process.

For comparison: the historic host, with all bots inside one JVM, needed 2.1 s a match.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import machine
import numpy as np

from koth.discovery.folder import load
from koth.discovery.interpreters import Interpreters
from koth.discovery.samples import sample_path
from koth.games.aliens import GAME
from koth.games.aliens.state import Settings
from koth.match import Hosting, InlineBot, Watching, play
from koth.sandbox.isolation import Isolation
from koth.sandbox.levels import choose
from koth.session.bot import Bot

SPECIES = 43
SAMPLES = (*["Ravager"] * 6, "Sidestep")
STRETCHES = (0, 10, 50, 200, 1000)
THROWERS = 5
"""So many species of real fields have errors in their code: 225,000 exceptions a match between them."""
FIGHTS = "return true;"
THROWS = "int[] none = {}; return none[enemyAbilities.length % 3] > 0;"
"""What counts as an answer is the same: who throws fights."""


def hosted(matches: int) -> None:
    """Matches over JVM processes."""
    isolation = choose()
    print(f"isolation: {isolation.level}, as koth run would choose")
    with tempfile.TemporaryDirectory() as folder:
        fields = [field(Path(folder), source) for source in (FIGHTS, THROWS)]
        for ruleset, settings in GAME.rulesets.items():
            times = [
                [play_one(ruleset, settings, bots, seed, isolation, None) for bots in fields]
                for seed in range(matches)
            ]
            for figure, taken in enumerate(("the wall's time", "processor time, koth's and the bots'")):
                ratios = ", ".join(f"{throwing[figure] / quiet[figure]:.2f}" for quiet, throwing in times)
                print(f"{ruleset}: where {THROWERS} species throw exceptions it took {ratios} times {taken}")
        play_one("published", Settings(), fields[0], 0, isolation, Path(folder) / "match.koth.gz")


def field(folder: Path, fights: str) -> list[Bot]:
    """43 species; of each seven one keeps the peace, and five answer a meeting like this."""
    made = [load(GAME, sample_path("aliens", name), Interpreters()) for name in SAMPLES]
    home = folder / ("throwing" if fights == THROWS else "fighting")
    home.mkdir()
    source = sample_path("aliens", "Ravager").read_text()
    body = source.index("{", source.index("wantToFight"))
    changed = source[: body + 1] + fights + source[source.index("}", body) :]
    (home / "Thrower.java").write_text(changed.replace("Ravager", "Thrower"))
    throwers = [load(GAME, home / "Thrower.java", Interpreters())] * THROWERS
    cast = [*throwers, *(made[i % len(made)] for i in range(SPECIES - THROWERS))]
    return [replace(bot, name=f"{bot.name}{i}") for i, bot in enumerate(cast)]


def play_one(
    ruleset: str, settings: Settings, bots: Sequence[Bot], seed: int, isolation: Isolation, replay: Path | None
) -> tuple[float, float]:
    """One match and its figures; returns its seconds without the start, by the wall and by all processors."""
    marks: list[float] = []
    cpus: list[float] = []

    def turn_over(turn: int) -> None:
        marks.append(time.perf_counter())
        cpus.append(time.process_time())

    began = time.perf_counter()
    result = play(
        GAME,
        settings,
        bots,
        seed,
        Hosting(ruleset=ruleset, replay=replay, isolation=isolation),
        Watching(on_turn=turn_over),
    )
    records = list(result.records.values())
    faults = sum(sum(record.faults.values()) for record in records)
    cpu = sum(spent.cpu for record in records for _, spent in record.times)
    messages = [len(record.times) for record in records]
    size = f", a replay of {replay.stat().st_size / 1e6:.2f} MB" if replay else ""
    own = cpus[-1] - cpus[0]
    print(
        f"{ruleset}, seed {seed}{', recorded' if replay else ''}: {marks[-1] - marks[0]:.2f} s for rounds 2 to 1,000 "
        f"(start and round 1: {marks[0] - began:.2f} s); {sum(messages):,} messages, at most {max(messages):,} "
        f"to a species; processor time of all bots {cpu:.1f} s, "
        f"koth's own {1e6 * own / max(1, sum(messages)):.1f} us a message; {faults} faults{size}"
    )
    for a, b in pairwise(STRETCHES):
        wall = marks[b - 1] - marks[max(a - 1, 0)]
        print(f"  rounds {a + 1:4} to {b:4}: {wall / (b - max(a, 1)) * 1e3:6.2f} ms a round")
    return marks[-1] - marks[0], own + cpu


def rules_alone() -> None:
    """The same number of species, answered inside this process by constants."""

    def act(observations, match_info):  # type: ignore[no-untyped-def]
        if observations.question.name == "move":
            return {"move": np.arange(len(observations)) % 9}
        if observations.question.name == "points":
            return {"points": 2.0}
        return {}

    names = [InlineBot(f"bot{i}", act) for i in range(SPECIES)]
    play(GAME, Settings(rounds=5), names, 1)
    start = time.perf_counter()
    play(GAME, Settings(), names, 1)
    print(f"rules, views and the match loop alone, 43 inline species: {time.perf_counter() - start:.2f} s a match")


def main() -> None:
    print(machine.name())
    hosted(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
    rules_alone()


if __name__ == "__main__":
    main()
