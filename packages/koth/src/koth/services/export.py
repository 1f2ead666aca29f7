"""Exports: a replay as a page or film, and a contest as a site of plain files."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from koth.contest.reading import MatchReader
from koth.errors import KothError
from koth.files.atomic_write import replace_file
from koth.viewer.export import export as page_of
from koth.viewer.film import Shot, film
from koth.viewer.publish import INDEX, SiteWords, publish

OnProgress = Callable[[int, int], None]
"""A callback with the number of finished parts and the number of all parts."""


@dataclass(frozen=True)
class Exported:
    """A finished export: the file to open, the number of files, and their size in bytes."""

    file: Path
    files: int
    size: int


def export_site(
    reader: MatchReader,
    out: Path,
    on_progress: OnProgress = lambda done, total: None,
    title: str = "",
    text: str = "",
) -> Exported:
    """Write a contest as a site of plain files to the folder `out`: new, empty, or an earlier site.

    The site shows the host's title and text; addresses in the text become links. It contains everything that the
    reader's audience may see, so the reader should be the public's. Raises KothError.
    """
    publish(reader, out, on_progress, SiteWords(title, text))
    files = [file for file in out.rglob("*") if file.is_file()]
    return Exported(out / INDEX, len(files), sum(file.stat().st_size for file in files))


def export_page(replay: Path, out: Path) -> Exported:
    """Write a replay as one page. Raises KothError."""
    _check_new(out)
    text = page_of(replay)
    try:
        with replace_file(out) as part:
            part.write_text(text, encoding="utf-8")
    except OSError as error:
        raise KothError(f"{out}: {error.strerror}") from None
    return Exported(out, 1, out.stat().st_size)


def export_film(
    replay: Path,
    out: Path,
    kind: str,
    shot: Shot,
    on_progress: OnProgress = lambda done, total: None,
) -> Exported:
    """Write a replay as a film; `kind` is "gif" or "mp4". Raises KothError."""
    _check_new(out)
    film(replay, out, kind, shot, on_progress)
    return Exported(out, 1, out.stat().st_size)


def _check_new(out: Path) -> None:
    if os.path.lexists(out):
        raise KothError(f"{out} is there already; choose another name")
