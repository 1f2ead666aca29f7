"""Compilation of sources to classes: every compiler works on a copy of the bot, in the isolation of the run.

Compilers run code of their sources (Groovy's transformations, Scala's macros), so compilers see no more than a bot
sees, and koth itself moves their output.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from koth.build import steps
from koth.build.jvm import sources
from koth.build.jvm.adapter import Adapter, digest, javac_words
from koth.build.jvm.claims import CLASS, Claims, Disputed, class_files_of, copy_class_files, find_copies
from koth.build.jvm.class_reuse import copy_classes, is_independent
from koth.build.jvm.classfile import read_class
from koth.build.jvm.jdk import Jdk, JvmError, fill_once
from koth.build.jvm.languages import COMPILED, GUAVA, JvmLanguage, compiler_command, find_jars, find_runtime
from koth.build.jvm.sources import SourceSet
from koth.build.steps import BuildResult, run_build_step
from koth.files.folders import CopyError, remove
from koth.sandbox.cached_folders import let_bots_read
from koth.sandbox.copies import copy_bot
from koth.sandbox.failures import check_shortage
from koth.sandbox.isolation import Isolation
from koth.sandbox.policy import FOR_BOTS

COMPILER_FLAGS = (
    "-Xshare:auto",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",
    "-Xmx1g",
    "-Xss4m",
)
"""Flags for the JVM of a compiler, which runs for seconds, within limits."""
LISTER_FLAGS = ("-Xshare:auto", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xmx128m")


FORMAT = "4"
"""The version of the cache's format; entries of other versions are compiled again."""
CLASSES, ENTRIES, BROKEN, MAKERS = "classes", "entries.json", "broken.json", "makers.json"
"""The names of a folder and of files in a bot's cache folder."""


@dataclass(frozen=True)
class CompileContext:
    """The context of a compilation: the game's adapter, a JDK, and the isolation of compilers."""

    side: Adapter
    jdk: Jdk
    isolation: Isolation
    frege: str = ""
    """The jar of the Frege compiler, which is also Frege's runtime."""


@dataclass(frozen=True)
class Compiled:
    """The result of compiling a bot's files: the folder in koth's cache, its entries, and the broken files."""

    folder: Path
    entries: Mapping[str, Sequence[Sequence[str]]]
    """The names of the entry classes, each with the files that may define the class."""
    broken: Mapping[str, str]
    """The compiler's errors by the file's name."""
    makers: Mapping[str, Sequence[str]]
    """The compiled classes, each with the sources that may define the class."""

    @property
    def classes(self) -> Path:
        """The folder of the bot's classes."""
        return self.folder / CLASSES

    def has(self, name: str) -> bool:
        """Return whether a class was compiled."""
        return (self.classes / f"{name.replace('.', '/')}{CLASS}").is_file()


def compile_bot(
    context: CompileContext,
    path: Path,
    source_set: SourceSet,
    libraries: Sequence[Path],
    whole: Compiled | None = None,
) -> Compiled:
    """Return a bot's classes, entries and broken files. Raises JvmError and SandboxError.

    `path` is the bot's folder or file, `libraries` is the class path except the game's API. If the source set is a
    part of another source set, `whole` is the result for the other one.
    """
    try:
        key = _key(context, source_set, libraries)
    except CopyError as error:
        raise JvmError(str(error)) from None
    folder = fill_once(f"bot-{key}", lambda folder: _make(folder, context, path, source_set, libraries, whole))
    texts = ((folder / name).read_text(encoding="utf-8") for name in (ENTRIES, BROKEN, MAKERS))
    return Compiled(folder, *map(json.loads, texts))


def class_path(source_set: SourceSet, frege: str) -> list[Path]:
    """Return the libraries of the bot and the runtimes of its languages. Raises JvmError that names a package."""
    path = list(source_set.libraries)
    for ending, language in COMPILED.items():
        if source_set.with_ending(ending):
            path += (
                [Path(frege)] if language.name == "frege" and frege else find_runtime(language, source_set.libraries)
            )
    return list(dict.fromkeys(path + find_jars(GUAVA)))


def _key(context: CompileContext, source_set: SourceSet, libraries: Sequence[Path]) -> str:
    """Return a digest of everything that the classes depend on, except the bot's path."""
    parts: list[object] = [FORMAT, context.jdk.about, context.side.bot_adapter.name, context.side.classes.name]
    parts += [source_set.is_apart]
    parts += [source_set.name(place) for place in libraries]
    for kind, files in (
        ("source", source_set.sources),
        ("class", source_set.classes),
        ("jar", source_set.jars),
        ("library", dict.fromkeys(file for place in libraries for file in sources.list_files_at(place))),
    ):
        for file in files:
            parts += [kind, source_set.name(file), file]
    return digest(parts)


