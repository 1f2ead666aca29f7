"""Write the table of samples into a game's page: `python -m tests.docs.tables GAME`, the minutes that takes.

Two contests are played with seed 1, so anybody gets the same figures: the default field's, and one of all samples on
the page. Samples keep the idea that stands beside them; who has none yet is told by its first line.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from koth.bots.folders.samples import sample_paths, summary
from koth.games import load
from tests.docs.pages import DOCS, SAMPLE

GAMES = {"metalman": 96}
"""Games a bot, where the statement's contest is too short to tell the samples apart."""


def told_on_the_page(game: str) -> list[Path]:
    """The samples of a game's page; those for the JVM lie elsewhere, and stand on the JVM's own page."""
    return [path for path in sample_paths(game) if path.parent.parent.name == game]


def standings(game: str, words: list[str], folder: Path) -> dict[str, dict[str, Any]]:
    """What `koth run GAME WORDS --seed 1` says of each bot."""
    games = ["--games", str(GAMES[game])] if game in GAMES else []
    line = [sys.executable, "-m", "koth", "run", game, *words, *games, "--seed", "1", "--json"]
    line += ["--replays", "none", "--out", str(folder)]
    done = subprocess.run(line, stdout=subprocess.PIPE, check=True)
    rows = json.loads(done.stdout)["standings"]
    assert not any(row.get("faults") for row in rows), "a sample had a fault"
    return {row["bot"]: row for row in rows}


def table(game: str, usual: dict[str, dict[str, Any]], together: dict[str, dict[str, Any]], text: str) -> str:
    """The rows, best first."""
    ideas = {name: idea.strip() for name, idea, _ in SAMPLE.findall(text)}
    paths = {path.stem: path for path in told_on_the_page(game)}
    digits = 0 if max(row["score"] for row in together.values()) > 10 else 2

    def figure(value: float) -> str:
        return f"{value:,.{digits}f}"

    lines = []
    for name, row in sorted(together.items(), key=lambda item: (-item[1]["score"], item[0])):
        if name not in paths:
            continue  # who is no bot, and scores all the same: prey
        idea = ideas.get(name) or summary(game, paths[name]).rstrip(".")
        score = figure(usual[name]["score"]) if name in usual else "–"
        between = "–" if row["low"] is None else f"{figure(row['low'])}–{figure(row['high'])}"
        lines.append(f"| `{name}` | {idea} | {score} | {figure(row['score'])} | {between} |")
    return "\n".join(lines)


def rewrite(game: str) -> None:
    """Play, and put the rows where the old ones stood."""
    page = DOCS / f"{game}.md"
    with TemporaryDirectory() as folder:
        usual = standings(game, [f"@{name}" for name in load(game).field], Path(folder, "usual"))
        together = standings(game, [f"@{path.stem}" for path in told_on_the_page(game)], Path(folder, "together"))
    text = page.read_text(encoding="utf-8")
    rows = list(SAMPLE.finditer(text))
    new = table(game, usual, together, text)
    page.write_text(text[: rows[0].start()] + new + text[rows[-1].end() :], encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        rewrite(name)
