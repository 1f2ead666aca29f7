"""The files of a bot for the JVM: sources, classes, jars, scripts."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from koth.build.bot_files import MARKS, read_beginning, remove_mark
from koth.build.jvm.classfile import read_class
from koth.build.jvm.jdk import JvmError
from koth.build.jvm.languages import COMPILED, SCRIPTS, is_frege
from koth.files.folders import CopyError
from koth.sandbox.copies import DEPTH, entries, is_regular_file, list_files

SOURCES = (".java", *COMPILED)
COMPILER_FILES = (*SOURCES, ".class", ".jar")
"""Endings of files that compilers read and write."""
REGISTRY = "PlayerRegistry"
"""The name that marks a script as a script for the JVM."""
NOT_SOURCES = {"lib", "target", "build", "out", "bin", "node_modules", "__pycache__"}
BLANK = re.compile(r"\s*")
PACKAGE = re.compile(r"package\s+([\w.]+)")
UNICODE = re.compile(r"\\u+([0-9a-fA-F]{4})")
"""Java's escape, anywhere in a source, for a character that the source's encoding lacks."""
EXTENDS = re.compile(r"(?:\bimplements|\bextends|\bwith|[:)])\s")
MOST_WORDS, LONGEST = 64, 4096
"""The largest number of words in a class path, and of characters in a word."""


@dataclass
class SourceSet:
    """The files of one bot, or of several bots that are compiled together."""

    folder: Path
    sources: list[Path] = field(default_factory=list)
    classes: list[Path] = field(default_factory=list)
    jars: list[Path] = field(default_factory=list)
    scripts: list[Path] = field(default_factory=list)
    libraries: list[Path] = field(default_factory=list)
    own: list[Path] = field(default_factory=list)
    """Sources of the game's API and of its old host, which koth brings itself."""
    left_out: frozenset[str] = field(default=frozenset(), kw_only=True)
    """The names of files and folders that belong to other bots, and are neither compiled nor copied."""
    is_apart: bool = field(default=False, kw_only=True)
    """True if the set holds one of several bots of its folder."""

    @property
    def compiles(self) -> bool:
        """True if there are classes, or sources of classes."""
        return bool(self.sources or self.classes or self.jars)

    def with_ending(self, ending: str) -> list[Path]:
        """Return the sources with this ending."""
        return [file for file in self.sources if file.suffix == ending]

    def name(self, file: Path) -> str:
        """Return a file's path in the bot's folder; for a file elsewhere, its whole path."""
        return str(file.relative_to(self.folder) if file.is_relative_to(self.folder) else file)

    def move_to(self, to: Path) -> SourceSet:
        """Return the source set with paths in a copy of the folder."""
        lists = (self.sources, self.classes, self.jars, self.scripts, self.libraries)
        copy = SourceSet(to, *([to / self.name(file) for file in files] for files in lists))
        copy.is_apart = self.is_apart
        return copy

    def exclude(self, others: Collection[Path]) -> SourceSet:
        """Return the source set of one of several bots, without the files `others`.

        Sources, classes and jars that are neither compiled nor on the class path are left out, too: such files may be
        copies of other bots if the author has built the folder. Raises OSError and CopyError.
        """
        if not others and not self.left_out:
            return self
        sources, classes, jars = (
            [file for file in files if file not in others] for files in (self.sources, self.classes, self.jars)
        )
        names, mine = {self.name(file) for file in others}, {*sources, *classes, *jars}
        for place, _ in list_files(self.folder):
            file = self.folder / place
            is_library = any(file.is_relative_to(library) for library in self.libraries)
            if file.suffix in COMPILER_FILES and file not in mine and not is_library:
                names.add(place)
        return replace(
            self, sources=sources, classes=classes, jars=jars, left_out=self.left_out | names, is_apart=True
        )


def is_for_jvm(path: Path, scripts: bool, language: str = "") -> bool:
    """Return whether a file or folder is a bot for the JVM; with `scripts`, scripts that register players count."""
    if path.is_file():
        if path.suffix in SCRIPTS:
            return scripts and (language != "" or is_script(path))
        return path.suffix in (*SOURCES, ".class", ".jar")
    if language:
        return True
    direct = [p for p in sorted(path.iterdir()) if p.is_file()]
    if any(is_for_jvm(p, scripts) for p in direct if not is_frege(p)):
        return True
    return ((path / "src").is_dir() and any(_walk(path / "src"))) or _has_package(path)


