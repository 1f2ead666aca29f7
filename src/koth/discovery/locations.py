"""The locations of bots below a folder: folders and files that `discovery/folder.py` can read as bots."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from koth.build.bot_files import MARKS, read_beginning
from koth.build.jvm import entries as jvm
from koth.discovery.bot_class import is_program
from koth.discovery.languages import LANGUAGES, NEVER_BOTS, can_be_main, ending_of, find_main
from koth.errors import KothError
from koth.games import home
from koth.sandbox.copies import LEFT_OUT, RUN_MARK

NO_BOTS = {"node_modules", "venv", "target", "dist", "docs", "doc", "test", "tests"}
"""Folders that are not searched for bots; bots there can be named by path."""
MOST_LEVELS = 8
"""The number of folder levels to search below the named folder."""
ZIP = ".zip"


def is_zip(path: Path) -> bool:
    """Return whether a path has the ending of a zip."""
    return path.suffix.lower() == ZIP


@dataclass
class Locations:
    """The paths of bots (`places`), and of programs that are not bots (`others`)."""

    places: list[Path] = field(default_factory=list)
    others: list[Path] = field(default_factory=list)
    covered: list[Path] = field(default_factory=list)
    """Folders with bots inside a folder that is itself a bot, because of a main file."""


def is_marked(folder: Path) -> bool:
    """Return whether a folder is marked as a bot."""
    return any((folder / name).is_file() for name in MARKS)


def find_main_file(game: str, folder: Path, language: str = "") -> Path | None:
    """Return a folder's main file, or None.

    Files for the JVM are left out, unless the manifest names a `language`.
    """
    if language:
        return find_main(
            [file for file in _list_programs(folder) if LANGUAGES[ending_of(file)].name == language], folder
        )
    files = [file for file in _list_programs(folder) if not jvm.is_for_jvm(game, file)]
    main = find_main(files, folder)
    if main is not None and main.stem.lower() != "bot" and jvm.is_for_jvm(game, folder):
        return None
    return main


def find_main_file_below(game: str, folder: Path, language: str = "") -> Path | None:
    """Return the only main file in sub-folders, such as `src`; None if no or several sub-folders have a main file."""
    found = [main for inner in _list_folders(folder) if (main := find_main_file(game, inner, language)) is not None]
    return found[0] if len(found) == 1 else None


def is_bot(game: str, path: Path) -> bool:
    """Return whether a folder or file itself is a bot of this game (for the JVM: one or several bots)."""
    if not path.is_dir():
        return path.is_file() and (ending_of(path) in (*LANGUAGES, ZIP) or jvm.is_for_jvm(game, path))
    if is_marked(path):
        return True
    main = find_main_file(game, path)
    if main is not None:
        return main.stem.lower() == "bot" or not any(_has_bots(inner) for inner in _list_folders(path))
    return not any(not jvm.is_for_jvm(game, p) for p in _list_programs(path)) and jvm.is_for_jvm(game, path)


def find_locations(game: str, path: Path) -> Locations:
    """Return the sorted paths of bots: the path itself, if it is a bot, or paths below it.

    Below files for the JVM, only zips, marked folders and folders with a main file `bot` are bots. If some folders
    are marked as bots, programs below other folders are not bots: a clone of a contest's repository also has the
    host's own programs.
    """
    found = Locations()
    if is_bot(game, path):
        found.places.append(path)
        if not path.is_dir() or is_marked(path):
            return found
        if find_main_file(game, path) is not None:
            found.covered = [inner for inner in _list_folders(path) if _has_bots(inner)]
            return found
    if not path.is_dir():
        return found
    covered = bool(found.places)  # by the files for the JVM, which are compiled together
    below = list(_find_below(game, path, found, 0, covered))
    found.others += [inner for inner in below if covered and not _is_certain(game, inner)]
    found.places += [inner for inner in below if not covered or _is_certain(game, inner)]
    if any(is_marked(inner) for inner in found.places):
        loose = {
            inner for inner in found.places if path not in (inner, inner.parent) and not _is_certain(game, inner)
        }
        found.others += [inner for inner in found.places if inner in loose]
        found.places = [inner for inner in found.places if inner not in loose]
    return found


def _find_below(game: str, folder: Path, found: Locations, depth: int, covered: bool) -> Iterator[Path]:
    """Yield the paths of bots below a folder; if `covered`, without files compiled together for the JVM."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_file():
            if is_bot(game, path) and not (covered and jvm.is_for_jvm(game, path)):
                if _is_program(game, path):
                    yield path
                else:
                    found.others.append(path)
        elif path.is_dir() and path.name not in NO_BOTS and not _is_left_out(path):
            if is_bot(game, path) and not (covered and not _is_certain(game, path)):
                yield path
            elif not path.is_symlink() and depth < MOST_LEVELS:
                yield from _find_below(game, path, found, depth + 1, covered)


def _is_program(game: str, file: Path) -> bool:
    """Return whether a file found in a search can be a bot, judging by its name and text."""
    if ending_of(file) not in LANGUAGES or jvm.is_for_jvm(game, file):
        return True
    if NEVER_BOTS.fullmatch(file.name):
        return False
    if ending_of(file) == ".py" and (home(game).folder / "bot.py").is_file():
        return "class " in read_beginning(file) or is_program(file)
    return can_be_main(file)


def _list_programs(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.is_file() and ending_of(p) in LANGUAGES)


def _list_folders(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.is_dir() and not p.is_symlink() and p.name not in NO_BOTS)


def _is_certain(game: str, path: Path) -> bool:
    """Return whether a path is certainly a bot: a zip, a marked folder, or a folder with a main file `bot`."""
    main = find_main_file(game, path) if path.is_dir() else None
    return (
        (is_zip(path) and path.is_file())
        or (path.is_dir() and is_marked(path))
        or (main is not None and main.stem == "bot")
    )


def _is_left_out(folder: Path) -> bool:
    return folder.name in LEFT_OUT or (folder / RUN_MARK).exists()


def _has_bots(folder: Path, depth: int = 2) -> bool:
    """Return whether a folder, or folders up to `depth` levels deeper, are marked as bots or have a file `bot`."""
    if folder.name.startswith(".") or _is_left_out(folder):
        return False
    if is_marked(folder) or any(file.stem == "bot" for file in _list_programs(folder)):
        return True
    return depth > 0 and any(_has_bots(inner, depth - 1) for inner in _list_folders(folder))


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