def _make(
    folder: Path,
    context: CompileContext,
    path: Path,
    source_set: SourceSet,
    libraries: Sequence[Path],
    whole: Compiled | None,
) -> None:
    """Fill a folder of the cache: classes, broken files, and the entries, unless the set is one bot of several."""
    classes = folder / CLASSES
    claims, broken = Claims(source_set.folder, _own_folders(context)), dict[str, str]()
    try:
        classes.mkdir()
        let_bots_read(classes)
        if whole is not None and source_set.sources and is_independent(source_set, whole.makers):
            copy_classes(source_set, whole.makers, whole.classes, classes)
        elif source_set.sources:
            left = MOST_TIMES * steps.SECONDS
            broken = dict(_Compilers(context, path, source_set, libraries, folder, classes, claims, left).run())
        else:
            broken = copy_class_files(source_set.classes, source_set.folder, classes, _own_folders(context))
            let_bots_read(classes)
    except CopyError as error:
        raise JvmError(str(error)) from None
    except OSError as error:
        check_shortage(error)
        raise JvmError(f"{error.filename or source_set.folder}: {error.strerror}") from None
    found = {} if source_set.is_apart else _find_entries(classes, context, source_set, libraries, broken)
    entries = {name: _find_owners(name, jar, source_set, claims) for name, jar in found.items()}
    (folder / ENTRIES).write_text(json.dumps(entries), encoding="utf-8")
    (folder / BROKEN).write_text(json.dumps(broken), encoding="utf-8")
    (folder / MAKERS).write_text(json.dumps(claims.makers()), encoding="utf-8")


def _find_owners(name: str, jar: str, source_set: SourceSet, claims: Claims) -> list[list[str]]:
    """Return the files that may define an entry: its jar, its possible sources, or its class files."""
    if jar:
        return [[jar]]
    inside = name.replace(".", "/")
    if source_set.sources:
        return [[file] for file in claims.files_of(inside, [source_set.name(file) for file in source_set.sources])]
    return [class_files_of(inside, {source_set.name(file): read_class(file) for file in source_set.classes})]


def _own_folders(context: CompileContext) -> list[Path]:
    return [context.side.classes, context.side.bot_adapter]


# -- compilers


ERROR_LINE = re.compile(
    r"^(?:e: )?(?:\./)?(?P<file>[^\n:]+\.(?:java|scala|kt|groovy|fr)):\s*\(?\d+(?!.{0,12}\bwarning\b).*$", re.M
)
"""The first line of a compiler's error about a file."""
SUMMARY = re.compile(r"^\d+ (?:errors?|warnings?)$.*", re.M | re.S)
DEFINED_TWICE = re.compile(r"duplicate class|already defined|Redeclaration|Duplicate JVM class", re.IGNORECASE)
"""Errors of compilers about a class that two files define."""
JAVA_8 = "8"
MOST_TIMES = 4
"""The time limit for all compilations of a folder, in multiples of `SECONDS`: leaving a file out means a retry."""
OWN_MAIN = "for a program with a main of its own, set `build` and `command` in koth.toml"
MOST_ERROR_TEXT = 4000
"""The most characters that are kept of a compiler's errors on one file."""


def split_errors(output: str, files: Sequence[str]) -> dict[str, str]:
    """Return a compiler's errors by file."""
    known = set(files)
    said: dict[str, list[str]] = {}
    text = SUMMARY.sub("", output)
    found = list(ERROR_LINE.finditer(text))
    starts = [*(match.start() for match in found), len(text)]
    for match, end in zip(found, starts[1:], strict=True):
        if match["file"] in known:
            said.setdefault(match["file"], []).append(text[match.start() : end].rstrip())
    return {name: "\n".join(words)[:MOST_ERROR_TEXT] for name, words in said.items()}


class _Refused(Exception):
    """Raised when a compiler rejects files; holds the whole message, and errors by file if it names files."""

    def __init__(self, whole: JvmError, words: Mapping[str, str]) -> None:
        super().__init__(str(whole))
        self.whole = whole
        self.words = words