def is_script(path: Path) -> bool:
    """Return whether a script registers a player: its text has `PlayerRegistry`."""
    return path.suffix in SCRIPTS and REGISTRY in read_beginning(path)


def list_files_at(place: Path) -> list[Path]:
    """Return a file, or the files of a folder, sorted. Raises OSError and CopyError."""
    return [place / inner for inner, _ in list_files(place)] if place.is_dir() else [place]


def _has_package(folder: Path) -> bool:
    """Return whether sources or classes under this folder are in the folder of their package."""
    for inner in sorted(p for p in folder.iterdir() if p.is_dir() and p.name not in NOT_SOURCES):
        for file in _walk(inner):
            package = package_of(file)
            if package and file.parent.relative_to(folder).parts == tuple(package.split(".")):
                return True
    return False


def package_of(file: Path) -> str:
    """Return the package that a source or a class file declares; empty if there is none."""
    if file.suffix == ".class":
        try:
            return read_class(file).name.rpartition("/")[0].replace("/", ".")
        except JvmError:
            return ""  # the error is reported when the class is used
    text = UNICODE.sub(lambda found: chr(int(found[1], 16)), read_beginning(file))
    found = PACKAGE.match(text, _skip_comments(text))
    return found[1] if found else ""


def _skip_comments(text: str) -> int:
    """Return the position of a source's first word after the comments and annotations at its beginning."""
    at = 1 if text.startswith("\ufeff") else 0
    while True:
        at = BLANK.match(text, at).end()  # type: ignore[union-attr]
        begin = text[at : at + 2]
        end = "*/" if begin == "/*" else "\n" if begin in ("//", "#!") or begin[:1] == "@" else ""
        found = text.find(end, at + 2) if end else -1
        if found < 0:
            return at
        at = found + len(end)


