"""`koth view`, `koth watch`, `koth verify`: what to do with a replay."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click


@click.command("view")
@click.argument("path", type=click.Path(path_type=Path), metavar="REPLAY|DIR")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Which port (default: a free one).")
@click.option("--no-open", is_flag=True, help="Print the address, do not open a browser.")
def view_command(path: Path, port: int, no_open: bool) -> None:
    """Watch a replay, or the matches of a run's folder, in the browser.

    The page is served to this machine only, until Ctrl-C.
    """
    from koth.viewer.server import serve

    serve(path, port=port, open_browser=not no_open)


@click.command("watch")
@click.argument("path", type=click.Path(path_type=Path), metavar="REPLAY")
@click.option("--speed", type=click.FloatRange(0.1, 1000), default=10.0, show_default=True, help="Turns a second.")
@click.option("--from", "start", type=click.IntRange(0), default=0, help="Begin at this turn.")
def watch_command(path: Path, speed: float, start: int) -> None:
    """Watch a replay in the terminal (space: pause, arrows: step, q: leave)."""
    from koth.viewer.terminal import watch

    watch(path, speed=speed, start=start)


@click.command("verify")
@click.argument("path", type=click.Path(path_type=Path), metavar="REPLAY")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def verify_command(path: Path, as_json: bool) -> None:
    """Play a replay's match again from its seed and answers, and compare every turn.

    Exit code 0: it is what the rules make of these answers; 1: the first turn that differs is printed.
    """
    from koth.cli.screen import open_game, waiting
    from koth.replay import Replay, verify
    from koth.settings import from_header

    replay = Replay(path)
    game = open_game(replay.header["game"])
    with waiting(f"playing {path.name} again"):
        difference = verify(game, replay, from_header(game, replay.header))
    if as_json:
        click.echo(json.dumps({"replay": str(path), "ok": difference is None, "difference": difference}))
    elif difference is None:
        click.echo(f"{path}: verified, every turn agrees")
    else:
        click.echo(f"{path}: {difference}")
    sys.exit(0 if difference is None else 1)
