"""`koth sdk`: what an author's tools want to know about koth."""

from __future__ import annotations

from pathlib import Path

import click

from koth.build.jvm.sdk import write_sdk
from koth.errors import KothError, choices


def sdk(lang: str, folder: Path) -> None:
    """Write the API's jar and a pom.xml to `folder`, and say which files that are."""
    if lang != "java":
        raise KothError(f"there is no sdk for {lang!r}{choices(lang, ['java'])}")
    for path in write_sdk(folder):
        click.echo(path)
