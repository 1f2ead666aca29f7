"""Draw what `ppo.py` has written: `python examples/learn/curves.py pacman.csv zombies.csv --out curves.png`."""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

WIDE, HIGH, EDGE = 420, 260, 44


def draw(file: Path) -> Image.Image:
    """One curve: what agents got in a match, over the decisions that were learnt from."""
    with open(file, newline="") as lines:
        rows = [(float(row["decisions"]), float(row["return"])) for row in csv.DictReader(lines)]
    most, top = rows[-1][0], max(value for _, value in rows) * 1.05
    picture = Image.new("RGB", (WIDE, HIGH), "white")
    pen, font = ImageDraw.Draw(picture), ImageFont.load_default(12)

    def place(decisions: float, value: float) -> tuple[float, float]:
        return EDGE + decisions / most * (WIDE - 2 * EDGE), HIGH - EDGE - value / top * (HIGH - 2 * EDGE)

    for part in range(5):
        (left, y), (right, _) = place(0, top * part / 4), place(most, 0)
        pen.line([(left, y), (right, y)], "#d5d9dd")
        pen.text((EDGE - 6, y), f"{top * part / 4:,.0f}", "#444", font, anchor="rm")
        pen.text((place(most * part / 4, 0)[0], HIGH - EDGE + 6), f"{most * part / 4000:.0f}k", "#444", font, "ma")
    pen.line([place(*row) for row in rows], "#1f6fb2", 2)
    pen.text((WIDE / 2, 14), f"{file.stem}: return of a match, by decisions", "#111", font, anchor="mm")
    return picture


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=Path("curves.png"))
    told = parser.parse_args()
    pictures = [draw(file) for file in told.files]
    whole = Image.new("RGB", (WIDE * len(pictures), HIGH), "white")
    for k, picture in enumerate(pictures):
        whole.paste(picture, (k * WIDE, 0))
    whole.save(told.out)


if __name__ == "__main__":
    main()
