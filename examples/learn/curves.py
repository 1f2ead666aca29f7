"""Draw what `ppo.py` has written: `python examples/learn/curves.py pacman.csv zombies.csv --out curves.png`."""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

WIDE, HIGH, EDGE = 420, 260, 48
LINES = {"return": ("#1f6fb2", 0, "return of an agent, left"), "score": ("#c8641e", 1, "score against greedy, right")}
"""What is drawn: its colour, the side of its axis, and what it is."""


class Panel:
    """One run: what agents got in a match, and what was scored against the greedy policy, over the decisions."""

    def __init__(self, file: Path) -> None:
        with open(file, newline="") as lines:
            self.rows = [{name: float(row[name]) for name in ("decisions", *LINES)} for row in csv.DictReader(lines)]
        if not self.rows:
            raise ValueError("there are no rows in it")
        self.picture = Image.new("RGB", (WIDE, HIGH), "white")
        self.pen, self.font = ImageDraw.Draw(self.picture), ImageFont.load_default(12)
        self.most = self.rows[-1]["decisions"] or 1.0
        self.pen.text((WIDE / 2, 12), file.stem, "#111", self.font, anchor="mm")
        for part in range(5):
            across, up = self.place(part / 4, part / 4)
            self.pen.line([(EDGE, up), (WIDE - EDGE, up)], "#d5d9dd")
            self.pen.text((across, HIGH - EDGE + 6), f"{self.most * part / 4000:.0f}k", "#444", self.font, "ma")
        for name in LINES:
            self.line(name)

    def place(self, across: float, up: float) -> tuple[float, float]:
        return EDGE + across * (WIDE - 2 * EDGE), HIGH - EDGE - up * (HIGH - 2 * EDGE)

    def line(self, name: str) -> None:
        """One curve with its axis."""
        colour, side, meaning = LINES[name]
        values = [row[name] for row in self.rows]
        bottom, top = min(0.0, *values), max(0.0, *values) * 1.05
        top = top if top > bottom else 1.0
        places = [
            self.place(row["decisions"] / self.most, (value - bottom) / (top - bottom))
            for row, value in zip(self.rows, values, strict=True)
        ]
        self.pen.line(places, colour, 2)
        self.pen.text((WIDE * (0.27 + 0.46 * side), HIGH - 12), meaning, colour, self.font, anchor="mm")
        for part in range(5):
            at, (_, up) = bottom + (top - bottom) * part / 4, self.place(0, part / 4)
            text, beside = f"{at:,.0f}" if top - bottom > 10 else f"{at:.2f}", (EDGE - 6, WIDE - EDGE + 6)[side]
            self.pen.text((beside, up), text, colour, self.font, anchor=("rm", "lm")[side])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=Path("curves.png"))
    told = parser.parse_args()
    pictures = []
    for file in told.files:
        try:
            pictures.append(Panel(file).picture)
        except OSError as error:
            parser.error(f"{file}: {error.strerror}")
        except KeyError as error:
            parser.error(f"{file}: it has no column {error}")
        except (csv.Error, TypeError, ValueError) as error:
            parser.error(f"{file}: no curve can be read from it ({error})")
    whole = Image.new("RGB", (WIDE * len(pictures), HIGH), "white")
    for k, picture in enumerate(pictures):
        whole.paste(picture, (k * WIDE, 0))
    whole.save(told.out)


if __name__ == "__main__":
    main()
