"""Contests from outside, played by koth with their bots unchanged, and compared with their own hosts.

    python -m scripts.outside FOLDER [--colour CLONE] [--ants CLONE]

FOLDER has Axelrod's library (`library`), and a Python that can import all of it (`axelrod`); `make outside` makes
both. The clones are of github.com/nobleans-playground/coding-challenge-colour-battle with its submodules, and of
github.com/aichallenge/aichallenge, whose bots need python2.7. Each comparison fails where koth's results differ from
the contest's own by more than chance explains.
"""

from __future__ import annotations

import argparse
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
from koth.replay.names import replay_name

HERE = Path(__file__).parent
ROUNDS, REPETITIONS = 5, 10
"""Matches of each pair of strategies in koth, and in Axelrod's own tournament."""
MATCHES, TURNS = 16, 500
"""Matches of Colour Battle, and their turns; the contest's final had 50,000 of 2,000."""
LEAST = 0.99
"""The least rank correlation with Axelrod's own tournament."""
ANTS_MATCHES, ANTS_TURNS = 32, 200
"""Matches of each of the four bots of Ants, and their turns."""
MOST = 4.0
"""The most standard errors between two means of a bot in Colour Battle."""


def played(
    game: str, folder: Path, grants: dict[str, str], *options: str, bots: Path | None = None, replays: str = "none"
) -> tuple[Any, str]:
    """Play a contest of bots with the variables `grants`; return it, and processor seconds of a match in words."""
    run = folder / game
    shutil.rmtree(run, ignore_errors=True)
    words = ["run", game, str(bots or HERE / f"{game}_bots"), "--seed", "1", "--out", str(run), "--replays", replays]
    before = _seconds()
    command = [sys.executable, "-m", "koth", *words, *options, "--start-timeout", "120"]
    subprocess.run(command, check=True, env=os.environ | grants)
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
    run, cost = played("ipd", folder, {"KOTH_ALLOW_READ": str(folder / "library")}, "--round-robin", str(ROUNDS))
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
    run, cost = played("colour", folder, {"KOTH_ALLOW_READ": str(clone)}, *limits)
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


def ants(folder: Path, clone: Path) -> bool:
    """Compare four bots of the kit of Ants in each match; return whether both agree."""
    bots, python = folder / "ants-bots", shutil.which("python2.7")
    if python is None:
        raise SystemExit("the bots of Ants need python2.7")
    python = _output(folder, python, "-c", "import sys; print(sys.executable)")
    shutil.copytree(clone / "ants/dist/sample_bots/python", bots, dirs_exist_ok=True)
    shutil.copy(HERE / "ants_bots/koth.toml", bots)
    limits = ("--matches", str(ANTS_MATCHES), "--set", f"turns={ANTS_TURNS}")
    grants = {"KOTH_INTERPRETERS": f"python2.7={python}"}
    run, cost = played("ants", folder, grants, *limits, "--jobs", "1", bots=bots, replays="answers")
    own = json.loads(
        _output(folder, sys.executable, HERE / "ants_reference.py", clone, folder / "ants", bots, python)
    )
    ours = {replay_name(match.number): match.scores for match in run.matches}
    equal = sum(ours[name] == scores for name, scores in own["scores"].items())
    print(f"Ants: {equal} of {len(ours)} matches have equal scores with the same dice")
    print(f"{cost}, {own['seconds'] / len(ours):.2f} of its own engine and host")
    means = [
        [np.mean([match[bot] for match in played.values() if bot in match]) for bot in sorted(run.bots)]
        for played in (ours, own["others"])
    ]
    print(f"with its own dice: rank correlation {spearmanr(*means).statistic:.2f}, mean scores {np.round(means, 2)}")
    return equal == len(ours) > 0


def _output(folder: Path, *words: object) -> str:
    """Return the last line that a program prints: bots print others."""
    done = subprocess.run([*map(str, words)], cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.splitlines()[-1]


def main() -> int:
    """Compare the contests whose clones are given, or Axelrod's; return 1 if one does not agree."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--colour", type=Path)
    parser.add_argument("--ants", type=Path)
    given = parser.parse_args()
    folder = given.folder.resolve()
    agreed = [] if given.colour or given.ants else [ipd(folder)]
    agreed += [colour(folder, given.colour.resolve())] if given.colour else []
    agreed += [ants(folder, given.ants.resolve())] if given.ants else []
    return 0 if all(agreed) else 1


if __name__ == "__main__":
    sys.exit(main())
