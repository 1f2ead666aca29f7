"""Compilation of sources to classes, once for all bots of a folder, in the isolation of the run.

Compilers run code of their sources (Groovy's transformations, Scala's macros), so compilers work on a copy of the
folder, and see no more than a bot sees. Files that a compiler names in an error leave, until a round names none.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from koth.build import steps
from koth.build.jvm.adapter import Adapter, digest, javac_words
from koth.build.jvm.jdk import Jdk, JvmError, fill_once
from koth.build.jvm.languages import COMPILED, GUAVA, JvmLanguage, compiler_command, find_jars, find_runtime
from koth.build.jvm.sources import SourceSet, convert_to_utf_8
from koth.build.steps import BuildResult, run_build_step
from koth.files.folders import CopyError, remove
from koth.sandbox.copies import copy_bot, list_files
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
LISTER_FLAGS = (*COMPILER_FLAGS[:4], "-Xmx128m")
FORMAT = "5"
"""The version of the cache's format; entries of other versions are compiled again."""
CLASSES, RESULT = "classes", "result.json"
"""The names of a folder and of a file in a bot's cache folder."""
JAVA_8 = "8"
MOST_TIMES = 4
"""The time limit for all compilations of a folder, in multiples of `SECONDS`: leaving a file out means a retry."""
MOST_ERROR_TEXT = 4000
"""The most characters that are kept of a compiler's errors on one file."""
ERROR_LINE = re.compile(
    r"^(?:e: )?(?:\./)?(?P<file>[^\n:]+\.(?:java|scala|kt|groovy|fr)):\s*\(?\d+(?!.{0,12}\bwarning\b).*$", re.M
)
"""The first line of a compiler's error about a file."""
SUMMARY = re.compile(r"^\d+ (?:errors?|warnings?)$.*", re.M | re.S)


@dataclass(frozen=True)
class CompileContext:
    """The context of a compilation: the game's adapter, a JDK, and the isolation of compilers."""

    side: Adapter
    jdk: Jdk
    isolation: Isolation

    @property
    def own_folders(self) -> list[Path]:
        """The folders of koth's own classes."""
        return [self.side.classes, self.side.bot_adapter]


@dataclass(frozen=True)
class Compiled:
    """The result of a compilation in koth's cache: the names of the entry classes, and why files were left out."""

    folder: Path
    entries: Sequence[str]
    broken: Mapping[str, str]
    """The compiler's errors by the file's name."""

    @property
    def classes(self) -> list[Path]:
        """The folders of compiled classes, one for each language."""
        return sorted((self.folder / CLASSES).iterdir())


def compile_sources(context: CompileContext, source_set: SourceSet) -> Compiled:
    """Return the classes and entries of a source set, compiled unless they are in the cache.

    Raises JvmError and SandboxError.
    """
    try:
        libraries = _class_path(source_set)
        key = _key(context, source_set, source_set.path, libraries)
        folder = fill_once(f"bot-{key}", lambda to: _Compilation(context, source_set, libraries, key, to).run())
    except CopyError as error:
        raise JvmError(str(error)) from None
    except OSError as error:
        check_shortage(error)
        raise JvmError(f"{error.filename or source_set.path}: {error.strerror}") from None
    entries, broken = json.loads((folder / RESULT).read_text(encoding="utf-8"))
    return Compiled(folder, entries, broken)


def class_path(context: CompileContext, source_set: SourceSet, compiled: Compiled) -> list[Path]:
    """Return the class path of a source set's bots: koth's own classes come first."""
    folder = [source_set.path] if source_set.path.is_dir() else []
    own = [context.side.bot_adapter, context.side.classes, *compiled.classes]
    return [*own, *source_set.jars, *folder, *_class_path(source_set)]


def _class_path(source_set: SourceSet) -> list[Path]:
    """Return the libraries of the bots, and the runtimes of their languages. Raises JvmError that names a package."""
    path = list(source_set.libraries)
    for ending in dict.fromkeys(file.suffix for file in source_set.sources):
        path += find_runtime(COMPILED[ending], source_set.libraries)
    return list(dict.fromkeys(path + find_jars(GUAVA)))


