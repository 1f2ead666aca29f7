"""What belongs to a bot for the JVM: its sources, its classes, its jars, its scripts."""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from koth.bots.jvm.jdk import JvmError
from koth.bots.jvm.languages import COMPILED, SCRIPTS, is_frege
from koth.bots.sandbox.copies import is_plain

SOURCES = (".java", *COMPILED)
REGISTRY = "PlayerRegistry"
"""A script that mentions it is for the JVM."""
NOT_SOURCES = {"lib", "target", "build", "out", "bin", "node_modules", "__pycache__"}
PACKAGE_LINE = re.compile(r"^[ \t]*package[ \t]+([\w.]+)", re.MULTILINE)
CLASS_NAME = re.compile(r"[^./;\[\\:\0]+(/[^./;\[\\:\0]+)*")
MARKS = ("koth.toml", "command.txt")
"""Files by which a folder says that it is a bot."""
BEGINNING = 1 << 20
"""Bytes of a script or a source within which it says what it is."""


@dataclass
class Material:
    """The files of one bot, or of several that are compiled together."""

    folder: Path
    sources: list[Path] = field(default_factory=list)
    classes: list[Path] = field(default_factory=list)
    jars: list[Path] = field(default_factory=list)
    scripts: list[Path] = field(default_factory=list)
    libraries: list[Path] = field(default_factory=list)
    own: list[Path] = field(default_factory=list)
    """Sources of the game's API and of its old host, which koth has itself."""

    @property
    def compiles(self) -> bool:
        """Whether there are classes in it, or sources of some."""
        return bool(self.sources or self.classes or self.jars)

    def of(self, ending: str) -> list[Path]:
        """The sources with this ending."""
        return [file for file in self.sources if file.suffix == ending]

    def name(self, file: Path) -> str:
        """A file of the bot's by its name in the folder, any other by its whole name."""
        return str(file.relative_to(self.folder) if file.is_relative_to(self.folder) else file)

    def moved(self, to: Path) -> Material:
        """The same files in a copy of the folder."""
        lists = (self.sources, self.classes, self.jars, self.scripts, self.libraries)
        return Material(to, *([to / self.name(file) for file in files] for files in lists))


def is_for_jvm(path: Path, scripts: bool, language: str = "") -> bool:
    """Whether a file or a folder is a bot for the JVM; `scripts`: those that register themselves count."""
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
    """Whether a script registers a player: its text says `PlayerRegistry`."""
    return path.suffix in SCRIPTS and REGISTRY.encode() in _beginning(path)


def _beginning(file: Path) -> bytes:
    with open(file, "rb") as data:
        return data.read(BEGINNING)


def files_at(place: Path) -> list[Path]:
    """A file, or the files of a folder, sorted."""
    if place.is_dir():
        return sorted(file for file in place.rglob("*") if is_plain(file))
    return [place]


def _has_package(folder: Path) -> bool:
    """Whether sources or classes lie under this folder where their package says they do."""
    for inner in sorted(p for p in folder.iterdir() if p.is_dir() and p.name not in NOT_SOURCES):
        for file in _walk(inner):
            package = _package(file)
            if package and file.parent.relative_to(folder).parts == tuple(package.split(".")):
                return True
    return False


def _package(file: Path) -> str:
    if file.suffix == ".class":
        return class_name(file).rpartition("/")[0].replace("/", ".")
    found = PACKAGE_LINE.search(_beginning(file).decode("utf-8", "replace"))
    return found[1] if found else ""


def _walk(folder: Path, endings: tuple[str, ...] = (*SOURCES, ".class")) -> Iterator[Path]:
    """The files below a folder with these endings, sorted.

    Build folders, tests, hidden ones, and folders that say by themselves that they are bots are left out.
    """
    for name, folders, files in os.walk(folder):
        at = Path(name)
        if at != folder and any(mark in files for mark in MARKS):
            folders[:] = []
            continue
        folders[:] = sorted(f for f in folders if f not in NOT_SOURCES and not f.startswith("."))
        if at.name == "src" and "test" in folders:
            folders.remove("test")
        for file in sorted(files):
            fits = Path(file).suffix in endings and not file.startswith(".") and file != "module-info.java"
            if fits and is_plain(at / file):
                yield at / file


def gather(
    path: Path, scripts: bool, language: str, main: str, classpath: list[str], leave: Callable[[Path], bool]
) -> Material:
    """The material of a bot at this path, without what `leave` says of."""
    if path.is_file():
        return _of_file(path)
    every = [file for file in _walk(path, SOURCES) if not leave(file)]
    material = Material(path, sources=every)
    if not material.sources:
        material.classes = [file for file in _walk(path, (".class",)) if not leave(file)]
    top = [p for p in sorted(path.iterdir()) if is_plain(p)]
    jars = [p for p in top if p.suffix == ".jar"]
    if material.sources or material.classes:
        material.libraries = jars
    else:
        material.jars = [jar for jar in jars if not is_frege(jar)]
    if scripts:
        named = [path / main] if main else [file for file in _walk(path, tuple(SCRIPTS)) if not leave(file)]
        chosen = language or main  # who says which language it is means the files of the folder, not those deeper
        material.scripts = [p for p in named if is_script(p) or (chosen and p.parent == path) or main]
    material.libraries += sorted(filter(is_plain, (path / "lib").glob("*.jar")))
    material.libraries += _class_path(path, classpath)
    return material


