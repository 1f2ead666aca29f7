"""`koth view`: a replay, or a contest's matches, in the browser."""

from __future__ import annotations

from pathlib import Path

from koth.cli.screen import echo
from koth.remote.site import is_address
from koth.services.opening import find_page, is_match, open_matches, open_replay
from koth.viewer.server import open_in_browser, serve


def view(path: str, turn: int | None, port: int) -> None:
    """Serve the matches at `path` until interrupted; open an address in the browser: a site shows its own matches.

    Show a replay from `turn` on.
    """
    if is_address(path):
        echo(path)
        open_in_browser(path)
    elif find_page(path) is None:
        serve(Path(path), port, turn=turn)
    elif is_match(path):
        with open_replay(path) as file:
            serve(file, port, turn=turn)
    else:
        with open_matches(path) as reader:
            serve(reader, port)
