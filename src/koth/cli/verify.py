"""`koth verify`: is a replay what the rules make of its answers?"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import NoReturn

import click

from koth.cli.screen import open_game, waiting
from koth.replay import Replay
from koth.replay import verify as play_again
from koth.settings import from_header


def verify(path: Path, as_json: bool) -> NoReturn:
    """Play a replay's match again, say whether every turn agrees, and end with the exit code."""
    replay = Replay(path)
    game = open_game(replay.header["game"])
    with waiting(f"playing {path.name} again"):
        difference = play_again(game, replay, from_header(game, replay.header))
    if as_json:
        click.echo(json.dumps({"replay": str(path), "ok": difference is None, "difference": difference}))
    elif difference is None:
        click.echo(f"{path}: verified, every turn agrees")
    else:
        click.echo(f"{path}: {difference}")
    sys.exit(0 if difference is None else 1)
