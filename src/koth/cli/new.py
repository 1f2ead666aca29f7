"""`koth new`: a bot that plays at once."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from koth.build.bot_files import MANIFEST
from koth.build.jvm.sdk import write_sdk
from koth.cli.pages import page_of
from koth.cli.screen import echo, program
from koth.discovery.languages import LANGUAGES
from koth.discovery.locations import check_free
from koth.discovery.plays import game_of
from koth.discovery.samples import sample_path
from koth.errors import KothError, choices
from koth.escaping import shell_word
from koth.game import Game
from koth.games import home, load
from koth.scaffold.languages import LANGUAGES as MADE
from koth.scaffold.languages import own
from koth.scaffold.make import files

SOURCES = "src/main/java"
"""Where Maven looks for classes, and koth too."""


def new(game: str, folder: Path, lang: str, sdk: bool) -> None:
    """Copy the game's start in this language to `folder`, and say how to let it play.

    With `sdk`, add the API for an IDE; a folder that has files gets nothing else.
    """
    rules = load(game)
    templates = starts(rules)
    lang = lang if lang in templates else _of_short(lang, templates)
    if lang not in templates:
        text = f"{game}: koth has no start for a bot in {lang!r}{choices(lang, templates)}"
        raise KothError(f"{text}; any language can play by JSON lines: {program()} docs {page_of(game)}")
    if sdk and lang != "java":
        raise KothError(f"--sdk is for --lang java, not {lang}")
    is_project = sdk and folder.is_dir() and any(folder.iterdir())
    if not is_project:
        check_free(folder)
    try:
        if is_project:
            _say_written(write_sdk(folder))
            return
        _put(rules, templates[lang], lang, folder / SOURCES if sdk else folder)
        _call_it_like_its_folder(folder)
        _say_its_game(game, folder)
        if sdk:
            _say_written(write_sdk(folder))
    except OSError as error:
        raise KothError(f"{folder}: {error.strerror}") from None
    words = " ".join(
        ["run", game, shell_word(folder), *(f"@{name}" for name in rules.default_entrants[:1]), "--matches 1"]
    )
    echo(f"made {folder}; let it play:\n  {program()} {words}")


def _of_short(word: str, languages: Iterable[str]) -> str:
    """Return the language that is meant by its short name: its files' ending, or their folder in `templates/`."""
    low = word.lower()
    for name in languages:
        first = Path(MADE[name].files[0].removesuffix(".in")) if name in MADE else Path()
        endings = {first.suffix, *(ending for ending, language in LANGUAGES.items() if language.name == name)}
        if low in (name, first.parent.name) or f".{low}" in endings:
            return name
    return word


def put_start(game: Game, folder: Path) -> None:
    """Put the game's start in Python, or where it has none its last sample, into a new folder. Raises OSError."""
    templates = starts(game)
    lang = "python" if "python" in templates else next(iter(templates))
    _put(game, templates[lang], lang, folder)
    _say_its_game(game.name, folder)


def _say_written(paths: Sequence[Path]) -> None:
    for path in paths:
        echo(str(path))


def starts(game: Game) -> dict[str, Path | None]:
    """Return what bots can be begun with, by language: a folder in `new/`, or where a game has none its last sample.

    None: a bot is made from the game's declaration.
    """
    folder = home(game.name).folder
    copied = own(folder)
    if not copied:
        copied = {LANGUAGES[path.suffix].name: path for path in _files_of(game) if path.suffix in LANGUAGES}
    return dict(sorted({**dict.fromkeys(MADE), **copied}.items()))


def _files_of(game: Game) -> list[Path]:
    """Return the default entrants that are single files, in order."""
    paths = [sample_path(game.name, name) for name in game.default_entrants]
    return [path for path in paths if path.is_file()]


def _put(game: Game, start: Path | None, lang: str, folder: Path) -> None:
    if start is None:
        made = files(game, lang)
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in made.items():
            (folder / name).write_text(text, encoding="utf-8")
    elif start.is_dir():
        shutil.copytree(start, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(start, folder / f"bot{start.suffix}")


def _call_it_like_its_folder(folder: Path) -> None:
    """Entries of koth's JVM adapter are called by their class, which is the same in everybody's start."""
    if all(file.stem.lower() != "bot" for file in folder.iterdir()):
        (folder / MANIFEST).write_text(f"name = {json.dumps(folder.resolve().name)}\n", encoding="utf-8")


def _say_its_game(game: str, folder: Path) -> None:
    """Write the game's name to the manifest where no file names it, so that `koth check` needs no --game."""
    try:
        game_of(str(folder), by_name=False)
    except KothError:
        file = folder / MANIFEST
        rest = file.read_text(encoding="utf-8") if file.exists() else ""
        file.write_text(f"game = {json.dumps(game)}\n{rest}", encoding="utf-8")
