"""`koth publish`: a contest as a site of plain files."""

from __future__ import annotations

from pathlib import Path

from rich.progress import Progress

from koth.cli.screen import echo, errors
from koth.viewer.publish import INDEX
from koth.viewer.publish import publish as write_site


def publish(run: Path, out: Path) -> None:
    """Write the site and say where it is."""
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task("writing pages", total=None)
        write_site(run, out, lambda done, total: bar.update(task, completed=done, total=total))
    files = [file for file in out.rglob("*") if file.is_file()]
    size = sum(file.stat().st_size for file in files) / 1e6
    echo(f"{out / INDEX}  ({len(files)} files, {size:.1f} MB)")
