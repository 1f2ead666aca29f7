"""Matches that a path or an address names: of a run, of a hill's folder, or of a hill's site.

A hill's folder, or its site's address alone, means its current season; DIR/seasons/2 is a season, DIR/seasons/2/final
its final, and DIR/matches/7 a match, like the addresses of the site's pages.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from koth.contest.reading import HOST, Audience, MatchReader
from koth.contest.results import replay_place
from koth.contest.run_reader import RunReader
from koth.errors import KothError
from koth.escaping import path_word
from koth.extras import find_entry_points, install_command, load_entry_point
from koth.remote.season import RemoteSeason
from koth.remote.site import Site, is_address

READERS = "koth.readers"
"""The group of entry points that open folders of other kinds; their names are the files that mark such folders."""
RECORD = "hill.json"
"""The file that marks a hill's folder."""
PAGE = re.compile(
    r"(?P<top>.+?)/(?:matches/(?P<match>[0-9]{1,18})|seasons/(?P<season>[0-9]{1,18})(?P<final>/final)?)/?"
)


@dataclass(frozen=True)
class Page:
    """A page of a hill: the hill's folder or address, and the number of a season (or of its final) or of a match.

    Folders that other packages read have the same pages.
    """

    hill: str
    season: int | None = None
    match: int | None = None
    is_final: bool = False
    mark: str = ""
    """The name of the file by which a package reads the folder; empty for an address."""


def find_page(word: str) -> Page | None:
    """Return the page of a hill that a path or an address names; None for a path that is not in a hill.

    Raises KothError for an address of another page.
    """
    found = None if not is_address(word) and os.path.lexists(word) else PAGE.fullmatch(word)
    if found is not None and (mark := _find_mark(found["top"])) is not None:
        season, match = (None if found[key] is None else int(found[key]) for key in ("season", "match"))
        return Page(found["top"], season, match, found["final"] is not None, mark)
    if is_address(word) and urlsplit(word).path.strip("/"):
        raise KothError(f"name a match or a season, such as https://koth.example.org/matches/7, not {word}")
    mark = _find_mark(word)
    return None if mark is None else Page(word, mark=mark)


def _find_mark(place: str) -> str | None:
    """Return the `mark` of a place's pages; None for a run's folder, or no folder."""
    if is_address(place):
        return ""
    marks = (RECORD, *find_entry_points(READERS)) if os.path.isdir(place) else ()
    return next((name for name in marks if os.path.lexists(Path(place) / name)), None)


def is_match(word: str) -> bool:
    """Return whether a word names one match: a file, or a match of a hill."""
    page = find_page(word)
    return not os.path.isdir(word) if page is None else page.match is not None


@contextmanager
def open_matches(word: str, audience: Audience = HOST) -> Iterator[MatchReader]:
    """Open the matches of a run, a season or a site for reading; a site decides what this visitor may see.

    Raises KothError.
    """
    page = find_page(word)
    if page is None:
        yield RunReader(Path(word), audience)
    elif page.match is not None:
        raise KothError(f"name the hill, {page.hill}, or a season, {page.hill}/seasons/1: {word} is a match")
    elif is_address(word):
        with RemoteSeason.open(Site(page.hill), page.season, page.is_final) as reader:
            yield reader
    else:
        open_folder = load_entry_point(READERS, page.mark)
        if open_folder is None:
            raise KothError(f"{page.hill} is a hill, which another package of koth reads: {install_command('hill')}")
        with open_folder(Path(page.hill), page.season, page.is_final, audience) as reader:
            yield reader


@contextmanager
def open_replay(word: str) -> Iterator[Path]:
    """Yield the path of a replay: a file, or a match in a hill's folder or on its site. Raises KothError."""
    page = find_page(word)
    if page is None:
        if Path(word).is_dir():
            raise KothError(f"name a match, such as {path_word(Path(word) / replay_place(1))}: {word} is a folder")
        yield Path(word)
        return
    if page.match is None:
        raise KothError(f"name a match, such as {word.rstrip('/')}/matches/7: {word} has many")
    with open_matches(page.hill) as reader:
        path = reader.replay(page.match)
        if path is None:
            raise KothError(f"{word}: this match has no replay, or is not over")
        yield path
