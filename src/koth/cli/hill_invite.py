"""`koth hill invite`: authors of a list of names, and a link for each to set a password."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from koth.cli.screen import echo, print_json
from koth.errors import KothError, visible
from koth.hill.authors import link
from koth.hill.connection import Hill
from koth.hill.options import InviteOptions
from koth.hill.people import invite_class
from koth.hill.site_settings import site_settings


def invite(hill: Hill, names: Sequence[str], options: InviteOptions, as_json: bool) -> None:
    """Make authors, and print their links. Raises KothError."""
    site = site_settings(hill.folder, options.url)
    text = "\n".join([*names, _read(options.file)])
    authors = invite_class(text, is_host=options.host)
    links = [
        {"author": author.name, "link": link(author, site["SITE_URL"], site["SECRET_KEY"])} for author in authors
    ]
    if as_json:
        print_json(links)
        return
    for line in links:
        echo(f"{visible(line['author'])}: {line['link']}")


def _read(file: Path | None) -> str:
    """Return the text of a file of names. Raises KothError."""
    if file is None:
        return ""
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise KothError(f"--file {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise KothError(f"--file {file}: not a text in UTF-8") from None
