"""The command `koth study`, found by koth as an entry point; `cli.py` carries it out."""

from __future__ import annotations

import click

from koth.cli.commands.group import runs
from koth.cli.commands.options import FILE, json_option


@click.command("study", short_help="Let programs write bots.")
@click.argument("file", type=FILE)
@json_option("Print all rows as one JSON object, and nothing else, to stdout.")
@runs("koth_studies.cli.study")
def study() -> None:
    """Play the study that FILE (NAME.toml) describes, or its missing parts, and print the study's tables.

    In each round every author's command changes the author's bot; then all bots play, and each bot is measured among
    bots that do not change. The results are in the folder NAME beside FILE. Ctrl-C, SIGTERM and SIGKILL lose nothing:
    the same command continues; more rounds or repetitions in FILE extend the study.

    The commands run as you: unless FILE sets author_isolation, they can do whatever you can on this machine.
    """
