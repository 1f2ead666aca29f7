"""`koth games` and `koth bots`: what there is."""

from __future__ import annotations

import json

import click


@click.command("games")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
def games_command(as_json: bool) -> None:
    """List the games."""
    from rich.table import Table

    from koth.cli.screen import show
    from koth.games import GAMES, load

    games = [load(name) for name in GAMES]
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


@click.command("bots")
@click.argument("game")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list of names.")
def bots_command(game: str, as_json: bool) -> None:
    """List GAME's sample bots; each can be named as @NAME where a bot is wanted."""
    from rich.table import Table

    from koth.bots.samples import sample_names, sample_path, summary
    from koth.cli.screen import marked, show
    from koth.errors import KothError, choices
    from koth.games import GAMES, load

    if game not in GAMES:
        raise KothError(f"there is no game {game!r}{choices(game, GAMES)}")
    names = sample_names(game)
    if as_json:
        click.echo(json.dumps(names))
        return
    field = load(game).field
    table = Table(header_style="bold", caption="+ plays in the default field", caption_justify="left")
    for column in ("", "bot", "idea"):
        table.add_column(column)
    for name in names:
        table.add_row("+" if name in field else "", f"@{name}", marked(summary(sample_path(game, name))))
    show(table)