@dataclass
class _Compilers:
    """The compilers of a bot: each works on its own copy in `folder`, so that no compiler sees the files of another.

    Compiled classes are moved to `classes`, where the next compiler can read them.
    """

    context: CompileContext
    path: Path
    source_set: SourceSet
    libraries: Sequence[Path]
    folder: Path
    classes: Path
    claims: Claims
    left: float
    """The seconds that are left, as `run_build_step` counts them."""

    def run(self) -> Mapping[str, str]:
        """Compile all files that can be compiled; return the errors of the other files.

        A file that a compiler rejects is left out, as are files that need the rejected file, until the rest is
        accepted. A file that defines a class of another file is left out, too. Raises JvmError when no file is left,
        or when a compiler fails without naming a file.
        """
        copies = find_copies(self.source_set.sources, self.source_set.folder)
        apart = {name: f"the file is the same as {first}" for name, first in copies.items()}
        broken = dict(apart)
        names = [self.source_set.name(file) for file in self.source_set.sources]
        while True:
            try:
                self._compile_all(broken)
                self._retry(broken, apart)
                return broken
            except _Refused as refused:
                new = {name: text for name, text in refused.words.items() if name not in broken}
                if not new or len(broken) + len(new) == len(names):
                    raise refused.whole from None
                broken |= new
            except Disputed as disputed:
                apart |= disputed.words
                broken |= disputed.words
            remove(self.classes)
            self.classes.mkdir()

    def _compile_all(self, broken: Mapping[str, str]) -> None:
        java = self._names_of(".java", broken)
        for ending, language in COMPILED.items():
            own = self._names_of(ending, broken)
            if own and not language.after_java:
                # A compiler of another language reads the Java sources too, so that both may use each other.
                self._check(language.compiler[0], [*own, *java], self._run_other(language, [*own, *java]))
        if java:
            self._compile_java(java)
        for ending, language in COMPILED.items():
            own = self._names_of(ending, broken)
            if own and language.after_java:
                self._check(language.compiler[0], own, self._run_other(language, own))

    def _names_of(self, ending: str, broken: Mapping[str, str]) -> list[str]:
        names = [self.source_set.name(file) for file in self.source_set.with_ending(ending)]
        return [name for name in names if name not in broken]

    def _compile_java(self, files: list[str]) -> None:
        """Compile with the language of the JDK; if javac rejects the files, try Java 8."""
        done = self._run_javac(self.context.jdk.release, files)
        if done.problem and self._run_javac(JAVA_8, files).problem:
            hint = ""
            if b"com.google.common" in done.output and not find_jars(GUAVA):
                hint = f"\nGuava is not installed: install {GUAVA.package}"
            self._check("javac", files, done, hint)

    def _run_javac(self, release: str, files: list[str]) -> BuildResult:
        words = [*javac_words(self.context.jdk, COMPILER_FLAGS, release), "-Xmaxerrs", "100000", "-encoding", "UTF-8"]
        return self._compile(words, "-cp", files)

    def _run_other(self, language: JvmLanguage, files: list[str]) -> BuildResult:
        words = compiler_command(language, self.context.jdk.java, self._libraries(), self.context.frege)
        return self._compile(words, language.class_path, files)

    def _retry(self, broken: dict[str, str], apart: Mapping[str, str]) -> None:
        """Retry broken files, with the compiled classes at hand, and remove files that compile from the list.

        Old Java is compiled as Java 8. A file whose class is defined twice is retried so that koth learns the file's
        class: a compiler may complain about either of the two files, whichever owns the class.
        """
        for release in (self.context.jdk.release, JAVA_8):
            self._retry_java(release, [n for n in broken if n.endswith(".java") and n not in apart], broken)
        for ending, language in COMPILED.items():
            for name in [n for n, text in broken.items() if n.endswith(ending) and DEFINED_TWICE.search(text)]:
                if name not in apart and not self._run_other(language, [name]).problem:
                    del broken[name]

    def _retry_java(self, release: str, rest: list[str], broken: dict[str, str]) -> None:
        while rest:
            done = self._run_javac(release, rest)
            if not done.problem:
                for name in rest:
                    del broken[name]
                return
            refused = split_errors(done.output.decode(errors="replace"), rest)
            if not refused:
                return
            rest = [name for name in rest if name not in refused]

    def _compile(self, words: Sequence[str], class_path: str, files: list[str]) -> BuildResult:
        """Run a compiler on a copy of the bot, and move the compiled classes.

        Raises JvmError, CopyError, OSError, and Disputed when files define a class of another file.
        """
        copy_bot(self.path, self._job, self.source_set.left_out)
        copy = self.source_set.move_to(self._job)
        if _key(self.context, copy, self._libraries()) != _key(self.context, self.source_set, self.libraries):
            raise JvmError(f"{self.path}: the bot changed while koth read it")
        for file in copy.sources:
            sources.convert_to_utf_8(file)
        out, made = Path(tempfile.mkdtemp(prefix="classes.", dir=self._job)), self.folder / "made"
        path = [*_own_folders(self.context), *self._libraries(), self.classes, out]
        joined = ":".join(_escape_name(copy.name(place)) for place in path)
        try:
            done = self._run_step([*words, "-d", out.name, class_path, joined, *map(_escape_name, files)], path)
            if out.is_symlink():
                raise JvmError(f"{self.path}: the compilers have left a link")
            if not done.problem:
                copy_bot(out, made)
                self.claims.take(made, self.classes, files)
                let_bots_read(self.classes)  # so may the next compiler
        finally:
            remove(self._job)
            remove(made)
        return done

    @property
    def _job(self) -> Path:
        return self.folder / "job"

    def _libraries(self) -> list[Path]:
        """Return the class path except koth's own classes, with paths in the copy for files of the bot's folder."""
        return [self._job / self.source_set.name(place) for place in self.libraries]

    def _run_step(self, words: Sequence[str], path: Sequence[Path]) -> BuildResult:
        home = self.context.jdk.javac.parent.parent  # of javac: `java` may belong to another JDK
        environment = {"JAVA_HOME": str(home), "JAVA_OPTS": " ".join(COMPILER_FLAGS)}
        reads = [place.absolute() for place in path if not place.is_relative_to(self._job)]
        reads = [*self.context.jdk.places(), *_parts_of(words[0]), *reads]
        if self.left <= 0:
            raise JvmError(f"{self.path}: the compilers were not done after {MOST_TIMES * steps.SECONDS:g} s")
        seconds = min(steps.SECONDS, self.left)
        done = run_build_step(
            words, self._job, self.context.isolation, environment=environment, reads=reads, seconds=seconds
        )
        self.left -= done.seconds
        return done

    def _check(self, program: str, files: list[str], done: BuildResult, hint: str = "") -> None:
        if not done.problem:
            return
        output = done.output.decode(errors="replace").strip()
        words = split_errors(output, files)
        names = ", ".join(list(words)[:20] or files[:20])
        how = "" if done.problem.startswith("exit status") else f" ({done.problem})"
        whole = f"{self.source_set.folder}: {program} can't compile {names}{how}:\n{output[:MOST_ERROR_TEXT]}{hint}"
        raise _Refused(JvmError(whole.rstrip()), {name: text + hint for name, text in words.items()})


