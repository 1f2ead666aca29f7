"""Sources to classes: every compiler works on a copy of the bot, in the isolation of the run.

Compilers run code of the sources that they are given (Groovy's transformations, Scala's macros), so they see what
a bot sees, and what they leave is taken over by koth itself.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from koth.bots.folders.workshop import Work, work
from koth.bots.jvm import sources
from koth.bots.jvm.adapter import Adapter, digest, javac_words
from koth.bots.jvm.jdk import Jdk, JvmError, made_once
from koth.bots.jvm.languages import COMPILED, GUAVA, Language, compiler, jars, runtime
from koth.bots.jvm.sources import Material
from koth.bots.sandbox.copies import CopyError, remove, take
from koth.bots.sandbox.isolation import Isolation
from koth.bots.sandbox.policy import FOR_BOTS

LIGHT = ("-Xshare:auto", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xmx1g", "-Xss4m")
"""How the JVM of a compiler is started: it works for seconds, within bounds."""
LISTER = ("-Xshare:auto", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xmx128m")


FORMAT = "2"
"""Of what lies in the cache; another one is made anew."""


@dataclass(frozen=True)
class Shop:
    """What compiles here: the game's adapter, a JDK, and how compilers are kept apart from the host."""

    side: Adapter
    jdk: Jdk
    isolation: Isolation
    frege: str = ""
    """The jar of the Frege compiler, which is its runtime too."""


@dataclass(frozen=True)
class Compiled:
    """What compilers have made of a bot's files: the folder in koth's cache, its entries, and what is broken."""

    folder: Path
    entries: list[str]
    broken: Mapping[str, str]
    """The compiler's words by the name of the file."""


def compiled(shop: Shop, path: Path, material: Material, libraries: Sequence[Path]) -> Compiled:
    """A bot's classes, its entries and what of its files is broken. Raises JvmError and SandboxError.

    `path` is the bot's folder or file, `libraries` are the class path beside the game's API.
    """
    key = _key(shop, material, libraries)
    folder = made_once(f"bot-{key}", lambda folder: _make(folder, shop, path, material, libraries))
    entries = (folder / "entries.txt").read_text(encoding="utf-8").split()
    return Compiled(folder, entries, json.loads((folder / "broken.json").read_text(encoding="utf-8")))


def class_path(material: Material, frege: str) -> list[Path]:
    """Libraries of the bot's and the runtimes of its languages. Raises JvmError naming a package."""
    path = list(material.libraries)
    for ending, language in COMPILED.items():
        if material.of(ending):
            path += [Path(frege)] if language.name == "frege" and frege else runtime(language, material.libraries)
    return list(dict.fromkeys(path + jars(GUAVA)))


def _key(shop: Shop, material: Material, libraries: Sequence[Path]) -> str:
    """What the classes depend on. Where the bot lies is no part of it."""
    parts: list[object] = [FORMAT, shop.jdk.about, shop.side.runner.name, shop.side.classes.name]
    for kind, files in (
        ("source", material.sources),
        ("class", material.classes),
        ("jar", material.jars),
        ("library", [file for place in libraries for file in sources.files_at(place)]),
    ):
        for file in files:
            parts += [kind, material.name(file), file]
    return digest(parts)


def _make(folder: Path, shop: Shop, path: Path, material: Material, libraries: Sequence[Path]) -> None:
    """Fill a folder of the cache: `classes`, and a list of the entries among them."""
    broken: Mapping[str, str] = {}
    try:
        if material.sources:
            broken = _compile(folder, shop, path, material, libraries)
        else:
            _sort(folder / "classes", material)
    except CopyError as error:
        raise JvmError(str(error)) from None
    except OSError as error:
        raise JvmError(f"{error.filename or material.folder}: {error.strerror}") from None
    names = _entries(folder / "classes", shop, material, libraries, broken)
    (folder / "entries.txt").write_text("\n".join(names), encoding="utf-8")
    (folder / "broken.json").write_text(json.dumps(broken), encoding="utf-8")


def _sort(out: Path, material: Material) -> None:
    """Put compiled classes where their packages say they are."""
    out.mkdir()
    for file in material.classes:
        place = out / f"{sources.class_name(file)}.class"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.read_bytes())


# -- compilers


