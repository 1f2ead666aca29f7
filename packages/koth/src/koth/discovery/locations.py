"""The bots at a path, in three rules.

1. A folder with a manifest, a `command.txt`, a build file or a main file is one bot.
2. Otherwise each program directly in the named folder is a bot (on the JVM each entry), and each folder directly in
   it is tried by rule 1. Files that others import, and files without anything that starts a bot, are passed over.
3. A zip is its folder.
"""

from __future__ import annotations

import fnmatch
import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from koth.build.bot_files import COMMANDS, MANIFEST, MARKS, read_beginning
from koth.build.jvm.adapter import api_sources, entry_types, own_classes
from koth.build.jvm.languages import COMPILED, REGISTRY, SCRIPTS
from koth.build.jvm.sources import JAR, declared_classes
from koth.discovery.languages import (
    LANGUAGES,
    NEVER_BOTS,
    can_be_main,
    ending_of,
    find_imports,
    has_main_name,
)
from koth.discovery.projects import find_build_file
from koth.errors import KothError
from koth.game import Game
from koth.games import home
from koth.sandbox.copies import LEFT_OUT, RUN_MARK

NO_BOTS = {"node_modules", "venv", "target", "dist", "docs", "doc", "test", "tests", "lib", *LEFT_OUT}
"""Folders that are not tried as bots; a bot there can be named by its path."""
ZIP = ".zip"


def is_zip(path: Path) -> bool:
    """Return whether a path has the ending of a zip."""
    return path.suffix.lower() == ZIP


@dataclass
class Locations:
    """The paths of bots, and why other files and folders are passed over.

    A named folder among its own `places` stands for its `classes`: files for the JVM, which are compiled together.
    """

    places: list[Path] = field(default_factory=list)
    classes: list[Path] = field(default_factory=list)
    passed: dict[Path, str] = field(default_factory=dict)
    note: str = ""


def find_locations(game: Game, path: Path) -> Locations:
    """Return the bots at a path. Raises OSError."""
    if not path.is_dir():
        known = ending_of(path) in LANGUAGES or is_zip(path) or is_for_jvm(game.name, path)
        return Locations([path] if path.is_file() and known else [])
    if is_marked(path) or find_build_file(path):
        return Locations([path])
    found, main = _search(game, path), find_main_file(game, path)
    bots = sum(place != path for place in found.places) + sum(_is_entry(game.name, file) for file in found.classes)
    endings = {ending_of(file) for file in found.passed}
    has_parts = len(found.places) == 1 and found.places[0].is_file() and ending_of(found.places[0]) in endings
    if has_parts or (main is not None and bots < 2):
        return Locations([path])
    if main is None:
        return found
    found.note = (
        f"{path}: {main.name} is a main file, but here are {bots} files and folders with bots: each plays (an empty "
        f"{MANIFEST} makes the folder one bot)"
    )
    return found


def is_one_bot(game: Game, folder: Path) -> bool:
    """Return whether a folder is one bot by rule 1. Raises OSError."""
    return is_marked(folder) or bool(find_build_file(folder)) or find_main_file(game, folder) is not None


def is_marked(folder: Path) -> bool:
    """Return whether a folder is marked as a bot."""
    return any((folder / name).is_file() for name in MARKS)


def find_main_file(game: Game, folder: Path, language: str = "") -> Path | None:
    """Return a folder's main file: by name, and with an entry where the language needs one. Raises OSError."""
    for file in sorted(folder.iterdir(), key=lambda file: (file.suffix == ".java", file.name)):
        if has_main_name(file, folder, game.main_names):
            is_class = file.suffix in COMPILED and is_for_jvm(game.name, file, language)
            if _is_entry(game.name, file) if is_class else _is_program(game.name, file, language, needs_entry=True):
                return file
    return None


def find_only_program(game: Game, folder: Path, language: str = "") -> Path | None:
    """Return the only program or script directly in a folder, or the only one that starts a bot. Raises OSError."""
    files = [file for file in sorted(folder.iterdir()) if _is_program(game.name, file, language)]
    if len(files) > 1:
        places = _search(game, folder).places
        files = [file for file in files if file in places]
    return files[0] if len(files) == 1 else None


