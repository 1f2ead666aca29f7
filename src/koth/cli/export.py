"""`koth export`: a replay as a page, a GIF or an MP4, and a contest as a site of plain files."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TypedDict

import click
from rich.progress import Progress

from koth.cli.screen import echo, errors
from koth.errors import KothError
from koth.files.atomic_write import replaced
from koth.replay.names import SUFFIX
from koth.viewer.export import export as page_of
from koth.viewer.film import Shot, film
from koth.viewer.publish import INDEX, publish

KINDS = ("html", "gif", "mp4")


class FilmOptions(TypedDict):
    """Options of a film: `first` and `last` in turns, `speed` in turns a second, `size` as WxH."""

    first: int
    last: int | None
    speed: float | None
    size: str
    light: bool
    notes: bool


def export(path: Path, out: Path | None, kind: str | None, force: bool, options: FilmOptions) -> None:
    """Write the replay at `path` as what `kind` or the ending of `out` says."""
    if path.is_dir():
        _site(path, out, kind)
        return
    kind = _kind(out, kind)
    if options["notes"] and kind != "html":
        raise click.UsageError("--notes goes with a page, not with a film")
    out = out or Path(path.name.removesuffix(SUFFIX) + f".{kind}")
    if os.path.lexists(out) and not force:
        raise KothError(f"{out} is there already; --force writes over it")
    if kind == "html":
        _write(out, page_of(path, options["notes"]))
    else:
        _film(path, out, kind, options)
    echo(f"{out}  ({out.stat().st_size / 1e6:.1f} MB)")


def _site(run: Path, out: Path | None, kind: str | None) -> None:
    """Write the contest in the folder `run` as a site, and say where it is."""
    if kind is not None:
        raise click.UsageError(f"--{kind} goes with a replay, not with the folder of a run")
    if out is None:
        raise click.UsageError("where to? say: koth export RUN FOLDER")
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task("writing pages", total=None)
        publish(run, out, lambda done, total: bar.update(task, completed=done, total=total))
    files = [file for file in out.rglob("*") if file.is_file()]
    size = sum(file.stat().st_size for file in files) / 1e6
    echo(f"{out / INDEX}  ({len(files)} files, {size:.1f} MB)")


def _write(out: Path, text: str) -> None:
    try:
        with replaced(out) as part:
            part.write_text(text, encoding="utf-8")
    except OSError as error:
        raise KothError(f"{out}: {error.strerror}") from None


def _kind(out: Path | None, kind: str | None) -> str:
    """Return the kind of file to write, by the option or the name of the file."""
    if out is None:
        return kind or "html"
    ending = out.suffix.lower().lstrip(".")
    if ending not in KINDS or (kind and kind != ending):
        wanted = f".{kind}" if kind else ".html, .gif or .mp4"
        raise click.UsageError(f"what is written is to end with {wanted}, not {out.name!r}")
    return ending


def _film(path: Path, out: Path, kind: str, options: FilmOptions) -> None:
    size = re.fullmatch(r"(\d{2,4})x(\d{2,4})", options["size"])
    width, height = (int(size[1]), int(size[2])) if size else (0, 0)
    if width < 64 or height < 64 or width % 2 or height % 2:
        raise click.UsageError(f"--size wants WIDTHxHEIGHT, even numbers from 64 on, not {options['size']!r}")
    shot = Shot(options["first"], options["last"], options["speed"], width, height, dark=not options["light"])
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task("filming", total=None)
        film(path, out, kind, shot, lambda done, total: bar.update(task, completed=done, total=total))