def _compile(
    folder: Path, shop: Shop, path: Path, material: Material, libraries: Sequence[Path]
) -> Mapping[str, str]:
    """Compile a copy of the bot, and take over its classes; what is broken, by the names of files."""
    job = folder / "job"
    take(path, job)
    copy = material.moved(job)
    copied = [job / material.name(place) for place in libraries]
    if _key(shop, copy, copied) != _key(shop, material, libraries):
        raise JvmError(f"{path}: it changed while it was read")
    for file in copy.sources:
        sources.as_utf_8(file)
    out = Path(tempfile.mkdtemp(prefix="classes.", dir=job))
    broken = _Compilers(shop, material, copy, out, [shop.side.classes, shop.side.runner, *copied]).run()
    if out.is_symlink():
        raise JvmError(f"{path}: its compilers have left a link")
    take(out, folder / "classes")
    remove(job)
    return broken


WORDS = re.compile(
    r"^(?:e: )?(?:\./)?(?P<file>[^\n:]+\.(?:java|scala|kt|groovy|fr)):\s*\(?\d+(?!.{0,12}\bwarning\b).*$", re.M
)
"""The line in which a compiler begins to complain of a file."""
SUMMARY = re.compile(r"^\d+ (?:errors?|warnings?)$.*", re.M | re.S)
MOST_WORDS = 4000
"""Characters of a compiler's words on one file that are kept."""


def complaints(output: str, files: Sequence[str]) -> dict[str, str]:
    """What a compiler says, by the file that it says it of."""
    told: dict[str, str] = {}
    text = SUMMARY.sub("", output)
    found = list(WORDS.finditer(text))
    for match, following in itertools.zip_longest(found, found[1:]):
        name = match["file"]
        if name in files:
            words = text[match.start() : following.start() if following else len(text)].rstrip()
            told[name] = f"{told[name]}\n{words}" if name in told else words
    return {name: text[:MOST_WORDS] for name, text in told.items()}


class _Refused(Exception):
    """A compiler does not take these files: the whole message, and its words by file, as far as it names any."""

    def __init__(self, whole: JvmError, words: Mapping[str, str]) -> None:
        super().__init__(str(whole))
        self.whole = whole
        self.words = words


@dataclass(frozen=True)
class _Compilers:
    """The compilers at work on one copy. They write to `out`; `path` is their class path."""

    shop: Shop
    material: Material
    copy: Material
    out: Path
    path: Sequence[Path]

    def run(self) -> Mapping[str, str]:
        """Compile all that can be compiled; the words on each file that can't.

        A file that a compiler refuses is left out, and so is what needs it, until the rest is taken. Raises JvmError
        when nothing is left, or when a compiler fails without naming a file.
        """
        broken: dict[str, str] = {}
        names = [self.copy.name(file) for file in self.copy.sources]
        while True:
            try:
                self._all(broken)
                break
            except _Refused as refused:
                new = {name: text for name, text in refused.words.items() if name not in broken}
                if not new or len(broken) + len(new) == len(names):
                    raise refused.whole from None
                broken |= new
                remove(self.out)
                self.out.mkdir()
        self._as_java_8(broken)
        return broken

    def _all(self, broken: Mapping[str, str]) -> None:
        """Each compiler after the other, on what is not known to be broken."""
        java = self._of(".java", broken)
        for ending, language in COMPILED.items():
            own = self._of(ending, broken)
            if own and not language.after_java:
                # A compiler of another language reads the Java sources too, so that both may use each other.
                self._other(language, [*own, *java], broken)
        if java:
            self._java(java)
        for ending, language in COMPILED.items():
            own = self._of(ending, broken)
            if own and language.after_java:
                self._other(language, own, broken)

    def _of(self, ending: str, broken: Mapping[str, str]) -> list[str]:
        names = [self.copy.name(file) for file in self.copy.of(ending)]
        return [_no_option(name) for name in names if name not in broken]

    def _class_path(self) -> str:
        """With what lies in the copy named from there, which is where compilers run."""
        return ":".join(_no_option(self.copy.name(place)) for place in (*self.path, self.out))

    def _java(self, files: list[str]) -> None:
        """Compile with the language of the JDK; what is no Java there any more is tried as Java 8."""
        done = self._javac(self.shop.jdk.release, files)
        if done.problem and self._javac("8", files).problem:
            hint = ""
            if b"com.google.common" in done.output and not jars(GUAVA):
                hint = f"\nGuava is not installed: install {GUAVA.package}"
            raise self._refused("javac", files, done, hint)

    def _javac(self, release: str, files: list[str]) -> Work:
        tail = ["-Xmaxerrs", "100000", "-encoding", "UTF-8", "-cp", self._class_path(), "-d", self.out.name]
        return self._work([*javac_words(self.shop.jdk, LIGHT, release), *tail, *files])

    def _as_java_8(self, broken: dict[str, str]) -> None:
        """Try what is broken as Java 8, beside what is compiled already, and forget what is not broken there."""
        rest = [name for name in broken if name.endswith(".java")]
        while rest:
            done = self._javac("8", [_no_option(name) for name in rest])
            if not done.problem:
                for name in rest:
                    del broken[name]
                return
            refused = complaints(done.output.decode(errors="replace"), rest)
            if not refused:
                return
            rest = [name for name in rest if name not in refused]

    def _other(self, language: Language, files: list[str], broken: Mapping[str, str]) -> None:
        words = compiler(language, self.shop.jdk.java, self.path, self.shop.frege)
        done = self._work([*words, "-d", self.out.name, language.class_path, self._class_path(), *files])
        if done.problem:
            raise self._refused(language.compiler[0], files, done)

    def _work(self, words: Sequence[str]) -> Work:
        home = self.shop.jdk.javac.parent.parent  # the whole JDK, also where `java` is another one's
        environment = {"JAVA_HOME": str(home), "JAVA_OPTS": " ".join(LIGHT)}
        inside = self.copy.folder
        reads = [place.absolute() for place in self.path if not place.is_relative_to(inside)]
        reads = [*self.shop.jdk.places(), *_parts_of(words[0]), *reads]
        return work(words, inside, self.shop.isolation, environment=environment, reads=reads)

    def _refused(self, program: str, files: list[str], done: Work, hint: str = "") -> _Refused:
        output = done.output.decode(errors="replace").strip()
        words = complaints(output, [name.removeprefix("./") for name in files])
        names = ", ".join(list(words)[:20] or files[:20])
        how = "" if done.problem.startswith("exit status") else f" ({done.problem})"
        whole = f"{self.material.folder}: {program} can't compile {names}{how}:\n{output[:MOST_WORDS]}{hint}"
        return _Refused(JvmError(whole.rstrip()), {name: text + hint for name, text in words.items()})


