"""`koth view`: a replay, or a contest's matches, in the browser."""

from __future__ import annotations

import webbrowser
from pathlib import Path

from koth.cli.screen import echo
from koth.hill.client import is_address
from koth.hill.opening import find_page, is_match, open_matches, open_replay
from koth.viewer.server import serve


def view(word: str, port: int, open_browser: bool, turn: int | None = None) -> None:
    """Serve what `word` names until interrupted; open an address as it is: a site shows its own matches.

    A replay begins at `turn`.
    """
    if is_address(word):
        echo(word)
        if open_browser:
            webbrowser.open(word)
    elif find_page(word) is None:
        serve(Path(word), port, open_browser, turn=turn)
    elif is_match(word):
        with open_replay(word) as path:
            serve(path, port, open_browser, turn=turn)
    else:
        with open_matches(word) as reader:
            serve(reader, port, open_browser)