def _escape_name(name: str) -> str:
    """Return a file's name in a form that no compiler takes for an option."""
    return f"./{name}" if name.startswith(("-", "@")) else name


def _parts_of(program: str) -> list[Path]:
    """Return the programs, libraries and settings of a compiler, and no other files of its folder."""
    home = Path(os.path.realpath(program)).parent.parent
    parts = [home / name for name in ("bin", "lib", "conf") if (home / name).is_dir()]
    settings = [file.resolve() for file in (home / "conf").glob("*") if file.is_symlink() and file.exists()]
    return [*parts, *(part.resolve() for part in parts), *settings]


# -- entries


def _find_entries(
    classes: Path, context: CompileContext, source_set: SourceSet, libraries: Sequence[Path], broken: dict[str, str]
) -> dict[str, str]:
    """Return the names of the entry classes, with their jars, without running their code.

    If a class is in two jars, the class is left out, and both jars are recorded as broken. Raises JvmError if no
    other class is left.
    """
    side = context.side
    every = [side.bot_adapter, side.classes, classes, *source_set.jars, *libraries]
    words = [str(context.jdk.java), *LISTER_FLAGS, "-cp", ":".join(map(str, every))]
    words += ["koth.jvm.Entries", side.host, *map(str, (classes, *source_set.jars))]
    reads = [*context.jdk.places(), *(place.absolute() for place in every)]
    done = run_build_step(words, classes, context.isolation, FOR_BOTS, reads=reads)
    lines = done.output.decode(errors="replace").splitlines()
    if done.problem:
        raise JvmError(f"{source_set.folder}: the classes can't be read ({done.problem}):\n" + "\n".join(lines))
    jars_of = ["", *(source_set.name(jar) for jar in source_set.jars)]
    found: dict[str, str] = {}
    for name, *numbers in (line.split("\t") for line in lines if "\t" in line):
        places = [jars_of[int(number)] for number in numbers]
        if len(places) > 1:
            text = f"{' and '.join(places)} both have {name}; leave the class out of one"
            broken |= {jar: f"{broken[jar]}\n{text}" if jar in broken else text for jar in places}
        elif all(part.isidentifier() for part in name.replace("$", "_").split(".")):
            found[name] = places[0]
    if not found and not source_set.scripts and not broken:
        unusable = [line for line in lines if ":" in line]
        text = "\n".join([describe_search(side, source_set), *unusable])
        raise JvmError(f"{source_set.folder}: no entry among the classes\n{text}\n{OWN_MAIN}")
    return found


def describe_search(side: Adapter, source_set: SourceSet) -> str:
    """Return a text that tells which files and classes were searched, for a bot without an entry."""
    files = [*source_set.sources, *source_set.classes, *source_set.jars, *source_set.scripts]
    names = ", ".join(source_set.name(file) for file in files[:20]) or "no files"
    return (
        f"looked at {names}; an entry is a public, concrete class with a constructor without arguments that "
        f"implements the API of {side.game}" + (", or a script that registers a player" if side.registry else "")
    )
