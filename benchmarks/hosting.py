"""Time of a turn when 20 bots x 50 players are processes that answer constants: `python benchmarks/hosting.py`.

Frames and JSON apart, early and late. Early: the statement's board, everybody stays. Players that only stay are
all gone long before turn 3,000, so the late figure is taken on a board wide enough (density 0.0004) that some live.
Printed are medians of the wall time and of koth's own processor time.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
import time
from pathlib import Path

import machine
import numpy as np

from koth.discovery.folder import load_bot
from koth.discovery.interpreters import Interpreters
from koth.games.zombies import GAME
from koth.games.zombies.state import Settings
from koth.match import Hosting, Watching, play
from koth.sandbox.levels import choose_level

FRAMES = """
import struct, sys, json
HEADER = struct.Struct("<IIHHI")
read, write = sys.stdin.buffer.read, sys.stdout.buffer.write
while True:
    head = read(16)
    if len(head) < 16: break
    size, number, kind, _, rows = HEADER.unpack(head)
    read(size)
    if kind == 0xFFFF: break
    data = bytes([4]) * rows + bytes(4 * rows) + bytes(rows) if kind else b""
    write(HEADER.pack(len(data), number, kind, 0, rows) + data); sys.stdout.buffer.flush()
"""
JSON = """
import sys, re
for line in sys.stdin:
    if line.startswith('{"hello"'): print('{"ready":true}', flush=True); continue
    if line.startswith('{"bye"'): break
    ask = line[line.index(":") + 1 : line.index(",")]
    moves = ",".join('"%s":"STAY"' % n for n in re.findall(r'"number":([0-9]+)', line))
    print('{"ask":%s,"moves":{%s}}' % (ask, moves), flush=True)
"""


def field(folder: Path, protocol: str, program: str, bots: int) -> list:  # type: ignore[type-arg]
    """`bots` copies of one constant bot."""
    made = []
    for i in range(bots):
        home = folder / f"{protocol}{i}"
        home.mkdir()
        (home / "main.py").write_text(program)
        (home / "koth.toml").write_text(f'command = ["python", "-S", "main.py"]\nprotocol = "{protocol}"\n')
        made.append(load_bot(GAME, home, Interpreters()))
    return made


def measure(protocol: str, program: str, settings: Settings, first: int, last: int, label: str) -> None:
    """Print the median times of the turns from `first` to `last`."""
    times: list[tuple[float, float]] = []

    class StopMatch(Exception):
        pass

    def turn_over(turn: int) -> None:
        times.append((time.perf_counter(), time.process_time()))
        if turn >= last:
            raise StopMatch

    with tempfile.TemporaryDirectory() as folder:
        bots = field(Path(folder), protocol, program, 20)
        with contextlib.suppress(StopMatch):
            play(GAME, settings, bots, 1, Hosting(isolation=choose_level()), Watching(on_turn=turn_over))
    row_ranges = np.diff(times[first:], axis=0)
    if len(row_ranges) < 10:
        print(f"{protocol:7} {label}: the match ended at turn {len(times)}")
        return
    wall, own = 1e3 * np.median(row_ranges, axis=0)
    print(
        f"{protocol:7} {label}: {wall:.2f} ms a turn, {own:.2f} of koth's own (medians of {len(row_ranges)})",
        flush=True,
    )


def main() -> None:
    print(f"{machine.name()}, isolation {choose_level().level}")
    full = Settings()
    for protocol, program in (("frames", FRAMES), ("json", JSON)):
        measure(protocol, program, full, 1, int(sys.argv[1]) if len(sys.argv) > 1 else 40, "full board, from turn 1")
    sparse = Settings(density=0.0004)
    for protocol, program in (("frames", FRAMES), ("json", JSON)):
        measure(protocol, program, sparse, 2999, 3100, "a wide board, turns 3,000 to 3,100")


if __name__ == "__main__":
    main()