def _key(context: CompileContext, source_set: SourceSet, place: Path, libraries: Sequence[Path]) -> str:
    """Return a digest of everything that the classes depend on, of the files in `place`: the folder, or its copy."""
    parts: list[object] = [FORMAT, context.jdk.about, *(folder.name for folder in context.own_folders)]
    for file in (*source_set.sources, *source_set.jars, *libraries):
        name = source_set.name(file)
        copy = place / name if place.is_dir() else place
        if not file.is_relative_to(source_set.folder):
            status = file.stat()
            parts += [name, status.st_size, status.st_mtime_ns]
        else:
            parts += [copy / inner for inner, _ in list_files(copy)] if copy.is_dir() else [name, copy]
    return digest(parts)


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


@dataclass
class _Compilation:
    """One compilation, on a copy of the folder; `run` fills a folder of the cache.

    All methods raise JvmError, SandboxError, CopyError and OSError.
    """

    context: CompileContext
    source_set: SourceSet
    libraries: Sequence[Path]
    key: str
    folder: Path
    broken: dict[str, str] = field(default_factory=dict)
    left: float = field(default_factory=lambda: MOST_TIMES * steps.SECONDS)
    """The seconds that are left, as `run_build_step` counts them."""

    def run(self) -> None:
        """Compile the languages one after the other, and write the classes, entries and broken files."""
        whole, classes = self.source_set, self.folder / CLASSES
        copy_bot(whole.path, self._job, whole.left_out)
        if _key(self.context, whole, self._job, self.libraries) != self.key:
            raise JvmError(f"{whole.path}: the bot changed while koth read it")
        for file in whole.sources:
            convert_to_utf_8(self._job / whole.name(file))
        for name, files in whole.declared.items():
            if len(files) > 1:
                text = f"{' and '.join(files)} both declare {name}: rename one, or give each bot a folder"
                self.broken |= dict.fromkeys(files, text)
        classes.mkdir()
        classes.chmod(0o755)  # whatever the umask: the next compiler reads it
        for ending, language in COMPILED.items():
            while self._files(ending) and not self._compile(ending, language, classes / language.name):
                pass
        remove(self._job)
        entries = self._find_entries(classes)
        (self.folder / RESULT).write_text(json.dumps([entries, self.broken]), encoding="utf-8")

    @property
    def _job(self) -> Path:
        return self.folder / "job"

    def _files(self, ending: str) -> list[str]:
        names = map(self.source_set.name, self.source_set.sources)
        return [name for name in names if name.endswith(ending) and name not in self.broken]

    def _compile(self, ending: str, language: JvmLanguage, to: Path) -> bool:
        """Compile the files of a language; return whether the compiler accepts them, or leave out those it names.

        Of several ways to compile the files, the one counts that names the fewest files.
        """
        files = self._files(ending) + (self._files(".java") if language.reads_java else [])
        least: dict[str, str] = {}
        first = ""
        for words in self._commands(language):
            done = self._run(words, language.class_path, files, to)
            if not done.problem:
                return True
            output = done.output.decode(errors="replace").strip()
            how = "" if done.problem.startswith("exit status") else f" ({done.problem})"
            first = first or f"{self.source_set.folder}: {language.name} can't be compiled{how}:\n{output}"
            named = split_errors(output, files)
            if named and not 0 < len(least) <= len(named):
                least = named
        if not least:
            raise JvmError(first[:MOST_ERROR_TEXT].rstrip(":\n"))
        hint = f"\nGuava is not installed: install {GUAVA.package}" if not find_jars(GUAVA) else ""
        self.broken |= {name: text + hint * ("com.google.common" in text) for name, text in least.items()}
        return False

    def _commands(self, language: JvmLanguage) -> Iterator[list[str]]:
        """Yield the compiler's commands: old Java is also tried as Java 8."""
        if language.name != "java":
            yield compiler_command(language, self.context.jdk, self.source_set.libraries)
            return
        for release in (self.context.jdk.release, JAVA_8):
            words = javac_words(self.context.jdk, COMPILER_FLAGS, release)
            yield [*words, "-Xmaxerrs", "100000", "-encoding", "UTF-8"]

    def _run(self, words: Sequence[str], class_path: str, files: Sequence[str], to: Path) -> BuildResult:
        """Run a compiler on the copy, and copy the compiled classes to the folder `to`."""
        if self.left <= 0:
            seconds = MOST_TIMES * steps.SECONDS
            raise JvmError(f"{self.source_set.path}: the compilers were not done after {seconds:g} s")
        out = self._job / f"koth-{to.name}"
        remove(out)
        out.mkdir()
        path = [*self.context.own_folders, *self.libraries, *sorted(to.parent.iterdir())]
        joined = ":".join([*(_escape(self.source_set.name(place)) for place in path), out.name])
        line = [self.source_set.name(Path(word)) if word.startswith("/") else word for word in words]
        line += ["-d", out.name, class_path, joined, *map(_escape, files)]
        home = self.context.jdk.javac.parent.parent  # of javac: `java` may belong to another JDK
        done = run_build_step(
            line,
            self._job,
            self.context.isolation,
            environment={"JAVA_HOME": str(home), "JAVA_OPTS": " ".join(COMPILER_FLAGS)},
            reads=[*self.context.jdk.places(), *_parts_of(words[0]), *self._outside(path)],
            seconds=min(steps.SECONDS, self.left),
        )
        self.left -= done.seconds
        if out.is_symlink():
            raise JvmError(f"{self.source_set.path}: the compilers have left a link")
        if not done.problem:
            copy_bot(out, to)
        return done

    def _outside(self, path: Sequence[Path]) -> Iterator[Path]:
        """Yield the parts of a class path of which the copy has none."""
        yield from (place.absolute() for place in path if not place.is_relative_to(self.source_set.folder))

    def _find_entries(self, classes: Path) -> list[str]:
        """Return the names of the entry classes without running their code; a class of two jars is left out."""
        side, jars = self.context.side, self.source_set.jars
        places = [*sorted(classes.iterdir()), *jars]
        every = [side.bot_adapter, side.classes, *places, *self.libraries]
        words = [str(self.context.jdk.java), *LISTER_FLAGS, "-cp", ":".join(map(str, every))]
        words += ["koth.jvm.Entries", side.host, *map(str, places)]
        reads = [*self.context.jdk.places(), *(place.absolute() for place in every)]
        done = run_build_step(words, classes, self.context.isolation, FOR_BOTS, reads=reads)
        lines = done.output.decode(errors="replace").splitlines()
        if done.problem:
            text = f"{self.source_set.path}: the classes can't be read ({done.problem}):"
            raise JvmError("\n".join([text, *lines]))
        found = []
        for name, *numbers in (line.split("\t") for line in lines if "\t" in line):
            if len(numbers) > 1:
                several = " and ".join(places[int(number)].name for number in numbers)
                self.broken[name] = f"{several} both have {name}: leave the class out of one"
            elif all(part.isidentifier() for part in name.replace("$", "_").split(".")):
                found.append(name)
        if not found and not self.broken:
            files = ", ".join(self.source_set.name(file) for file in (*self.source_set.sources, *jars)[:20])
            text = f"{self.source_set.path}: no entry among the classes of {files}"
            raise JvmError("\n".join([text, *lines, ENTRY]))
        return found


ENTRY = (
    "an entry is a public, concrete class with a constructor without arguments that implements the game's API; for a "
    "program with a main of its own, set `build` and `command` in koth.toml"
)


def _escape(name: str) -> str:
    """Return a file's name in a form that no compiler takes for an option."""
    return f"./{name}" if name.startswith(("-", "@")) else name


def _parts_of(program: str) -> list[Path]:
    """Return the programs, libraries and settings of a compiler, and no other files of its folder."""
    home = Path(os.path.realpath(program)).parent.parent
    parts = [home / name for name in ("bin", "lib", "conf") if (home / name).is_dir()]
    settings = [file.resolve() for file in (home / "conf").glob("*") if file.is_symlink() and file.exists()]
    return [*parts, *(part.resolve() for part in parts), *settings]
