"""Export of a replay as one HTML file with page, game's picture and match, usable without network or server."""

from __future__ import annotations

import html
from pathlib import Path

from koth.contest.run_reader import RunReader
from koth.diagnostics.rerun import read_run_of
from koth.errors import KothError
from koth.replay.names import match_number
from koth.replay.reader import ReplayError, run_folder_of
from koth.viewer.contest import make_details
from koth.viewer.frame_cache import read_with_frames
from koth.viewer.listing import listing
from koth.viewer.page_data import ContestTitle, EmbeddedData, MatchDetails
from koth.viewer.pages import whole_page
from koth.viewer.summary import MatchSummary, find_matches

FRAME_HEIGHT = 640
"""The height of a replay in a notebook, in CSS pixels."""


def export(path: Path, notes: bool = False) -> str:
    """Return the text of an HTML file that plays the replay at `path`; with `notes`, also bots' notes and drawings.

    The HTML file may be opened from a disk or embedded in a frame; its policy forbids all requests. Raises
    ReplayError if `path` is not a replay, or with `notes` not in a run's folder.
    """
    match = _find_match(path)
    return _page("index.html", "main.js", match, _read_notes(match) if notes else None)


def film_page(path: Path) -> str:
    """Return the text of a page that shows a requested turn, for films."""
    return _page("film.html", "film.js", _find_match(path))


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


def _find_match(path: Path) -> MatchSummary:
    if path.is_dir():
        raise ReplayError(f"{path}: one replay is exported at a time, and this is a folder")
    return find_matches(path)[0]


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


def _read_notes(match: MatchSummary) -> MatchDetails:
    """Return the bots' notes and drawings of a match. Raises KothError."""
    number, folder = match_number(match.name), run_folder_of(match.path)
    if number is None or folder is None:
        raise ReplayError(f"{match.path}: only replays in the folder of a run have notes")
    reader = RunReader(folder)
    logs = {bot["name"]: reader.logs(number, bot["name"]) for bot in match.header["bots"]}
    return {**make_details([], logs), "stderr": {}}


def _page(template: str, entry: str, match: MatchSummary, details: MatchDetails | None = None) -> str:
    entrants, contest = _read_contest(match.path)
    found = listing([match], entrants, lambda name: details is not None, contest)
    data = EmbeddedData(listing=found, details=details)
    try:
        return whole_page(template, entry, [match.header["game"]], data, read_with_frames(match.file, match.top))
    except KothError as error:
        raise ReplayError(f"{match.path}: {error}") from None