def _is_program(game: str, file: Path, language: str, *, needs_entry: bool = False) -> bool:
    """Return whether a file is a program of a language ("": of any), or a script for the JVM."""
    if is_for_jvm(game, file, language):
        return file.suffix in SCRIPTS
    known = LANGUAGES.get(ending_of(file))
    if known is None or not file.is_file() or language not in ("", known.name):
        return False
    return not (needs_entry and known.build) or can_be_main(file)


def is_for_jvm(game: str, file: Path, language: str = "") -> bool:
    """Return whether koth's adapter for the JVM runs a file: a source, a jar, or a script that registers a player.

    A bot's manifest may name the `language`.
    """
    if not api_sources(game) or not file.is_file():
        return False
    if file.suffix not in SCRIPTS:
        names = ("", "jvm", COMPILED[file.suffix].name if file.suffix in COMPILED else "java")
        return language in names and (file.suffix in COMPILED or file.suffix == JAR)
    if not any(name.endswith(REGISTRY) for name in own_classes(game)):
        return False
    return language in ("jvm", SCRIPTS[file.suffix].name) if language else REGISTRY in read_beginning(file)


def _is_entry(game: str, file: Path) -> bool:
    """Return whether a source for the JVM names a type that bots implement, and is not the game's API itself."""
    if file.suffix == JAR:
        return True
    words = set(re.findall(r"\w+", read_beginning(file)))
    return not words.isdisjoint(entry_types(game)) and declared_classes(file).isdisjoint(own_classes(game))


def _search(game: Game, folder: Path) -> Locations:
    """Return the bots directly in a folder, by rule 2."""
    found, programs = Locations(), list[Path]()
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir():
            if path.name in NO_BOTS or (path / RUN_MARK).exists():
                continue
            if is_one_bot(game, path):
                found.places.append(path)
            elif any(path.iterdir()):
                found.passed[path] = f"no {MANIFEST}, {COMMANDS}, build file or main file; name it to look inside"
        elif is_zip(path) or (path.is_symlink() and ending_of(path) in (*LANGUAGES, *COMPILED)):
            found.places.append(path)  # a link is refused later
        elif is_for_jvm(game.name, path):
            (found.places if path.suffix in SCRIPTS else found.classes).append(path)
        elif ending_of(path) in LANGUAGES and path.is_file():
            programs.append(path)
    imported = find_imports(programs)
    for file in programs:
        if file in imported:
            found.passed[file] = f"{imported[file].name} imports it"
        elif NEVER_BOTS.fullmatch(file.name):
            found.passed[file] = "files of this name are never bots"
        elif has_main_name(file, folder, game.main_names) or _starts_bot(game.name, file):
            found.places.append(file)
        else:
            found.passed[file] = "nothing in it starts a bot"
    found.places.sort()
    if any(_is_entry(game.name, file) for file in found.classes):
        found.places.insert(0, folder)
    else:
        found.passed |= dict.fromkeys(found.classes, f"no class of the API of {game.name}")
    return found


def _starts_bot(game: str, file: Path) -> bool:
    """Return whether a program has an entry, or a class with the methods of the game's Python API."""
    is_class = ending_of(file) == ".py" and re.search(_class_pattern(game), read_beginning(file), re.MULTILINE)
    return bool(is_class) or can_be_main(file)


@functools.cache
def _class_pattern(game: str) -> str:
    """Return a pattern of a bot's class: the methods in the example at the top of the game's Python API, or `Bot`."""
    file = home(game).folder / "bot.py"
    if not file.is_file():
        return r"^class Bot\b|^from\b.*\bBot\b"
    example = file.read_text(encoding="utf-8").partition("\nfrom ")[0]
    methods = set(re.findall(r"\bdef (\w+)\(self", example)) - {"__init__"}
    return rf"^[ \t]+def (?:{'|'.join(sorted(methods))})\b" if methods else r"^class\b"


def is_excluded(path: Path, root: Path, patterns: Sequence[str]) -> bool:
    """Return whether a pattern matches a path below `root`, or its name with or without ending."""
    names = {path.name, path.stem}
    if path.is_relative_to(root):
        names.add(path.relative_to(root).as_posix())
    return any(fnmatch.fnmatchcase(name, pattern) for name in names for pattern in patterns)


def check_free(folder: Path) -> None:
    """Refuse a folder whose content would be overwritten. Raises KothError."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise KothError(f"{folder} exists already, and is not empty")
