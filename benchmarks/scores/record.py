"""Record the scores of a run for the benchmarks.

    python benchmarks/scores/record.py RUN > benchmarks/scores/GAME.csv

A row per match: its block, then the score of each bot by name (empty: it did not play).
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from koth.testing.blocks import read


def main() -> None:
    scores, _ = read(Path(sys.argv[1]))
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["block", *scores.names])
    for block, bots, points in zip(scores.block.tolist(), scores.bot.tolist(), scores.score.tolist(), strict=True):
        played = dict(zip(bots, points, strict=True))
        out.writerow([block, *(f"{played[bot]:.12g}" if bot in played else "" for bot in range(len(scores.names)))])


if __name__ == "__main__":
    main()
