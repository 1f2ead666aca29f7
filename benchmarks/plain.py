"""Speed of plain games: `python benchmarks/plain.py [TURNS]`, seconds of processor time.

The game of `koth new-game --plain`, and Colour Battle (`examples/koth-colour`): 18 bots, 35 x 35 squares
that all see. Printed are turns a second of the engine (state, rules, observations, answers; best of five), the same
with the replay recorded, and the parts of a turn. Then Colour Battle is hosted with its samples as processes: what
koth's own process takes a turn, and its bots together.
"""

from __future__ import annotations

import sys
import tempfile
import time
import timeit
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import machine

from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.engine.batch import Batch
from koth.engine.guarded import guard
from koth.game import no_answers, state_hash
from koth.match import Hosting, Watching, play
from koth.sandbox.levels import choose_level
from koth.session.local import InlineBot

ROOT = Path(__file__).parents[1]
GAMES = {"the skeleton, two bots": ("koth_skeleton", 2), "Colour Battle, 18 bots": ("koth_colour", 18)}


def install(folder: Path) -> None:
    """Make koth find the games, as if they were installed; `folder` gets the entry points."""
    info = folder / "benchmark-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: benchmark\nVersion: 1.0\n", encoding="utf-8")
    games = "[koth.games]\nskeleton = koth_skeleton\ncolour = koth_colour\n"
    (info / "entry_points.txt").write_text(games, encoding="utf-8")
    sys.path += map(str, (folder, ROOT / "examples/koth-colour", ROOT / "packages/koth/src/koth/skeleton_plain"))


def seconds(work: Callable[[], object]) -> float:
    """Return the least processor time of five runs."""
    return min(timeit.repeat(work, number=1, repeat=5, timer=time.process_time))


def played(game: Any, settings: Any, seats: int, turns: int) -> Batch:
    """Return a batch of one match after these turns, in which nobody answers."""
    batch = Batch(game, settings, seats, [1])
    while batch.turn < turns and batch.observations is not None:
        batch.answer(no_answers(batch.observations, batch.nobody_gone()))
    return batch


def parts(game: Any, settings: Any, seats: int) -> None:
    """Print what each part of a turn takes."""
    batch = played(game, settings, seats, 20)
    state, match = batch.state, game._read_match(settings, batch.state, 0)
    asked = {0: list(range(seats))}
    works: dict[str, Callable[[], object]] = {
        "the state is read (three times a turn if recorded)": lambda: game._read_match(settings, state, 0),
        "the state is checked and written (twice)": lambda: game._encode_match(match),
        "observations are made, checked, laid down": lambda: game._fill_observations(
            batch.buffers, "move", {0: match}, asked
        ),
        "end and scores are asked, the state written once": lambda: game._write_match(state, 0, match),
        "a frame": lambda: game.frame(settings, state, 0),
        "the hash of the state": lambda: state_hash(game, state, 0),
    }
    for words, work in works.items():
        print(f"    {1e6 * min(timeit.repeat(work, number=5, repeat=50)) / 5:7.1f} us  {words}")


def engine(words: str, module: str, seats: int, turns: int) -> None:
    """Print the speed of a game without bots."""
    game = import_module(module).GAME
    settings = replace(game.rulesets["standard"], turns=turns)
    took = seconds(lambda: played(guard(game), settings, seats, turns))
    bots = [InlineBot(f"bot {seat}", lambda observations, info: {}) for seat in range(seats)]
    with tempfile.TemporaryDirectory() as folder:
        hosting = Hosting(replay=Path(folder) / "match.koth.gz")
        recorded = seconds(lambda: play(guard(game), settings, bots, 1, hosting))
    print(f"{words}: {turns / took:,.0f} turns/s, {turns / recorded:,.0f} recorded with bots in koth's process")
    parts(game, replace(settings, turns=10_000), seats)


def hosted(turns: int) -> None:
    """Print the processor time of a match of Colour Battle with its samples, and theirs."""
    game = guard(import_module("koth_colour").GAME)
    settings, samples = (
        replace(game.rulesets["standard"], turns=turns),
        ROOT / "examples/koth-colour/koth_colour/bots",
    )
    times: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        bots = []
        for seat in range(18):
            home = Path(folder) / f"bot{seat}"
            home.mkdir()
            sample = samples / ("sweeper.py", "wanderer.py")[seat % 2]
            (home / "bot.py").write_text(sample.read_text(encoding="utf-8"), encoding="utf-8")
            (home / "koth.toml").write_text('protocol = "python"\n', encoding="utf-8")
            bots.append(load_bot(game, home, Interpreters()))
        watching = Watching(on_turn=lambda turn: times.append(time.process_time()))
        hosting = Hosting(replay=Path(folder) / "match.koth.gz", isolation=choose_level())
        result = play(game, settings, bots, 1, hosting, watching)
    theirs = 1e3 * sum(cost.cpu for report in result.records.values() for _, cost in report.times) / turns
    own = 1e3 * (times[-1] - times[0]) / (len(times) - 1)
    print(f"Colour Battle hosted, {turns} turns: {own:.2f} ms a turn of koth's own, {theirs:.2f} ms of its 18 bots")


def main() -> None:
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(f"{machine.name()}, isolation {choose_level().level}")
    with tempfile.TemporaryDirectory() as folder:
        install(Path(folder))
        for words, (module, seats) in GAMES.items():
            engine(words, module, seats, turns)
        hosted(turns)


if __name__ == "__main__":
    main()
