"""First bots: complete bots that play at once, in a new folder."""

from __future__ import annotations

import json
from pathlib import Path

from koth.build.bot_files import MANIFEST
from koth.discovery.languages import LANGUAGES
from koth.discovery.locations import check_free
from koth.discovery.starts import ANY_GAME, find_starts
from koth.errors import KothError, choices
from koth.game import Game
from koth.games import load
from koth.protocol.declared import Declared
from koth.protocol.schema import codec_of, examples_of
from koth.services.guide import page_of


def make_start(game: str, folder: Path, lang: str = "") -> None:
    """Write a game's first bot to a new folder.

    `lang` is a language's name or ending of files; without `lang` use Python, or else the game's first language.

    Raises KothError.
    """
    rules, files = load(game), find_starts(game)
    by_ending = LANGUAGES.get(f".{lang.lower()}")
    known = by_ending.name if by_ending else lang.lower()
    if not lang:
        known = "python" if "python" in files else next(iter(files))
    if known not in files:
        text = f"{game}: koth has no start for a bot in {lang!r}{choices(lang, files)}"
        raise KothError(f"{text}; any language can play by JSON lines: koth docs {page_of(game)}")
    check_free(folder)
    try:
        _copy_start(rules, files[known], folder)
        _name_after_folder(folder)
        _write_game(game, folder)
    except OSError as error:
        raise KothError(f"{folder}: {error.strerror}") from None


def _copy_start(game: Game, start: Path, folder: Path) -> None:
    """Copy a first bot; rename a sample to `bot`. Raises KothError if `ANY_GAME` does not fit the game."""
    text = start.read_text(encoding="utf-8")
    name = start.name if start.parent.name == "new" else f"bot{start.suffix}"
    if start == ANY_GAME:
        text = text.replace("ANSWERS = {};", f"ANSWERS = {json.dumps(_answers(game), indent=2)};")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    if start == ANY_GAME and next(iter(game.protocols)) != "json":
        (folder / MANIFEST).write_text('protocol = "json"\n', encoding="utf-8")


def _answers(game: Game) -> dict[str, object]:
    """Return an answer to each question of the game, for one of the units asked. Raises KothError."""
    settings, seats = next(iter(game.rulesets.values())), game.seats[0]
    if type(codec_of(game, settings, seats)) is not Declared:
        text = f"{game.name}: its messages are its own, and it brings no bot to begin with in this language"
        raise KothError(f"{text}: koth docs {page_of(game.name)}")
    return {name: example for name, _, example in examples_of(game, settings, seats)}


def _name_after_folder(folder: Path) -> None:
    """Name a JVM bot after the folder: otherwise every copy has the name of the class."""
    if all(file.stem.lower() != "bot" for file in folder.iterdir()):
        (folder / MANIFEST).write_text(f"name = {json.dumps(folder.resolve().name)}\n", encoding="utf-8")


def _write_game(game: str, folder: Path) -> None:
    """Write the game's name to the manifest: `koth check` needs no --game, and the folder is one bot."""
    file = folder / MANIFEST
    rest = file.read_text(encoding="utf-8") if file.exists() else ""
    file.write_text(f"game = {json.dumps(game)}\n{rest}", encoding="utf-8")
