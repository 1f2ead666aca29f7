"""The sources of bots for the JVM: the files that are compiled together, and the classes that each declares."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from koth.build.bot_files import MARKS, read_beginning, remove_mark
from koth.build.jvm.jdk import JvmError
from koth.build.jvm.languages import COMPILED
from koth.files.folders import CopyError
from koth.sandbox.copies import DEPTH, is_regular_file, list_files

JAR = ".jar"
NOT_SOURCES = {"lib", "target", "build", "out", "bin", "node_modules", "__pycache__"}
TOKEN = re.compile(
    r"""/\*.*?(?:\*/|\Z)|//[^\n]*|"{3}.*?(?:"{3}|\Z)|"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n]){1,8}+'|(?P<sign>[{}])"""
    r"""|(?<![.\w])(?:package\s+(?P<package>(?!object\b)[\w.]+)"""
    r"""|(?:class|interface|enum|record|trait|object)\s+(?P<name>\w+))""",
    re.DOTALL,
)
"""Comments, literals, braces, and the declarations of a source."""
MOST_WORDS = 64
"""The largest number of words in a class path."""


@dataclass(frozen=True)
class SourceSet:
    """The files of a folder that are compiled together, or of one file: sources or jars, and libraries."""

    path: Path
    """The folder, or the only file."""
    sources: Sequence[Path] = ()
    jars: Sequence[Path] = ()
    """Jars with classes of bots, if there are no sources."""
    libraries: Sequence[Path] = ()
    own: Sequence[Path] = ()
    """Sources of the game's API, which are left out: koth brings its own."""
    left_out: frozenset[str] = frozenset()
    """Files and folders of the folder that belong to other bots, and are not copied."""
    declared: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The files that declare each class, by names."""

    @property
    def folder(self) -> Path:
        """The folder that the names of files refer to."""
        return self.path if self.path.is_dir() else self.path.parent

    def name(self, file: Path) -> str:
        """Return a file's path in the folder; for a file elsewhere, its whole path."""
        return str(file.relative_to(self.folder) if file.is_relative_to(self.folder) else file)


def gather(
    path: Path, files: Sequence[Path], api: Collection[str], classpath: Sequence[str], left_out: frozenset[str]
) -> SourceSet:
    """Return the source set of these files of a folder, or of one file; `api` are the classes of the game's API.

    Raises OSError, CopyError and JvmError.
    """
    libraries = list[Path]()
    if path.is_dir():
        top = [file for file in sorted(path.iterdir()) if file.suffix == JAR]
        libraries = [jar for jar in (*top, *sorted((path / "lib").glob("*.jar"))) if is_regular_file(jar)]
        libraries += _class_path(path, classpath)
    sources, own, declared = [], [], dict[str, list[str]]()
    for file in files:
        if file.suffix not in COMPILED:
            continue
        classes = declared_classes(file)
        if not classes.isdisjoint(api):
            own.append(file)
            continue
        sources.append(file)
        for name in classes:
            declared.setdefault(name, []).append(str(file.relative_to(path)) if path.is_dir() else file.name)
    jars = [] if sources else [file for file in files if file.suffix == JAR]
    return SourceSet(path, sources, jars, [jar for jar in libraries if jar not in jars], own, left_out, declared)


def declared_classes(file: Path) -> set[str]:
    """Return the classes that a source declares outside of other classes, with their package. Raises OSError."""
    package, depth, found = "", 0, set[str]()
    for token in TOKEN.finditer(read_beginning(file)):
        if sign := token["sign"]:
            depth += 1 if sign == "{" else -1
        elif depth == 0 and token["package"]:
            package = package or f"{token['package']}."
        elif depth == 0 and token["name"]:
            found.add(package + token["name"])
    return found


def list_sources(folder: Path) -> Iterator[Path]:
    """Yield the sources below a folder, sorted.

    Build folders, tests, hidden folders, and folders that are marked as bots are left out.
    """
    for name, folders, files in os.walk(folder):
        at = Path(name)
        if len(at.parts) - len(folder.parts) > DEPTH:
            folders.clear()  # the check of its size refuses it
        if at != folder and any(name in files for name in MARKS):
            folders[:] = []
            continue
        folders[:] = sorted(f for f in folders if f not in NOT_SOURCES and not f.startswith("."))
        if at.name == "src" and "test" in folders:
            folders.remove("test")
        for file in sorted(files):
            fits = Path(file).suffix in COMPILED and not file.startswith(".") and file != "module-info.java"
            if fits and is_regular_file(at / file):
                yield at / file


def _class_path(path: Path, words: Sequence[str]) -> list[Path]:
    """Return the files and folders that words name: paths, or patterns of files in the folder. Raises JvmError."""
    if len(words) > MOST_WORDS:
        raise JvmError(f"{path}: `classpath`: {len(words)} words; {MOST_WORDS} are allowed")
    every: list[Path] = []
    for word in words:
        try:
            found = [path / word] if (path / word).exists() else []
            found = found or [path / place for place, _ in sorted(list_files(path)) if fnmatchcase(place, word)]
        except (OSError, ValueError, CopyError) as error:
            raise JvmError(f"{path}: `classpath`: {error}") from None
        if not found:
            raise JvmError(f"{path}: `classpath`: no such file: {word}")
        for place in found:
            is_systems = place.is_relative_to("/usr") and not place.is_dir()
            if not place.resolve().is_relative_to(path.resolve()) and not is_systems:
                raise JvmError(f"{path}: `classpath`: {word} is neither in the bot's folder nor a file under /usr")
        every += found
    return list(dict.fromkeys(every))


def convert_to_utf_8(file: Path) -> None:
    """Convert a source in koth's own copy from Latin-1 if it is not UTF-8; remove a byte order mark."""
    remove_mark(file)
    data = file.read_bytes()
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        file.write_bytes(data.decode("latin-1").encode("utf-8"))
