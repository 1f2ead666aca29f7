"""`koth sdk`: what an author's tools want to know about koth."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("sdk")
@click.argument("lang", metavar="java")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
def sdk_command(lang: str, folder: Path) -> None:
    """Write the jar of the JVM games' API and a pom.xml to DIR, so that an IDE knows it."""
    from koth.bots.jvm.sdk import write_sdk
    from koth.errors import KothError, choices

    if lang != "java":
        raise KothError(f"there is no sdk for {lang!r}{choices(lang, ['java'])}")
    for path in write_sdk(folder):
        click.echo(path)
