"""Aliens matches with a field like real ones, as processes: `python benchmarks/aliens_jvm.py [matches] [OTHER]`.

43 species in Java, each in a process of its own, and the prey: 4,800 aliens, 1,000 rounds, under both rulesets. As in
the fields of real contests, many species live to the end and meet all the time, and four of them throw exceptions in
`move`, some 50,000 each in a match, and live long with it.

Prints for each match, without its start: messages, exceptions, wall time, processor time of koth itself and of the
bots, and the wall time of a round by stretch of rounds (the JIT compilers' warm-up shows in the first ones). At the
end: one match recorded, and the rules alone with as many species answered inside this process.

With OTHER, another checkout with an environment in `.venv`, each match is also played there, in turns, by that
checkout's copy of this file; then the least of each figure is compared.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import machine
import numpy as np

from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.discovery.samples import find_sample
from koth.games.aliens import GAME
from koth.games.aliens.state import Settings
from koth.match import Hosting, Watching, play
from koth.sandbox.levels import choose_level
from koth.session.bot import Bot
from koth.session.local import InlineBot

HERE = Path(__file__).parents[1]
SAMPLES = {"Ravager": 23, "Sidestep": 4, "Oyster": 12}
"""How many species of the field are copies of a sample bot."""
THROWERS = 4
THROWER = """
// Trapdoor walks towards prey; where it sees none, it looks one column too far.
package alien;

import planet.Move;

public class Trapdoor extends Alien {
    private static int born;

    public void setAbilityPoints(float[] abilities) {
        abilities[0] = 4;
        abilities[2] = born++ % 4 == 0 ? 6 : 4;
    }

    public Move move(char[][] fields) {
        int centre = getVisionFieldsCount();
        for (int x = 0; x <= fields.length; x++) {
            for (int y = 0; y < fields.length; y++) {
                if ("WTEH".indexOf(fields[x][y]) >= 0) {
                    return towards(Integer.signum(x - centre), Integer.signum(y - centre));
                }
            }
        }
        return Move.STAY;
    }

    private Move towards(int x, int y) {
        for (Move move : Move.values()) {
            if (move.getXOffset() == x && move.getYOffset() == y) {
                return move;
            }
        }
        return Move.STAY;
    }

    public boolean wantToFight(int[] enemyAbilities) {
        return false;
    }
}
"""
STRETCHES = (0, 10, 50, 200, 1000)
FIGURES = ("messages", "exceptions", "wall", "koth", "bots")
"""Figures of a match; the last three are seconds from the end of round 1 on: by the wall, and processor time."""


def field(folder: Path) -> list[Bot]:
    """Return the bots of a match, each under a name of its own."""
    source = folder / "Trapdoor.java"
    source.write_text(THROWER)
    thrower = load_bot(GAME, source, Interpreters())
    copies = [
        load_bot(GAME, find_sample("aliens", name), Interpreters()) for name, n in SAMPLES.items() for _ in range(n)
    ]
    return [replace(bot, name=f"{bot.name}{i}") for i, bot in enumerate([thrower] * THROWERS + copies)]


def played(ruleset: str, seed: int, replay: Path | None = None) -> dict[str, Any]:
    """Play one match and return its figures, and the milliseconds that a round took in each stretch."""
    ends: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        bots = field(Path(folder))
        settings, isolation = GAME.rulesets[ruleset], choose_level()
        play(
            GAME, settings, bots, 0, Hosting(ruleset=ruleset, isolation=isolation), Watching(max_turns=3)
        )  # what is compiled is loaded
        result = play(
            GAME,
            settings,
            bots,
            seed,
            Hosting(ruleset=ruleset, replay=replay, isolation=isolation),
            Watching(on_turn=lambda _: ends.append((time.perf_counter(), time.process_time()))),
        )
    records = result.records.values()
    wall, own = np.subtract(ends[-1], ends[0])
    rounds = [
        1e3 * (ends[last - 1][0] - ends[max(first - 1, 0)][0]) / (last - max(first, 1))
        for first, last in pairwise(STRETCHES)
    ]
    return {
        "messages": sum(len(record.times) for record in records),
        "exceptions": sum(record.faults.get("error", 0) for record in records),
        "wall": wall,
        "koth": own,
        "bots": sum(spent.cpu for record in records for turn, spent in record.times if turn >= 1),
        "rounds": rounds,
    }


def played_by(checkout: Path, ruleset: str, seed: int) -> dict[str, Any]:
    """Play one match in a new process with the koth of this checkout, and print its figures."""
    python = sys.executable if checkout == HERE else str(checkout / ".venv/bin/python")
    argv = [python, str(checkout / "benchmarks/aliens_jvm.py"), "--play", ruleset, str(seed)]
    told = subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout
    figures: dict[str, Any] = json.loads(told.splitlines()[-1])
    show(f"{checkout.name}: {ruleset}, seed {seed}", figures)
    return figures


def show(name: str, told: dict[str, Any]) -> None:
    """Print the figures of one match."""
    own = f"koth {told['koth']:.2f} s ({1e6 * told['koth'] / told['messages']:.1f} us a message)"
    counts = f"{told['messages']:,} messages, {told['exceptions']:,} exceptions"
    seconds = f"{told['wall']:.2f} s for rounds 2 to 1,000; processor time: {own}, bots {told['bots']:.2f} s"
    print(f"{name}: {counts}; {seconds}")
    stretches = zip(pairwise(STRETCHES), told["rounds"], strict=True)
    print("  ms a round: " + ", ".join(f"{a + 1} to {b}: {each:.2f}" for (a, b), each in stretches), flush=True)


def rules_alone(species: int) -> None:
    """Print how long a match takes whose species answer constants inside this process."""

    def act(observations, match_info):  # type: ignore[no-untyped-def]
        if observations.question.name == "move":
            return {"move": np.arange(len(observations)) % 9}
        if observations.question.name == "points":
            return {"points": 2.0}
        return {}

    names = [InlineBot(f"bot{i}", act) for i in range(species)]
    play(GAME, Settings(rounds=5), names, 1)
    start = time.perf_counter()
    play(GAME, Settings(), names, 1)
    taken = time.perf_counter() - start
    print(f"rules, views and the match loop alone, {species} inline species: {taken:.2f} s a match")


def main() -> None:
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    others = [Path(word).resolve() for word in sys.argv[2:3]]
    print(f"{machine.name()}, isolation {choose_level().level}, as koth run would choose")
    for ruleset in GAME.rulesets:
        told: list[list[dict[str, Any]]] = [[] for _ in (HERE, *others)]
        for seed in range(matches):
            for figures, checkout in zip(told, (HERE, *others), strict=True):
                figures.append(played_by(checkout, ruleset, seed))
        for name in FIGURES if others else ():
            here, there = (min(figures[name] for figures in version) for version in told)
            print(f"{ruleset}: {name}: {here:,.2f}, the other {there:,.2f}; {here / there:.2f} of it")
    with tempfile.TemporaryDirectory() as folder:
        replay = Path(folder) / "match.koth.gz"
        show("recorded: published, seed 0", played("published", 0, replay))
        print(f"  a replay of {replay.stat().st_size / 1e6:.2f} MB")
    rules_alone(THROWERS + sum(SAMPLES.values()))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--play"]:
        print(json.dumps(played(sys.argv[2], int(sys.argv[3]))))
    else:
        main()
