"""Commands of other packages: entry points of the group `koth.commands`, loaded when they are needed."""

from __future__ import annotations

import click

from koth.errors import KothError
from koth.extras import find_entry_points, install_command, load_entry_point

GROUP = "koth.commands"
"""An entry point's name is the command's, its object a `click.Command`."""
OWN = {"hill": "hill", "study": "studies", "worker": "cluster"}
"""The commands of koth's own other packages, and the packages."""


def find_names() -> list[str]:
    """Return the names of the commands that installed packages bring."""
    return find_entry_points(GROUP)


def load_command(name: str) -> click.Command | None:
    """Return the command of this name from the package that brings it; None for an unknown name.

    Raises KothError if the package is not installed, or fails.
    """
    command = load_entry_point(GROUP, name)
    if command is None:
        if name in OWN:
            raise KothError(f"koth {name} is in another package of koth: {install_command(OWN[name])}")
        return None
    if not isinstance(command, click.Command):
        raise KothError(f"the entry point {name} of the group {GROUP} is no click.Command")
    return command


def load_or_explain(name: str) -> click.Command:
    """Return a command for the list of commands; if its package fails, the list says so."""
    try:
        command = load_command(name)
    except KothError as error:
        return click.Command(name, short_help=str(error))
    return command or click.Command(name)
