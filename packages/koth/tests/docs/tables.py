"""Write the table of samples into a game's page: `python -m tests.docs.tables GAME`, the minutes that takes.

All samples on the page play one contest with seed 1, so anybody gets the same figures.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from koth.discovery.samples import sample_paths
from tests.docs.pages import DOCS

TABLE = re.compile(r"^\| sample \|.*?\n(?!\|)", re.MULTILINE | re.DOTALL)
GAMES = {"metalman": 96}
"""Games a bot, where the statement's contest is too short to tell the samples apart."""


def told_on_the_page(game: str) -> list[Path]:
    """The samples of a game's page; those for the JVM lie elsewhere, and stand on the JVM's own page."""
    return [path for path in sample_paths(game) if path.parent.parent.name == game]


def standings(game: str, words: list[str], folder: Path) -> dict[str, dict[str, Any]]:
    """What `koth run GAME WORDS --seed 1` says of each bot."""
    games = ["--matches", str(GAMES[game])] if game in GAMES else []
    line = [sys.executable, "-m", "koth", "run", game, *words, *games, "--seed", "1", "--json"]
    line += ["--replays", "none", "--out", str(folder)]
    done = subprocess.run(line, stdout=subprocess.PIPE, check=True)
    rows = json.loads(done.stdout)["standings"]
    assert not any(row.get("faults") for row in rows), "a sample had a fault"
    return {row["bot"]: row for row in rows}


def table(game: str, rows: dict[str, dict[str, Any]]) -> str:
    """The whole table, best first."""
    names = {path.stem for path in told_on_the_page(game)}
    digits = 0 if max(row["score"] for row in rows.values()) > 10 else 2

    def figure(value: float) -> str:
        return f"{value:,.{digits}f}"

    lines = ["| sample | score | interval |", "| --- | ---: | ---: |"]
    for name, row in sorted(rows.items(), key=lambda item: (-item[1]["score"], item[0])):
        if name not in names:
            continue  # who is not a bot, and scores all the same: prey
        between = "–" if row["low"] is None else f"{figure(row['low'])}–{figure(row['high'])}"
        lines.append(f"| `{name}` | {figure(row['score'])} | {between} |")
    return "\n".join(lines) + "\n"


def rewrite(game: str) -> None:
    """Play, and put the table where the old one stood."""
    page = DOCS / f"{game}.md"
    with TemporaryDirectory() as folder:
        rows = standings(game, [f"@{path.stem}" for path in told_on_the_page(game)], Path(folder, "run"))
    text = page.read_text(encoding="utf-8")
    page.write_text(TABLE.sub(lambda _: table(game, rows), text), encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        rewrite(name)
