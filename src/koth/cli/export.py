"""`koth export`: a replay as one file for other people: a page, a GIF, an MP4."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

KINDS = ("html", "gif", "mp4")


@click.command("export")
@click.argument("path", type=click.Path(path_type=Path), metavar="REPLAY")
@click.argument("out", type=click.Path(path_type=Path), required=False)
@click.option("--gif", "kind", flag_value="gif", help="A moving picture (needs the extra film and a Chromium).")
@click.option("--mp4", "kind", flag_value="mp4", help="A film (needs the same).")
@click.option("--from", "first", type=click.IntRange(0), default=0, help="Film from this turn on.")
@click.option("--to", "last", type=click.IntRange(0), help="Film up to this turn.")
@click.option("--speed", type=click.FloatRange(0.1, 1000), help="Turns a second (default: 20 seconds at most).")
@click.option("--size", default="960x540", show_default=True, metavar="WxH", help="Pixels of the film.")
@click.option("--light", is_flag=True, help="Film in light colours.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def export_command(path: Path, out: Path | None, kind: str | None, force: bool, **film: Any) -> None:
    """Write a replay to OUT: one page that plays it anywhere, offline, or a film of it.

    What is written is said by --gif and --mp4, or by OUT's ending (.html, .gif, .mp4). Without OUT the file
    gets the replay's name and lies here.
    """
    from koth.errors import KothError
    from koth.replay import SUFFIX
    from koth.viewer.export import export

    kind = _kind(out, kind)
    out = out or Path(path.name.removesuffix(SUFFIX) + f".{kind}")
    if out.exists() and not force:
        raise KothError(f"{out} is there already; --force writes over it")
    if kind == "html":
        text = export(path)
        try:
            out.write_text(text, encoding="utf-8")
        except OSError as error:
            raise KothError(f"{out}: {error.strerror}") from None
    else:
        _film(path, out, kind, film)
    click.echo(f"{out}  ({out.stat().st_size / 1e6:.1f} MB)")


def _kind(out: Path | None, kind: str | None) -> str:
    """What to write, as the option or the name says."""
    if out is None:
        return kind or "html"
    ending = out.suffix.lower().lstrip(".")
    if ending not in KINDS or (kind and kind != ending):
        wanted = f".{kind}" if kind else ".html, .gif or .mp4"
        raise click.UsageError(f"what is written is to end with {wanted}, not {out.name!r}")
    return ending


def _film(path: Path, out: Path, kind: str, options: dict[str, Any]) -> None:
    from rich.progress import Progress

    from koth.cli.screen import errors
    from koth.viewer.film import Shot, film

    size = re.fullmatch(r"(\d{2,4})x(\d{2,4})", options["size"])
    width, height = (int(size[1]), int(size[2])) if size else (0, 0)
    if width < 64 or height < 64 or width % 2 or height % 2:
        raise click.UsageError(f"--size wants WIDTHxHEIGHT, even numbers from 64 on, not {options['size']!r}")
    shot = Shot(options["first"], options["last"], options["speed"], width, height, dark=not options["light"])
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task("filming", total=None)
        film(path, out, kind, shot, lambda done, total: bar.update(task, completed=done, total=total))
