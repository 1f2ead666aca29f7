"""The command that serves a hill's site."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from koth.cli.commands.group import cli
from koth.cli.commands.hills import directory, hill_group, in_hill

if TYPE_CHECKING:
    from koth.hill.connection import Hill


@cli.command("serve", short_help="Serve the site of a hill.")
@directory
@click.option(
    "--url",
    metavar="URL",
    help="The address by which people reach the site, https://NAME behind a proxy "
    "(default: http://127.0.0.1 and the port).",
)
@click.option("--host", metavar="ADDRESS", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="The port to listen on (default: a free one).",
)
@click.option(
    "--proxy",
    metavar="ADDRESS",
    help="The TLS proxy's address: the site trusts its headers about visitors (default with https: 127.0.0.1).",
)
@click.option("--plain-http", is_flag=True, help="Accept that passwords can be read on the network.")
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
def serve_command(
    folder: Path,
    url: str | None,
    host: str,
    port: int,
    proxy: str | None,
    plain_http: bool,
    no_open: bool,
) -> None:
    """Serve the site of the hill in DIR until Ctrl-C: everybody can watch, authors send bots, the host moderates.

    The site plays nothing: run `koth hill run DIR`, too. While no host has an account, the command prints a link that
    makes the first host's account; `koth hill invite --host` makes more.
    """
    from koth.hill.site.serve import SiteAddress, serve
    from koth.viewer.server import print_address

    serve(folder, SiteAddress(url, host, port, proxy, plain_http), not no_open, print_address)


@hill_group.command("wheel", short_help="Make the wheel of this koth, for a hill that runs from a checkout.")
@in_hill
def wheel_command(hill: Hill) -> None:
    """Write the wheel of this koth to the hill in DIR: authors get the same koth from the hill's site.

    A koth that was installed from a wheel or by `pip install .` needs no such file.
    """
    from koth.hill.wheel import write

    click.echo(write(hill.folder))
