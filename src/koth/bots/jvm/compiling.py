"""Sources to classes: every compiler works on a copy of the bot, in the isolation of the run.

Compilers run code of the sources that they are given (Groovy's transformations, Scala's macros), so they see what
a bot sees, and what they leave is taken over by koth itself.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from koth.bots.jvm import sources
from koth.bots.jvm.adapter import Adapter, digest, encoding, javac_words
from koth.bots.jvm.jdk import Jdk, JvmError, made_once
from koth.bots.jvm.languages import COMPILED, GUAVA, Language, compiler, jars, runtime
from koth.bots.jvm.sources import Material
from koth.bots.sandbox.copies import CopyError, remove, take
from koth.bots.sandbox.isolation import Isolation
from koth.bots.sandbox.policy import FOR_BOTS
from koth.bots.workshop import Work, work

LIGHT = ("-Xshare:auto", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xmx1g", "-Xss4m")
"""How the JVM of a compiler is started: it works for seconds, within bounds."""
LISTER = ("-Xshare:auto", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xmx128m")


@dataclass(frozen=True)
class Shop:
    """What compiles here: the game's adapter, a JDK, and how compilers are kept apart from the host."""

    side: Adapter
    jdk: Jdk
    isolation: Isolation


def compiled(shop: Shop, path: Path, material: Material, libraries: Sequence[Path]) -> Path:
    """The folder of the cache with a bot's `classes` and its `entries.txt`. Raises JvmError and SandboxError.

    `path` is the bot's folder or file, `libraries` are the class path beside the game's API.
    """
    key = _key(shop, material, libraries)
    return made_once(f"bot-{key}", lambda folder: _make(folder, shop, path, material, libraries))


def class_path(material: Material) -> list[Path]:
    """Libraries of the bot's and the runtimes of its languages. Raises JvmError naming a package."""
    path = list(material.libraries)
    for ending, language in COMPILED.items():
        if material.of(ending):
            path += runtime(language, material.libraries)
    return path + jars(GUAVA)


def _key(shop: Shop, material: Material, libraries: Sequence[Path]) -> str:
    """What the classes depend on. Where the bot lies is no part of it."""
    parts: list[object] = [shop.jdk.about, shop.side.runner.name, shop.side.classes.name]
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
    try:
        if material.sources:
            _compile(folder, shop, path, material, libraries)
        else:
            _sort(folder / "classes", material)
    except CopyError as error:
        raise JvmError(str(error)) from None
    except OSError as error:
        raise JvmError(f"{error.filename or material.folder}: {error.strerror}") from None
    names = _entries(folder / "classes", shop, material, libraries)
    (folder / "entries.txt").write_text("\n".join(names), encoding="utf-8")


def _sort(out: Path, material: Material) -> None:
    """Put compiled classes where their packages say they are."""
    out.mkdir()
    for file in material.classes:
        place = out / f"{sources.class_name(file)}.class"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.read_bytes())


# -- compilers


def _compile(folder: Path, shop: Shop, path: Path, material: Material, libraries: Sequence[Path]) -> None:
    """Compile a copy of the bot, and take over its classes."""
    job = folder / "job"
    take(path, job)
    copy = material.moved(job)
    copied = [job / material.name(place) for place in libraries]
    if _key(shop, copy, copied) != _key(shop, material, libraries):
        raise JvmError(f"{path}: it changed while it was read")
    out = Path(tempfile.mkdtemp(prefix="classes.", dir=job))
    _Compilers(shop, material, copy, out, [shop.side.classes, *copied]).run()
    if out.is_symlink():
        raise JvmError(f"{path}: its compilers have left a link")
    take(out, folder / "classes")
    remove(job)


@dataclass(frozen=True)
class _Compilers:
    """The compilers at work on one copy. They write to `out`; `path` is their class path."""

    shop: Shop
    material: Material
    copy: Material
    out: Path
    path: Sequence[Path]

    def run(self) -> None:
        """Each after the other. Raises JvmError with the words of the one that fails."""
        java = self._of(".java")
        for ending, language in COMPILED.items():
            own = self._of(ending)
            if own and language.name != "groovy":
                # A compiler of another language reads the Java sources too, so that both may use each other.
                self._other(language, [*own, *java])
        if java:
            self._java(java)
        groovy = self._of(".groovy")
        if groovy:
            self._other(COMPILED[".groovy"], groovy)

    def _of(self, ending: str) -> list[str]:
        return [_no_option(self.copy.name(file)) for file in self.copy.of(ending)]

    def _class_path(self) -> str:
        """With what lies in the copy named from there, which is where compilers run."""
        return ":".join(_no_option(self.copy.name(place)) for place in (*self.path, self.out))

    def _java(self, files: list[str]) -> None:
        """Compile with the language of the JDK; what is no Java there any more is tried as Java 8."""
        read = encoding(self.material.folder, files)  # not the copy's, where other compilers have been at work
        tail = ["-encoding", read, "-cp", self._class_path(), "-d", self.out.name]
        done = self._work([*javac_words(self.shop.jdk, LIGHT, self.shop.jdk.release), *tail, *files])
        if done.problem and self._work([*javac_words(self.shop.jdk, LIGHT, "8"), *tail, *files]).problem:
            hint = ""
            if b"com.google.common" in done.output and not jars(GUAVA):
                hint = f"\nGuava is not installed: install {GUAVA.package}"
            raise self._failed("javac", files, done, hint)

    def _other(self, language: Language, files: list[str]) -> None:
        words = [*compiler(language), "-d", self.out.name, "-cp", self._class_path(), *files]
        done = self._work(words)
        if done.problem:
            raise self._failed(language.compiler[0], files, done)

    def _work(self, words: Sequence[str]) -> Work:
        home = self.shop.jdk.javac.parent.parent  # the whole JDK, also where `java` is another one's
        environment = {"JAVA_HOME": str(home), "JAVA_OPTS": " ".join(LIGHT)}
        inside = self.copy.folder
        reads = [place.absolute() for place in self.path if not place.is_relative_to(inside)]
        reads = [*self.shop.jdk.places(), *_parts_of(words[0]), *reads]
        return work(words, inside, self.shop.isolation, environment=environment, reads=reads)

    def _failed(self, program: str, files: list[str], done: Work, hint: str = "") -> JvmError:
        names = ", ".join(files[:20])
        text = done.output.decode(errors="replace").strip()[:4000] + hint
        how = "" if done.problem.startswith("exit status") else f" ({done.problem})"
        return JvmError(f"{self.material.folder}: {program} can't compile {names}{how}:\n{text}".rstrip())


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


def _entries(classes: Path, shop: Shop, material: Material, libraries: Sequence[Path]) -> list[str]:
    """The names of the entry classes; none only where there are scripts. No code of theirs is run."""
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
    if not names and not material.scripts:
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
