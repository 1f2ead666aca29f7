"""`koth verify`: is a replay what the rules make of its answers, and a run what was played?"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import NoReturn

import click

from koth.cli.compiling import open_game
from koth.cli.exit_codes import NO, OK
from koth.cli.screen import counted, echo, waiting
from koth.contest.record import read_run
from koth.diagnostics.verdict import verify_replay, verify_run
from koth.errors import visible
from koth.replay.reader import Replay


def verify(path: Path, as_json: bool, seconds: float) -> NoReturn:
    """Say whether a replay, or all that lies in a run's folder, is what was played, and end with the exit code."""
    if path.is_dir():
        _run(path, as_json, seconds)
    replay = Replay(path, seconds)
    game = open_game(replay.header["game"])
    with waiting(f"playing {path.name} again"):
        difference = verify_replay(game, replay)
    if as_json:
        click.echo(json.dumps({"replay": str(path), "ok": difference is None, "difference": difference}))
    elif difference is None:
        echo(f"{path}: verified, everything agrees")
    else:
        echo(f"{path}: {visible(difference)}")
    sys.exit(OK if difference is None else NO)


def _run(folder: Path, as_json: bool, seconds: float) -> NoReturn:
    record = read_run(folder)
    game = open_game(record["game"])
    with waiting(f"playing the matches of {folder.name} again"):
        found = list(verify_run(folder, game, seconds))
    matches = sum(what.startswith("match ") for what, _ in found)
    wrong = [(what, difference) for what, difference in found if difference is not None]
    if as_json:
        differences = [{"what": what, "difference": difference} for what, difference in wrong]
        click.echo(json.dumps({"run": str(folder), "ok": not wrong, "matches": matches, "differences": differences}))
    else:
        for what, difference in wrong:
            echo(f"{folder}: {what}: {visible(difference)}")
        if not wrong:
            untold = "" if record["revealed"] else ": its secret is not revealed yet"
            until = "" if record["secret"] else f" (it is not over{untold})"
            echo(f"{folder}: verified, {counted(matches, 'match', 'matches')}{until}")
    sys.exit(NO if wrong else OK)