def _of_file(path: Path) -> Material:
    material = Material(path.parent)
    if path.suffix in SCRIPTS:
        material.scripts = [path]
    elif path.suffix == ".jar":
        material.jars = [path]
    elif path.suffix == ".class":
        material.classes = [path, *sorted(path.parent.glob(f"{path.stem}$*.class"))]
    else:
        material.sources = [path]
    return material


def _class_path(path: Path, words: list[str]) -> list[Path]:
    """What a manifest's `classpath` names. Raises JvmError."""
    every: list[Path] = []
    for word in words:
        try:
            found = sorted(path.glob(word)) if not os.path.isabs(word) else [Path(word)]
            there = found != [] and all(p.exists() for p in found)
        except (OSError, ValueError, NotImplementedError) as error:  # the last one: pathlib, of some patterns
            raise JvmError(f"{path}: classpath: {error}") from None
        if not there:
            raise JvmError(f"{path}: classpath: no such file: {word}")
        for place in found:
            if not place.resolve().is_relative_to(path.resolve()) and not place.is_relative_to("/usr"):
                raise JvmError(f"{path}: classpath: {word} is neither in the bot's folder nor under /usr")
        every += found
    return every


def without_own(material: Material, classes: Collection[str], package: str, types: Collection[str]) -> None:
    """Take the game's API, and what else is of its host, out of the sources: koth has its own.

    `classes` are the API's, `package` is the one in which no bot lies, `types` are what bots implement or extend.
    """
    material.own = [file for file in material.sources if _is_own(file, classes, package, types)]
    material.sources = [file for file in material.sources if file not in material.own]


def _is_own(file: Path, classes: Collection[str], package: str, types: Collection[str]) -> bool:
    at = _package(file)
    return f"{at}.{file.stem}" in classes or (at == package and not could_be_entry(file, types))


def could_be_entry(file: Path, types: Collection[str]) -> bool:
    """Whether a source names one of these types where it says what a class is."""
    if file.suffix == ".fr":
        return True
    names = "|".join(map(re.escape, types))
    text = _beginning(file).decode("utf-8", "replace")
    return re.search(rf"(?:\bimplements|\bextends|\bwith|[:)])\s[^{{;=]*\b(?:{names})\b", text) is not None


def language_of(material: Material, name: str) -> str:
    """The language of a class, by the source that is called like it; java where none is."""
    simple = name.rpartition(".")[2].partition("$")[0]
    endings = [file.suffix for file in material.sources if file.stem == simple]
    return COMPILED[endings[0]].name if endings and endings[0] in COMPILED else "java"


def could_be_entries(files: Collection[Path], types: Collection[str]) -> set[Path]:
    """Those of these sources that could be entries: they name one of the types, or another of them that does."""
    found: set[Path] = set()
    while True:
        names = {*types, *(file.stem for file in found)}
        more = {file for file in files if file not in found and could_be_entry(file, names)}
        if not more:
            return found
        found |= more


def as_utf_8(file: Path) -> None:
    """Write an old source that is not UTF-8, in a copy of koth's own, anew: it is taken for Latin-1."""
    data = file.read_bytes()
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        file.write_bytes(data.decode("latin-1").encode("utf-8"))


def class_name(file: Path) -> str:
    """The name of the class in a class file, with slashes. Raises JvmError."""
    data = file.read_bytes()
    sizes = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}
    try:
        if data[:4] != b"\xca\xfe\xba\xbe":
            raise ValueError("it does not begin as one")
        (count,) = struct.unpack_from(">H", data, 8)
        texts: dict[int, str] = {}
        classes: dict[int, int] = {}
        at, index = 10, 1
        while index < count:
            tag = data[at]
            if tag == 1:
                (length,) = struct.unpack_from(">H", data, at + 1)
                texts[index] = data[at + 3 : at + 3 + length].decode("utf-8", "replace")
                at += 3 + length
            else:
                if tag == 7:
                    (classes[index],) = struct.unpack_from(">H", data, at + 1)
                at += 1 + sizes[tag]
            index += 2 if tag in (5, 6) else 1
        (this,) = struct.unpack_from(">H", data, at + 2)
        name = texts[classes[this]]
        if not CLASS_NAME.fullmatch(name):
            raise ValueError(f"it is called {name[:80]!r}")
        return name
    except (ValueError, KeyError, IndexError, struct.error) as error:
        raise JvmError(f"{file}: not a class file: {error}") from None
