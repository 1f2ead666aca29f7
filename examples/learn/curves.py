"""The curves of trainings as one picture.

    python examples/learn/curves.py zombies_bot.csv pacman_bot.csv --out learning-curves.png

Needs matplotlib. A file's name is its curve's title.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import matplotlib.pyplot as plt


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=Path("learning-curves.png"))
    options = parser.parse_args()
    figure, axes = plt.subplots(1, len(options.files), figsize=(4.5 * len(options.files), 3), squeeze=False)
    for axis, file in zip(axes[0], options.files, strict=True):
        with open(file, newline="") as lines:
            rows = [row for row in csv.DictReader(lines) if float(row["score"])]
        axis.plot([int(row["decisions"]) for row in rows], [float(row["score"]) for row in rows])
        axis.set(title=file.stem, xlabel="decisions", ylabel="score of seat 0, last 50 matches")
    figure.tight_layout()
    figure.savefig(options.out, dpi=100)


if __name__ == "__main__":
    main()