def _walk(folder: Path, endings: tuple[str, ...] = (*SOURCES, ".class")) -> Iterator[Path]:
    """Yield the files below a folder with these endings, sorted.

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
            fits = Path(file).suffix in endings and not file.startswith(".") and file != "module-info.java"
            if fits and is_regular_file(at / file):
                yield at / file


def gather(
    path: Path, scripts: bool, language: str, main: str, classpath: list[str], leave: Callable[[Path], bool]
) -> SourceSet:
    """Return the source set of a bot at this path, without the files for which `leave` returns True."""
    if path.is_file():
        return _gather_file(path)
    every = list(_walk(path, (*SOURCES, ".class", *(SCRIPTS if scripts else ()))))
    excluded = frozenset(str(file.relative_to(path)) for file in every if leave(file))
    every = [file for file in every if not leave(file)]
    source_set = SourceSet(path, [file for file in every if file.suffix in SOURCES], left_out=excluded)
    if not source_set.sources:
        source_set.classes = [file for file in every if file.suffix == ".class"]
    top = [p for p in sorted(path.iterdir()) if is_regular_file(p)]
    jars = [p for p in top if p.suffix == ".jar"]
    if source_set.sources or source_set.classes:
        source_set.libraries = jars
    else:
        source_set.jars = [jar for jar in jars if not is_frege(jar)]
    if scripts:
        named = [path / main] if main else [file for file in every if file.suffix in SCRIPTS]
        chosen = language or main  # a named language applies to the files of the folder, not to those deeper
        source_set.scripts = [p for p in named if is_script(p) or (chosen and p.parent == path) or main]
    source_set.libraries += sorted(filter(is_regular_file, (path / "lib").glob("*.jar")))
    source_set.libraries += _class_path(path, classpath)
    return source_set


def _gather_file(path: Path) -> SourceSet:
    source_set = SourceSet(path.parent)
    if path.suffix in SCRIPTS:
        source_set.scripts = [path]
    elif path.suffix == ".jar":
        source_set.jars = [path]
    elif path.suffix == ".class":
        source_set.classes = [path, *sorted(path.parent.glob(f"{path.stem}$*.class"))]
    else:
        source_set.sources = [path]
    return source_set


def _class_path(path: Path, words: list[str]) -> list[Path]:
    if len(words) > MOST_WORDS:
        raise JvmError(f"{path}: `classpath`: {len(words)} words; {MOST_WORDS} are allowed")
    every: list[Path] = []
    for word in words:
        try:
            found = _find_named(path, word)
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


def _find_named(path: Path, word: str) -> list[Path]:
    """Return the path that a word names, or the paths below the folder that match the word as a pattern, sorted."""
    if len(word) > LONGEST:
        raise ValueError(f"a word of more than {LONGEST} characters")
    if os.path.isabs(word) or not set(word) & set("*?["):
        return [path / word] if (path / word).exists() else []
    pattern = PurePosixPath(word).parts
    places = [entry.place for entry in entries(path) if not stat.S_ISLNK(entry.stat.st_mode)]
    return [path / place for place in sorted(places) if matches_pattern(tuple(place.split("/")), pattern)]


def matches_pattern(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Return whether the parts of a path match the parts of a pattern, in which `**` stands for any folders.

    The time is proportional to the product of both lengths.
    """
    reached = {0}  # numbers of parts of the path that match the pattern up to here
    for word in pattern:
        if word == "**":
            reached = set(range(min(reached, default=len(parts) + 1), len(parts) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(parts) and fnmatchcase(parts[at], word)}
    return len(parts) in reached


def remove_own(source_set: SourceSet, classes: Collection[str], package: str, types: Collection[str]) -> None:
    """Remove the game's API and its host from the sources: koth has its own.

    `classes` are the classes of the API, `package` is the package of the host (which contains no bot), `types` are
    the types that bots implement or extend.
    """
    own = {file for file in source_set.sources if _is_own(file, classes, package, types)}
    source_set.own = [file for file in source_set.sources if file in own]
    source_set.sources = [file for file in source_set.sources if file not in own]


def _is_own(file: Path, classes: Collection[str], package: str, types: Collection[str]) -> bool:
    at = package_of(file)
    return f"{at}.{file.stem}" in classes or (at == package and not could_be_entry(file, types))


def could_be_entry(file: Path, types: Collection[str]) -> bool:
    """Return whether a source names one of these types among its supertypes."""
    return file.suffix in (".fr", ".class", ".jar") or not _supertypes(file).isdisjoint(types)


def _supertypes(file: Path) -> set[str]:
    """Return the words of a source that may be supertypes of its classes.

    Supertypes stand between a keyword or sign such as `extends` and the next brace, semicolon or equals sign.
    """
    found: set[str] = set()
    for part in re.split(r"[{;=]", read_beginning(file)):
        begin = EXTENDS.search(part)
        if begin:
            found.update(re.findall(r"\w+", part[begin.end() :]))
    return found


def languages_of(source_set: SourceSet) -> Callable[[str], str]:
    """Return a function that finds a class's language by the source of the same name; java if there is none."""
    endings = {file.stem: file.suffix for file in reversed(source_set.sources)}

    def language(name: str) -> str:
        ending = endings.get(name.rpartition(".")[2].partition("$")[0], "")
        return COMPILED[ending].name if ending in COMPILED else "java"

    return language


def could_be_entries(files: Collection[Path], types: Collection[str]) -> set[Path]:
    """Return the sources that could be entries: sources that name one of the types, or the name of such a source."""
    stems = {file.stem for file in files}
    naming: dict[str, list[Path]] = {}
    for file in files:
        for word in _supertypes(file) & {*stems, *types}:
            naming.setdefault(word, []).append(file)
    found = {file for file in files if could_be_entry(file, types)}
    new = list(found)
    while new:
        more = {file for file in naming.get(new.pop().stem, []) if file not in found}
        found |= more
        new += more
    return found


def convert_to_utf_8(file: Path) -> None:
    """Convert a source in koth's own copy from Latin-1 if it is not UTF-8; remove a byte order mark."""
    remove_mark(file)
    data = file.read_bytes()
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        file.write_bytes(data.decode("latin-1").encode("utf-8"))
