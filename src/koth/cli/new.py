"""`koth new`: a first bot that can play at once."""

from __future__ import annotations

from pathlib import Path

from koth.cli.screen import echo, program
from koth.escaping import shell_word
from koth.games import load
from koth.services.starts import make_start


def new(game: str, folder: Path, lang: str) -> None:
    """Copy the game's first bot in this language to `folder`, and print how to play it."""
    make_start(game, folder, lang)
    word = shell_word(folder)
    rivals = (f"@{name}" for name in load(game).default_entrants[:1])
    echo(f"made {folder}; let it play, look for its mistakes, and watch it play again whenever you save it:")
    for words in (["run", game, word, *rivals, "--matches 1"], ["check", word], ["dev", word]):
        echo(f"  {program()} {' '.join(words)}")
