"""`koth hill invite`: accounts for a list of authors, and for each author a link or code that sets a password."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from django.urls import reverse

from koth.cli.screen import echo
from koth.errors import KothError, visible
from koth_hill.authors import find_known, invite_class, make_code, password_link
from koth_hill.connection import Hill
from koth_hill.options import InviteOptions
from koth_hill.site_settings import site_settings


def invite(hill: Hill, names: Sequence[str], options: InviteOptions) -> None:
    """Make authors, and print their links or codes. Raises KothError."""
    if options.codes and options.host:
        raise click.UsageError(
            "leave out --codes, which are for authors: only a host's link is long enough to be safe"
        )
    site = site_settings(hill.folder, options.url)
    text = "\n".join([*names, _read(options.file)])
    for line in find_known(text):
        echo(f"{visible(line)}: the {'code' if options.codes else 'link'} opens this account", err=True)
    authors = invite_class(text, is_host=options.host)
    url, secret = site["SITE_URL"], site["SECRET_KEY"]
    keys = [make_code(author) if options.codes else password_link(author, url, secret) for author in authors]
    if options.codes:
        echo(f"type your code at {url}{reverse('code')}")
    for author, key in zip(authors, keys, strict=True):
        echo(f"{author.name}: {key}")


def _read(file: Path | None) -> str:
    if file is None:
        return ""
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise KothError(f"--file {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise KothError(f"--file {file}: the file is not a text in UTF-8") from None
