"""`koth new`: a first bot that can play at once."""

from __future__ import annotations

from pathlib import Path

from koth.cli.screen import echo, program
from koth.escaping import shell_word
from koth.games import load
from koth.services.starts import make_start


def new(game: str, folder: Path, lang: str) -> None:
    """Copy the game's first bot in the language `lang` to `folder`, and print the commands that play with the bot."""
    make_start(game, folder, lang)
    word = shell_word(folder)
    rivals = (f"@{name}" for name in load(game).default_entrants[:1])
    echo(f"made {folder}; play with this bot, look for mistakes, and watch a match after every save:")
    for words in (["run", game, word, *rivals, "--matches 1"], ["check", word], ["dev", word]):
        echo(f"  {program()} {' '.join(words)}")
