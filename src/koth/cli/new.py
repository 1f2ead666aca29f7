"""`koth new`: a first bot that can play at once."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from koth.build.bot_files import MANIFEST
from koth.cli.pages import page_of
from koth.cli.screen import echo, program
from koth.discovery.languages import LANGUAGES
from koth.discovery.locations import check_free
from koth.discovery.plays import find_game
from koth.discovery.starts import ANY_GAME, find_starts
from koth.errors import KothError, choices
from koth.escaping import shell_word
from koth.game import Game
from koth.games import load
from koth.protocol.declared import Declared
from koth.protocol.schema import codec_of, examples_of


def new(game: str, folder: Path, lang: str) -> None:
    """Copy the game's first bot in this language to `folder`, and print how to play it."""
    rules = load(game)
    files = find_starts(game)
    lang = _full_language(lang, files)
    if lang not in files:
        text = f"{game}: koth has no start for a bot in {lang!r}{choices(lang, files)}"
        raise KothError(f"{text}; any language can play by JSON lines: {program()} docs {page_of(game)}")
    check_free(folder)
    try:
        _copy_start(rules, files[lang], folder)
        _name_after_folder(folder)
        _write_game(game, folder)
    except OSError as error:
        raise KothError(f"{folder}: {error.strerror}") from None
    word = shell_word(folder)
    rivals = (f"@{name}" for name in rules.default_entrants[:1])
    echo(f"made {folder}; let it play, look for its mistakes, and watch it play again whenever you save it:")
    for words in (["run", game, word, *rivals, "--matches 1"], ["check", word], ["dev", word]):
        echo(f"  {program()} {' '.join(words)}")


def _full_language(word: str, languages: Iterable[str]) -> str:
    """Return the language with this name, or with this ending of its files."""
    low = word.lower()
    by_ending = LANGUAGES.get(f".{low}")
    return by_ending.name if by_ending else low if low in languages else word


def copy_start(game: Game, folder: Path) -> None:
    """Copy the game's first bot in Python, or else its first one, to a new folder. Raises OSError."""
    files = find_starts(game.name)
    _copy_start(game, files.get("python") or next(iter(files.values())), folder)
    _write_game(game.name, folder)


def _copy_start(game: Game, start: Path, folder: Path) -> None:
    """Copy a first bot; a sample gets the name `bot`. Raises KothError if `ANY_GAME` does not fit the game."""
    text = start.read_text(encoding="utf-8")
    name = start.name if start.parent.name == "new" else f"bot{start.suffix}"
    if start == ANY_GAME:
        text = text.replace("ANSWERS = {};", f"ANSWERS = {json.dumps(_answers(game), indent=2)};")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    if start == ANY_GAME and next(iter(game.protocols)) != "json":
        (folder / MANIFEST).write_text('protocol = "json"\n', encoding="utf-8")


def _answers(game: Game) -> dict[str, object]:
    """Return an answer to each question of the game, for one unit if it asks several. Raises KothError."""
    settings, seats = next(iter(game.rulesets.values())), game.seats[0]
    if type(codec_of(game, settings, seats)) is not Declared:
        text = f"{game.name}: its messages are its own, and it brings no bot to begin with in this language"
        raise KothError(f"{text}: {program()} docs {page_of(game.name)}")
    return {name: example for name, _, example in examples_of(game, settings, seats)}


def _name_after_folder(folder: Path) -> None:
    """Rename a bot for the JVM like its folder: otherwise every copy has the name of the class."""
    if all(file.stem.lower() != "bot" for file in folder.iterdir()):
        (folder / MANIFEST).write_text(f"name = {json.dumps(folder.resolve().name)}\n", encoding="utf-8")


def _write_game(game: str, folder: Path) -> None:
    """Write the game's name to the manifest if no file names it, so that `koth check` needs no --game."""
    try:
        find_game(str(folder), by_name=False)
    except KothError:
        file = folder / MANIFEST
        rest = file.read_text(encoding="utf-8") if file.exists() else ""
        file.write_text(f"game = {json.dumps(game)}\n{rest}", encoding="utf-8")
