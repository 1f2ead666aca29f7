"""Two contests from outside, played by koth with their bots unchanged, and compared with their own hosts.

    python -m scripts.outside FOLDER [COLOUR]

FOLDER has Axelrod's library (`library`), and a Python that can import all of it (`axelrod`); `make outside` makes
both. COLOUR is a clone of github.com/nobleans-playground/coding-challenge-colour-battle with its submodules. Each
comparison fails where koth's results differ from the contest's own by more than chance explains.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

import koth

HERE = Path(__file__).parent
ROUNDS, REPETITIONS = 5, 10
"""Matches of each pair of strategies in koth, and in Axelrod's own tournament."""
MATCHES, TURNS = 16, 500
"""Matches of Colour Battle, and their turns; the contest's final had 50,000 of 2,000."""
LEAST = 0.99
"""The least rank correlation with Axelrod's own tournament."""
MOST = 4.0
"""The most standard errors between two means of a bot in Colour Battle."""


def played(game: str, folder: Path, library: Path, *options: str) -> tuple[Any, str]:
    """Play a contest of bots that read `library`; return it, and the processor seconds of a match in words."""
    run = folder / game
    shutil.rmtree(run, ignore_errors=True)
    words = ["run", game, str(HERE / f"{game}_bots"), "--seed", "1", "--out", str(run), "--replays", "none", *options]
    before = _seconds()
    environment = os.environ | {"KOTH_ALLOW_READ": str(library)}
    subprocess.run([sys.executable, "-m", "koth", *words, "--start-timeout", "120"], check=True, env=environment)
    with contextlib.closing(sqlite3.connect(run / "results.sqlite")) as results:
        matches, bots = results.execute("select count(distinct match), sum(start + charged) from timings").fetchone()
    each = f"{(_seconds() - before) / matches:.2f} of koth and {bots / matches:.2f} of its bots"
    return koth.open_run(run), f"processor seconds a match: {each}"


def _seconds() -> float:
    """Return the processor seconds of the ended processes that were started here: bots are not part of them."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ipd(folder: Path) -> bool:
    """Compare 40 strategies of Axelrod's library; return whether both agree."""
    run, cost = played("ipd", folder, folder / "library", "--round-robin", str(ROUNDS))
    python, bots = folder / "axelrod" / "bin" / "python", HERE / "ipd_bots" / "koth.toml"
    own = json.loads(_output(folder, python, HERE / "ipd_reference.py", bots, REPETITIONS))
    names = list(own["scores"])
    ours = [run.standings[name].score for name in names]
    theirs = [own["scores"][name] for name in names]
    rank = float(spearmanr(ours, theirs).statistic)
    largest = max(range(len(names)), key=lambda at: abs(ours[at] - theirs[at]))
    print(f"prisoner's dilemma: {len(names)} strategies, rank correlation {rank:.4f}")
    print(f"largest difference: {abs(ours[largest] - theirs[largest]):.3f} points a turn ({names[largest]})")
    pairs = {frozenset(pair[:2]): dict(zip(pair[:2], pair[2:], strict=True)) for pair in own["pairs"]}
    still = [match.scores for match in run.matches if frozenset(match.scores) in pairs]
    equal = [scores for scores in still if _same(scores, pairs[frozenset(scores)])]
    print(f"{len(pairs)} pairs without dice: {len(equal)} of {len(still)} matches equal")
    print(f"{cost}, {own['seconds'] / own['matches']:.4f} of Axelrod (pairs without dice once)")
    return rank >= LEAST and len(equal) == len(still) > 0


def _same(ours: dict[str, float], theirs: dict[str, float]) -> bool:
    return all(np.isclose(ours[name], theirs[name], rtol=0, atol=1e-9) for name in theirs)


def colour(folder: Path, clone: Path) -> bool:
    """Compare 18 bots of Colour Battle; return whether both agree."""
    bots, set_turns = HERE / "colour_bots" / "koth.toml", f"turns={TURNS}"
    limits = ("--matches", str(MATCHES), "--set", set_turns)
    run, cost = played("colour", folder, clone, *limits)
    own = json.loads(_output(clone, sys.executable, HERE / "colour_reference.py", bots, MATCHES, TURNS))
    names = list(own["scores"])
    shares = np.array([[match.scores[name] for name in names] for match in run.matches])
    ours, error = shares.mean(axis=0), shares.std(axis=0, ddof=1) / len(shares) ** 0.5
    theirs, their_error = np.array([own["scores"][name] for name in names]).T
    apart = np.abs(ours - theirs) / np.hypot(error, their_error)
    print(f"Colour Battle: {len(names)} bots, rank correlation {spearmanr(ours, theirs).statistic:.3f}")
    print(
        f"differences: {np.sqrt((apart**2).mean()):.2f} standard errors (root mean square), {apart.max():.2f} at most"
    )
    print(f"{cost}, {own['seconds'] / MATCHES:.2f} of its own controller with the bots")
    return float(apart.max()) <= MOST


def _output(folder: Path, *words: object) -> str:
    """Return the last line that a program prints: bots print others."""
    done = subprocess.run([*map(str, words)], cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.splitlines()[-1]


def main(folder: Path, clone: Path | None = None) -> int:
    """Compare both contests; return 1 if one does not agree."""
    agreed = [ipd(folder.resolve())] + ([colour(folder.resolve(), clone.resolve())] if clone else [])
    return 0 if all(agreed) else 1


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:3])))
