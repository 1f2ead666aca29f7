"""`koth new`: a bot that plays at once."""

from __future__ import annotations

import shutil
from pathlib import Path

import click


@click.command("new")
@click.argument("game")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--lang", default="python", show_default=True, help="python, javascript ...")
def new_command(game: str, folder: Path, lang: str) -> None:
    """Make the folder DIR with a bot for GAME that plays at once."""
    from koth.bots.sandbox.places import PACKAGE
    from koth.cli.screen import program
    from koth.errors import KothError, choices
    from koth.games import GAMES

    if game not in GAMES:
        raise KothError(f"there is no game {game!r}{choices(game, GAMES)}")
    templates = {path.name: path for path in sorted((PACKAGE / "games" / game / "new").glob("*")) if path.is_dir()}
    if lang not in templates:
        raise KothError(f"koth has no start for a {game} bot in {lang!r}{choices(lang, templates)}")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise KothError(f"{folder} exists already, and is not empty")
    try:
        shutil.copytree(templates[lang], folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    except OSError as error:
        raise KothError(f"{folder}: {error.strerror}") from None
    click.echo(f"made {folder}; let it play:\n  {program()} run {game} {folder} @{_rival(game)} --games 1")


def _rival(game: str) -> str:
    from koth.games import load

    return load(game).field[0]
