"""`koth hill init` and `submit`."""

from __future__ import annotations

from pathlib import Path

import click

from koth.cli.screen import echo, program
from koth.discovery.entrants import find_only
from koth.engine.settings import choose_variants
from koth.escaping import shell_word
from koth.games import load
from koth.sandbox.levels import choose_level
from koth_hill.connection import Hill, create_hill
from koth_hill.options import InitOptions, SubmitOptions


def init(game: str, folder: Path, options: InitOptions) -> None:
    """Make a hill."""
    rules = load(game)
    ruleset, values, _ = choose_variants(rules, options.ruleset, options.settings)
    seats = options.seats
    if seats is not None and seats not in rules.seats:
        raise click.UsageError(
            f"--seats {seats}: choose {rules.seats.start} to {rules.seats.stop - 1} seats for {game}"
        )
    with create_hill(
        Hill(folder, game, seats, options.matches_a_day, options.replays, options.keep_days, options.database)
    ):
        from koth_hill import registry  # its models need the hill

        season = registry.begin_season(rules, ruleset, values, options.rank_by)
    echo(f"{folder}: a hill for {game} ({ruleset}), season {season.pk}, commitment {season.commitment}")
    echo(f"send it bots: {program()} hill submit {shell_word(folder)} BOT --author NAME")


def submit(hill: Hill, word: str, options: SubmitOptions) -> None:
    """Put a bot into the hill."""
    game = load(hill.game)
    isolation = choose_level(options.isolation)
    found = find_only(game, word, options.grants, isolation, "submit one at a time")
    from koth_hill import registry  # its models need the hill

    version = registry.submit(game, found, options.author)
    text = f"version {version.number}, digest {version.digest}: received, plays after its check"
    echo(f"{version.bot.name}, {text}")
