"""Wall time of a turn when 20 bots x 50 players run on the JVM: `python benchmarks/jvm.py`.

Bots with trivial brains (they stay) and bots that look at everything in sight: early (the first 60 turns of a full
board, compilers still at work), warm (turns 200 to 300 of a board so wide that nearly all are alive) and late
(turns 2,400 to 2,500 of it). Then how long 25 JVMs take to start, and what they hold.

Arguments are flags for the JVMs instead of koth's choice: `python benchmarks/jvm.py -XX:+UseSerialGC -Xmx256m`.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import machine

from koth.build.jvm.entries import FLAGS
from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.games.zombies import GAME
from koth.games.zombies.state import Settings
from koth.match import Hosting, Result, Watching, play
from koth.sandbox.levels import choose_level
from koth.session.bot import Bot

STAYS = "return Move.STAY;"
LOOKS = """
    PlayerId[][] field = context.getPlayField();
    int zombies = 0;
    for (PlayerId[] column : field)
      for (PlayerId who : column)
        if (who != null && who.getName().equals("Zombie")) zombies++;
    return zombies > 1000 ? Move.NORTH : context.shootablePlayers().isEmpty() ? Move.EAST : Move.STAY;
"""


class StopMatch(Exception):
    """The turns that count have been played."""


def bot(folder: Path, name: str, brain: str, flags: Sequence[str]) -> Bot:
    """A bot whose doTurn is `brain`."""
    file = folder / f"{name}.java"
    file.write_text(
        "package player;\nimport zombie.*;\n"
        f"public class {name} implements Player {{ public Action doTurn(PlayerContext context) {{ {brain} }} }}\n"
    )
    made = load_bot(GAME, file, Interpreters())
    if flags:
        own = [word for word in made.argv if word not in FLAGS and not word.startswith("-Xmx")]
        at = own.index("-cp")
        opened = [word for word in FLAGS if word.startswith("--add")]
        made = replace(made, argv=(*own[:at], *flags, *opened, *own[at:]))
    return made


def measure(made: Bot, settings: Settings, first: int, last: int, label: str) -> None:
    """Median wall time of the turns from `first` to `last`, with 20 copies of a bot."""
    times: list[float] = []

    def turn_over(turn: int) -> None:
        times.append(time.perf_counter())
        if turn >= last:
            raise StopMatch

    with contextlib.suppress(StopMatch):
        bots = [replace(made, name=f"{made.name}{i}") for i in range(20)]
        play(GAME, settings, bots, 1, Hosting(isolation=choose_level()), Watching(on_turn=turn_over))
    row_ranges = sorted(b - a for a, b in zip(times[first:-1], times[first + 1 :], strict=True))
    if len(row_ranges) < 10:
        print(f"{label}: the match ended at turn {len(times)}")
        return
    print(
        f"{label}: {row_ranges[len(row_ranges) // 2] * 1e3:.2f} ms a turn (median of {len(row_ranges)})", flush=True
    )


def memory_of_25(made: Bot) -> None:
    """Start-up and memory of 25 JVMs in one match."""
    held: list[int] = []

    def turn_over(turn: int) -> None:
        if turn == 20:
            held.extend(_memory())

    begin = time.perf_counter()
    bots = [replace(made, name=f"{made.name}{i}") for i in range(25)]
    result: Result = play(GAME, Settings(), bots, 1, Hosting(isolation=choose_level()), Watching(on_turn=turn_over))
    slowest = max(record.start_seconds for record in result.records.values())
    print(
        f"25 JVMs: the slowest is ready after {slowest:.2f} s; at turn 20 they hold {sum(held) / 1e6:.0f} MB "
        f"(proportional set size); the match of {result.turns} turns took {time.perf_counter() - begin:.1f} s"
    )


def _memory() -> list[int]:
    """Bytes held by each JVM of ours, shared pages counted in proportion."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            if b"koth.jvm.BotAdapter" in (process / "cmdline").read_bytes():
                rollup = (process / "smaps_rollup").read_text()
                found.append(1024 * int(rollup.split("\nPss:")[1].split()[0]))
        except (OSError, IndexError, ValueError):
            continue
    return found


def main() -> None:
    flags = sys.argv[1:]
    print(f"{machine.name()}, isolation {choose_level().level}")
    with tempfile.TemporaryDirectory() as folder:
        stays = bot(Path(folder), "Stays", STAYS, flags)
        looks = bot(Path(folder), "Looks", LOOKS, flags)
        full, wide = Settings(), Settings(density=0.0008)
        for made, label in ((stays, "trivial brains"), (looks, "bots that look around")):
            measure(made, full, 1, 60, f"{label}, early (turns 1 to 60 of a full board)")
            measure(made, wide, 200, 300, f"{label}, warm (turns 200 to 300 of a wide board)")
        for made, label in ((stays, "trivial brains"), (looks, "bots that look around")):
            measure(made, wide, 2399, 2500, f"{label}, late (turns 2,400 to 2,500 of a wide board)")
        memory_of_25(looks)


if __name__ == "__main__":
    main()
