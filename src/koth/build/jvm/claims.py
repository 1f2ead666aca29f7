"""The source file that defines each class, if the files of several authors are compiled together.

A class belongs to the file with the class's name. If two files define a class, and neither file or both have the
class's name, both files are left out, so that no order of names decides which author's class plays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from koth.build.jvm.adapter import digest
from koth.build.jvm.classfile import ClassFile, read_class
from koth.build.jvm.jdk import JvmError
from koth.build.jvm.sources import package_of
from koth.sandbox.copies import list_files

CLASS = ".class"


class Disputed(Exception):
    """Raised when files must be left out; `words` holds the reasons by file name."""

    def __init__(self, words: Mapping[str, str]) -> None:
        super().__init__(", ".join(words))
        self.words = words


Makers = Mapping[str, frozenset[str]]
"""The files from which each class may have been compiled; several if the file is ambiguous, none if unknown."""


class Claims:
    """The files that define each class, by file and class name; a file that was left out keeps its claims.

    A file that defines a class with the name of another file has no claims: otherwise the file could get the other
    file left out by defining more of the other's classes.
    """

    def __init__(self, folder: Path, reserved: Iterable[Path] = ()) -> None:
        self._folder = folder
        self._reserved = class_names(reserved)
        self._makers: dict[str, set[frozenset[str]]] = {}
        self._out: set[str] = set()

    def take(self, made: Path, into: Path, files: Sequence[str]) -> None:
        """Move the classes that a compiler has made of these files to the classes in `into`; overwrite nothing.

        Raises Disputed when files must be left out, and JvmError.
        """
        places = [place for place, _ in list_files(made)]
        self.claim(self._find_makers([place for place in places if place.endswith(CLASS)], made, files))
        for place in places:
            to = into / place
            to.parent.mkdir(parents=True, exist_ok=True)
            if not to.exists():  # a language's own files, which are not classes, may exist already
                (made / place).rename(to)

    def claim(self, makers: Makers) -> None:
        """Record the files that define each class. Raises Disputed when files must be left out, and JvmError."""
        for name, files in makers.items():
            self._makers.setdefault(name, set()).add(files)
        impostors = {file: text for name in makers for file, text in self._find_impostors(name).items()}
        for several in self._makers.values() if impostors else ():
            for files in [files for files in several if not files.isdisjoint(impostors)]:
                several.discard(files)
                several.update({files.difference(impostors)} - {frozenset()})
        rivals = {file: text for name in makers for file, text in self._find_rivals(name).items()}
        new = {file: text for file, text in {**rivals, **impostors}.items() if file not in self._out}
        self._out |= new.keys()
        if new:
            raise Disputed(new)

    def makers(self) -> dict[str, list[str]]:
        """Return the files that may define each class."""
        return {name: self.files_of(name, ()) for name in self._makers}

    def files_of(self, name: str, files: Sequence[str]) -> list[str]:
        """Return the file that defines a class; several files if the file is ambiguous.

        If the compiler did not name the file in the class, return the members of `files` with the class's name.
        """
        several = self._makers.get(name, set()) - {frozenset()}
        if not several:
            return [file for file in files if _is_named_like(file, name)]
        return sorted(frozenset.intersection(*several) or frozenset.union(*several))

    def _find_claimants(self, name: str) -> list[str]:
        several = self._makers[name]
        if len(several) < 2 or frozenset.intersection(*several):
            return []
        return sorted(frozenset.union(*several))

    def _find_impostors(self, name: str) -> dict[str, str]:
        """Return the files that may not define this class, with the reasons."""
        if name in self._reserved:
            text = f"{_format_name(name)} is koth's own; call it something else"
            return dict.fromkeys(frozenset.union(*self._makers[name]), text)
        claimants = self._find_claimants(name)
        owners = [file for file in claimants if _is_named_like(file, name)]
        if len(owners) != 1:
            return {}
        text = f"{_format_name(name)} is {owners[0]}'s already; call it something else"
        return {file: text for file in claimants if file not in owners}

    def _find_rivals(self, name: str) -> dict[str, str]:
        """Return the files that define this class if it belongs to no file, with the reasons."""
        claimants = self._find_claimants(name)
        if len(claimants) == 1:
            raise JvmError(f"{self._folder}: {_format_name(name)} of {claimants[0]} also came from an unknown file")
        cure = "rename one class, or give each file a folder and a koth.toml"
        text = f"{' and '.join(claimants)} both define {_format_name(name)}; {cure}"
        return dict.fromkeys(claimants, text)

    def _find_makers(self, places: Sequence[str], made: Path, files: Sequence[str]) -> Makers:
        called: dict[str, list[str]] = {}
        for file in files:
            called.setdefault(PurePosixPath(file).name, []).append(file)
        makers = {}
        for place in places:
            name, found = place.removesuffix(CLASS), called.get(read_class(made / place).source, [])
            package = name.rpartition("/")[0].replace("/", ".")
            fits = [file for file in found if len(found) > 1 and package_of(self._folder / file) == package]
            makers[name] = frozenset(fits or found)
        return makers


def class_names(folders: Iterable[Path]) -> set[str]:
    """Return the names of the classes in these folders, with slashes."""
    places = (place for folder in folders for place, _ in list_files(folder))
    return {place.removesuffix(CLASS) for place in places if place.endswith(CLASS)}


def copy_class_files(files: Sequence[Path], folder: Path, into: Path, reserved: Iterable[Path]) -> dict[str, str]:
    """Write compiled classes to the folders of their packages; return the reasons why files were left out, by file.

    koth's own classes, and copies of other files, are left out without a reason. Raises JvmError for a file that is
    not a class.
    """
    same, own = find_copies(files, folder), class_names(reserved)
    names = {str(file.relative_to(folder)): read_class(file).name for file in files}
    wanted = {file: name for file, name in names.items() if file not in same and name not in own}
    claims, broken = Claims(folder), dict[str, str]()
    for file, name in wanted.items():
        try:
            claims.claim({name: frozenset([file])})
        except Disputed as disputed:
            broken |= disputed.words
    for file in wanted.keys() - broken.keys():
        to = into / f"{wanted[file]}{CLASS}"
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes((folder / file).read_bytes())
    return broken


def class_files_of(name: str, classes: Mapping[str, ClassFile]) -> list[str]:
    """Return the class files of an entry: its class, nested classes, and other classes of the source of that name."""
    outer = name.partition("$")[0]
    package, _, simple = outer.rpartition("/")
    found = []
    for file, read in classes.items():
        is_beside = read.name.rpartition("/")[0] == package and PurePosixPath(read.source).stem == simple
        if is_beside or read.name.partition("$")[0] == outer:
            found.append(file)
    return found


def find_copies(files: Sequence[Path], folder: Path) -> dict[str, str]:
    """Return the files that are copies of earlier files, with the original of each, by names in the folder."""
    seen: dict[tuple[str, str], str] = {}
    copies = {}
    for file in files:
        name = str(file.relative_to(folder))
        first = seen.setdefault((file.name, digest([file])), name)
        if first != name:
            copies[name] = first
    return copies


def _is_named_like(file: str, name: str) -> bool:
    simple = name.rpartition("/")[2]
    return PurePosixPath(file).stem in (simple, simple.partition("$")[0])


def _format_name(name: str) -> str:
    return name.replace("/", ".")
