"""The CPU time of a short match between two bots in Python, part by part: `python benchmarks/match.py [matches]`.

They play 200 turns of `examples/koth-ipd` at the strongest level of isolation. Bots that are forked from koth's
spawner take turns with bots in new processes, and bots that import NumPy with plain ones, so that other load on the
machine falls on all of them. Printed are medians.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median

import machine

from koth.discovery import folder
from koth.discovery.interpreters import Interpreters
from koth.game import Game
from koth.games import load
from koth.match import Hosting, play
from koth.sandbox.isolation import Isolation
from koth.sandbox.levels import choose_level
from koth.session import seats
from koth.session.bot import Bot
from koth.session.cpu_clock import NANO, cpu_time
from koth.session.process import BotProcess

SOURCE = """
class Bot:
    def act(self, obs):
        return "D" if obs.theirs == "D" else "C"
"""
BOTS = {
    "plain": ("", ""),
    "NumPy": ("import numpy\n", 'preload = ["numpy"]\n'),
}
"""Kinds of bots: the first line of each, and its manifest."""
PARTS = ("koth itself", "both bots, until the first question", "both bots, 200 answers", "supervisors, bwrap, shells")


class MeasuredProcess(BotProcess):
    """A process of a bot that remembers the CPU seconds which it has used."""

    spent: list[tuple[float, float]] = []  # noqa: RUF012
    """Of the processes that have ended: the bot's, and those of its supervisor and sandbox."""
    started: list[float] = []  # noqa: RUF012
    """Of each bot until its first question."""
    writes = 0

    def write(self, message: bytes = b"") -> bool:
        self.writes += bool(message)
        if self.writes == 2:  # the hello came first
            self.started.append(cpu_time(self.pid()) / NANO)
        return super().write(message)

    def send_bye(self, words: bytes) -> None:
        assert self.child is not None
        others = [self.child.supervisor_pid(), *self.child._reports.get("holders", [])]
        ran = sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in others)
        self.spent.append((cpu_time(self.pid()) / NANO, ran / NANO))
        super().send_bye(words)


def install(place: Path) -> None:
    """Make the example known to koth, as pip would."""
    info = place / "koth_ipd-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: koth-ipd\nVersion: 0\n")
    (info / "entry_points.txt").write_text("[koth.games]\nipd = koth_ipd\n")
    sys.path += [str(place), str(Path(__file__).parents[1] / "examples" / "koth-ipd")]


def pair(game: Game, place: Path, kind: str) -> list[Bot]:
    """Two bots of a kind."""
    first, manifest = BOTS[kind]
    made = []
    for name in ("one", "two"):
        home = place / f"{name}-{kind}"
        home.mkdir()
        home.chmod(0o755)
        (home / "bot.py").write_text(first + SOURCE)
        (home / "koth.toml").write_text(manifest)
        made.append(folder.load_bot(game, home, Interpreters(), name))
    return made


def parts(game: Game, bots: list[Bot], isolation: Isolation, replay: Path) -> Iterator[float]:
    """Play a match; return the milliseconds of its parts."""
    MeasuredProcess.spent.clear()
    MeasuredProcess.started.clear()
    begin = time.process_time()
    play(game, game.rulesets["standard"], bots, 1, Hosting(isolation=isolation, replay=replay))
    own = time.process_time() - begin
    used, others = (sum(each) for each in zip(*MeasuredProcess.spent, strict=True))
    start = sum(MeasuredProcess.started)
    for seconds in (own, start, used - start, others):
        yield 1000 * seconds


def main() -> None:
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    seats.BotProcess = MeasuredProcess  # type: ignore[misc]
    isolation = choose_level()
    print(f"{machine.name()}, isolation {isolation.level}, {matches} matches each")
    levels = {"forked": isolation, "new processes": replace(isolation, forks_python=False)}
    with tempfile.TemporaryDirectory() as where:
        place = Path(where)
        place.chmod(0o755)
        install(place)
        game = load("ipd")
        pairs = {kind: pair(game, place, kind) for kind in BOTS}
        found: dict[tuple[str, str], list[tuple[float, ...]]] = {(kind, how): [] for kind in BOTS for how in levels}
        for number in range(matches + 1):
            for (kind, how), times in found.items():
                measured = tuple(parts(game, pairs[kind], levels[how], place / "match.koth.gz"))
                if number:  # the first one compiles, and starts spawners
                    times.append(measured)
    for (kind, how), times in found.items():
        each = [median(column) for column in zip(*times, strict=True)]
        told = ", ".join(f"{part} {value:.1f}" for part, value in zip(PARTS, each, strict=True))
        print(f"{kind} bots, {how}: {sum(each):.0f} ms ({told})", flush=True)


if __name__ == "__main__":
    main()
