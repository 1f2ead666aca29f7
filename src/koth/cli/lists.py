"""`koth games` and `koth bots`: what there is."""

from __future__ import annotations

import json

import click
from rich.table import Table

from koth.bots.samples import sample_names, sample_path, summary
from koth.cli.screen import errors, marked, show
from koth.game import Game
from koth.games import GameError, load, playable, troubles


def list_games(as_json: bool) -> None:
    """The games: a table, or JSON."""
    games: list[Game] = []
    for line in troubles():
        errors.print(line, markup=False)
    for name in playable():
        try:
            games.append(load(name))
        except GameError as error:
            errors.print(str(error), markup=False)
    if as_json:
        told = [
            {
                "game": game.name,
                "title": game.title,
                "rulesets": list(game.rulesets),
                "games": game.convention.games,
                "aggregate": game.convention.aggregate,
            }
            for game in games
        ]
        click.echo(json.dumps(told))
        return
    table = Table(header_style="bold")
    for column in ("game", "title", "rulesets", "a contest"):
        table.add_column(column)
    for game in games:
        contest = f"{game.convention.games} games, {game.convention.aggregate}"
        table.add_row(game.name, game.title, ", ".join(game.rulesets), contest)
    show(table)


def list_bots(game: str, as_json: bool) -> None:
    """The sample bots of a game: a table, or JSON."""
    rules = load(game)
    names = sample_names(game)
    if as_json:
        click.echo(json.dumps(names))
        return
    field = rules.field
    table = Table(header_style="bold", caption="+ plays in the default field", caption_justify="left")
    for column in ("", "bot", "idea"):
        table.add_column(column)
    for name in names:
        table.add_row("+" if name in field else "", f"@{name}", marked(summary(game, sample_path(game, name))))
    show(table)