def _no_option(name: str) -> str:
    """A file's name on a command line, so that it is none of the compiler's options."""
    return f"./{name}" if name.startswith(("-", "@")) else name


def _parts_of(program: str) -> list[Path]:
    """The programs, libraries and settings of a compiler, wherever they lie, and nothing that lies beside them."""
    home = Path(os.path.realpath(program)).parent.parent
    parts = [home / name for name in ("bin", "lib", "conf") if (home / name).is_dir()]
    settings = [file.resolve() for file in (home / "conf").glob("*") if file.is_symlink() and file.exists()]
    return [*parts, *(part.resolve() for part in parts), *settings]


# -- entries


def _entries(
    classes: Path, shop: Shop, material: Material, libraries: Sequence[Path], broken: Mapping[str, str]
) -> list[str]:
    """The names of the entry classes; none only where there are scripts or broken ones. No code of theirs is run."""
    side = shop.side
    every = [side.runner, side.classes, classes, *material.jars, *libraries]
    words = [str(shop.jdk.java), *LISTER, "-cp", ":".join(map(str, every))]
    words += ["koth.jvm.Entries", side.host, *map(str, (classes, *material.jars))]
    reads = [*shop.jdk.places(), *(place.absolute() for place in every)]
    done = work(words, classes, shop.isolation, FOR_BOTS, reads=reads)
    lines = done.output.decode(errors="replace").splitlines()
    if done.problem:
        raise JvmError(f"{material.folder}: its classes can't be read ({done.problem}):\n" + "\n".join(lines))
    names = [line for line in lines if all(part.isidentifier() for part in line.replace("$", "_").split("."))]
    if not names and not material.scripts and not broken:
        unusable = [line for line in lines if ":" in line]
        text = "\n".join([looked_at(side, material), *unusable])
        raise JvmError(f"{material.folder}: no entry among its classes\n{text}")
    return names


def looked_at(side: Adapter, material: Material) -> str:
    """What was looked for and where, for a bot in which nothing was found."""
    files = [*material.sources, *material.classes, *material.jars, *material.scripts]
    names = ", ".join(material.name(file) for file in files[:20]) or "no files"
    return (
        f"looked at {names}; an entry is a public, concrete class with a constructor without arguments that "
        f"implements the API of {side.game}" + (", or a script that registers a player" if side.registry else "")
    )
