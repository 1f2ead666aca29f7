"""Export of a replay as one HTML file with page, game's picture and match, usable without network or server."""

from __future__ import annotations

import html
from pathlib import Path

from koth.diagnostics.rerun import read_run_of
from koth.errors import KothError
from koth.replay.reader import ReplayError
from koth.viewer.frame_cache import read_with_frames
from koth.viewer.listing import listing
from koth.viewer.page_data import ContestTitle, EmbeddedData
from koth.viewer.pages import whole_page
from koth.viewer.summary import find_matches

FRAME_HEIGHT = 640
"""The height of a replay in a notebook, in CSS pixels."""


def export(path: Path) -> str:
    """Return the text of an HTML file that plays the replay at `path`.

    The HTML file may be opened from a disk or embedded in a frame; its policy forbids all requests. Raises
    ReplayError if `path` is not a replay.
    """
    return _page("index.html", "main.js", path)


def film_page(path: Path) -> str:
    """Return the text of a page that shows a requested turn, for films."""
    return _page("film.html", "film.js", path)


class Html(str):
    """Text that a notebook displays as HTML."""

    def _repr_html_(self) -> str:
        return self


def embed(path: Path | str) -> Html:
    """Return the exported page in an `<iframe>`, for another page or the last line of a notebook's cell."""
    text = html.escape(export(Path(path)), quote=True)
    return Html(
        f'<iframe srcdoc="{text}" title="A replay" width="100%" height="{FRAME_HEIGHT}" '
        'style="border: 0" allow="fullscreen"></iframe>'
    )


def _read_contest(replay: Path) -> tuple[list[str], ContestTitle | None]:
    """Return the bots and title of a replay's contest; an empty list and None without a contest."""
    try:
        run = read_run_of(replay)
    except KothError:
        run = None  # not koth's run.json: the replay can still be watched
    if run is None:
        return [], None
    title = ContestTitle(name=replay.absolute().parent.parent.name, started=run["started"])
    return [bot["name"] for bot in run["bots"]], title


def _page(template: str, entry: str, path: Path) -> str:
    if path.is_dir():
        raise ReplayError(f"{path}: one replay is exported at a time, and this is a folder")
    (match,) = find_matches(path)
    entrants, contest = _read_contest(match.path)
    data = EmbeddedData(listing=listing([match], entrants, contest=contest), details=None)
    try:
        return whole_page(template, entry, [match.header["game"]], data, read_with_frames(match.file, match.top))
    except KothError as error:
        raise ReplayError(f"{match.path}: {error}") from None
