"""`koth export`: a replay as a page, a GIF or an MP4, and a contest as a site of plain files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import click

from koth.cli.screen import echo, waiting
from koth.contest.reading import PUBLIC
from koth.replay.names import SUFFIX
from koth.services.export import Exported, export_film, export_page, export_site
from koth.services.opening import is_match, open_matches, open_replay
from koth.services.options import ExportOptions
from koth.viewer.film import Shot

KINDS = (".html", ".gif", ".mp4")


def export(path: str, out: Path | None, options: ExportOptions) -> None:
    """Write the replay at `path` in the format of `out`'s ending, or the contest at `path` as a site."""
    if not is_match(path):
        _write_site(path, out, options)
        return
    kind = ".html" if out is None else out.suffix.lower()
    if kind not in KINDS:
        raise click.UsageError(f"the file's name must end with .html, .gif or .mp4, not {str(out)!r}")
    with open_replay(path) as replay:
        out = out or Path(replay.name.removesuffix(SUFFIX) + kind)
        if kind == ".html":
            _print_exported(export_page(replay, out))
        else:
            _write_film(replay, out, kind.lstrip("."), options)


def _write_site(word: str, out: Path | None, options: ExportOptions) -> None:
    if out is None:
        raise click.UsageError("name a folder for the site: koth export RUN FOLDER")
    if out.suffix.lower() in KINDS:
        raise click.UsageError(f"name a folder for a contest, not {out}: {out.suffix} is for one match's replay")
    with open_matches(word, PUBLIC) as reader, waiting("writing", plain=False) as doing:
        written = export_site(reader, out, partial(_show_progress, doing, "writing"), options.title, options.text)
    echo(f"{written.file}  ({written.files} files, {written.size / 1e6:.1f} MB)")


def _show_progress(doing: Callable[[str], None], what: str, done: int, total: int) -> None:
    doing(f"{what}: {done:,} of {total:,}")


def _print_exported(written: Exported) -> None:
    echo(f"{written.file}  ({written.size / 1e6:.1f} MB)")


def _write_film(path: Path, out: Path, kind: str, options: ExportOptions) -> None:
    shot = Shot(options.first, options.last)
    with waiting("filming", plain=False) as doing:
        written = export_film(path, out, kind, shot, partial(_show_progress, doing, "filming"))
    _print_exported(written)
