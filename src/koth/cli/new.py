"""`koth new`: a bot that plays at once."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import click

from koth.bots.manifest import MANIFEST
from koth.cli.screen import program
from koth.errors import KothError, choices
from koth.games import home, load


def new(game: str, folder: Path, lang: str) -> None:
    """Copy the game's start in this language to `folder`, and say how to let it play."""
    rules = load(game)
    templates = {path.name: path for path in sorted((home(game).folder / "new").glob("*")) if path.is_dir()}
    if lang not in templates:
        raise KothError(f"{game}: koth has no start for a bot in {lang!r}{choices(lang, templates)}")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise KothError(f"{folder} exists already, and is not empty")
    try:
        shutil.copytree(templates[lang], folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        _call_it_like_its_folder(folder)
    except OSError as error:
        raise KothError(f"{folder}: {error.strerror}") from None
    click.echo(f"made {folder}; let it play:\n  {program()} run {game} {folder} @{rules.field[0]} --games 1")


def _call_it_like_its_folder(folder: Path) -> None:
    """Entries of koth's JVM runner are called by their class, which is the same in everybody's start."""
    if all(file.stem.lower() != "bot" for file in folder.iterdir()):
        (folder / MANIFEST).write_text(f"name = {json.dumps(folder.resolve().name)}\n", encoding="utf-8")
