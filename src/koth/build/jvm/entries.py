"""The bots for the JVM in a folder or a file: compilation, the list of entries, and the command of each entry."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from koth.build.bot_files import read_beginning
from koth.build.jvm import sources
from koth.build.jvm.adapter import (
    api_sources,
    build_adapter,
    digest,
    entry_types,
    has_registry,
    own_classes,
    own_package,
)
from koth.build.jvm.compiling import CompileContext, Compiled, class_path, compile_bot, describe_search
from koth.build.jvm.jdk import JvmError, find_jdk
from koth.build.jvm.languages import GUAVA, SCRIPTS, find_jars, find_registered_names, find_runtime, is_frege
from koth.build.jvm.sources import SourceSet
from koth.files.folders import CopyError
from koth.sandbox.isolation import Isolation
from koth.sandbox.policy import memory_problem

MEMORY = 256
"""Megabytes of heap of a bot, unless the bot's manifest sets `memory`."""
BESIDE_HEAP = 256
"""Megabytes that a JVM may need in addition to its heap: classes, compiled code, threads, buffers."""

TAKE_PROTOCOL = 'exec 3<&0 4>&1 0</dev/null 1>&2; exec "$@"'
"""A shell command that moves the protocol to descriptors 3 and 4; the bot's prints go to stderr."""

OPENED_PACKAGES = ("java.base/java.io", "java.base/java.lang", "java.base/java.util", "java.base/sun.nio.ch")
"""Packages of Java that the adapter and the runtimes of scripts access by reflection."""

ADVICE_ON_SHARING = (
    "bots of one folder do not see each other: put shared code into a file without a bot, "
    "or all of the bots into one file"
)
"""Advice to the author of a bot that needs files of another bot."""

FLAGS = (
    "-XX:+IgnoreUnrecognizedVMOptions",
    "-Xshare:auto",
    "-XX:+UseSerialGC",
    "-XX:Tier3InvocationThreshold=1500",
    "-XX:Tier4InvocationThreshold=50000",
    "-XX:Tier4MinInvocationThreshold=20000",
    "-XX:Tier4CompileThreshold=150000",
    "-XX:Tier4BackEdgeThreshold=1000000",
    "-XX:-UsePerfData",
    "-XX:+DisplayVMOutputToStderr",
    "-XX:+ErrorFileToStderr",
    "-XX:-OmitStackTraceInFastThrow",
    "-Djava.awt.headless=true",
    *(f"--add-opens={package}=ALL-UNNAMED" for package in OPENED_PACKAGES),
)
"""The flags of a bot's JVM.

The JVM's compilers start late: dozens of compilers at once, in a match's first turns, would cost more time than they
save. The first compiler (Tier3...) waits longer before methods that are called often and do little, but not before
loops; the optimising compiler (Tier4...) always waits longer. Without the optimising compiler, long matches of bots
that compute much would take twice the time."""


@dataclass(frozen=True)
class JvmEntry:
    """One bot: its name, its command, and the files outside its folder that it must be able to read."""

    name: str
    argv: tuple[str, ...]
    reads: tuple[Path, ...]
    identity: str
    """The digest that distinguishes the bot from other bots of its folder or file."""
    memory: int
    """Megabytes that the bot may use: its heap, and the JVM's own needs."""
    made: tuple[Path, ...] = ()
    """Folders of koth's cache with the bot's compiled files."""
    left_out: frozenset[str] = frozenset()
    """The names of files and folders that belong to other bots and are left out."""
    language: str = "jvm"


def is_for_jvm(game: str, path: Path, language: str = "") -> bool:
    """Return whether this file or folder is a bot for the JVM, judging by its files."""
    return bool(api_sources(game)) and sources.is_for_jvm(path, has_registry(game), language)


@dataclass(frozen=True)
class JvmBots:
    """The bots for the JVM at one path, and the compilers' errors for other files."""

    entries: list[JvmEntry]
    broken: Mapping[Path, str]
    """Files that could be bots but can't be compiled, with the compiler's errors."""
    unused: Mapping[Path, str]
    """Files that can't be bots and that a compiler rejects, with the compiler's errors."""
    own: Sequence[Path]
    """Sources of the game's API and its old host, which are left out."""


def find_bots(
    game: str,
    path: Path,
    manifest: Mapping[str, Any],
    isolation: Isolation,
    leave: Callable[[Path], bool] = lambda file: False,
    frege: str = "",
    others: Iterable[str] = (),
) -> JvmBots:
    """Return the bots at this path, compiled, without the files for which `leave` returns True.

    `frege` is the jar of the Frege compiler; `others` are files and folders at this path that belong to other bots.
    Raises JvmError with the compiler's errors, and SandboxError.
    """
    jdk = find_jdk()
    side = build_adapter(game, jdk)
    language = manifest.get("language", "")
    given = manifest.get("classpath", [])
    given = [given] if isinstance(given, str) else given
    source_set = sources.gather(path, side.registry, language, manifest.get("main", ""), given, leave)
    sources.remove_own(source_set, own_classes(game), own_package(game), entry_types(game))
    source_set.left_out |= frozenset(others)
    beside = sorted(jar for jar in source_set.folder.glob("*.jar") if is_frege(jar))
    context = CompileContext(side, jdk, isolation, frege or next((str(jar.resolve()) for jar in beside), ""))
    memory = manifest.get("memory", MEMORY)
    if problem := memory_problem(memory):
        raise JvmError(f"{path}: {problem}")
    try:
        found = _find_entries(context, path, source_set, memory)
    except (OSError, CopyError) as error:
        raise JvmError(f"{path}: {error}") from None
    if not found.entries and not found.broken:
        raise JvmError(f"{path}: no bot for the JVM here\n{describe_search(side, source_set)}")
    return found


def _find_entries(context: CompileContext, path: Path, source_set: SourceSet, memory: int) -> JvmBots:
    """Return the bots of a source set; no bot sees the files of another bot."""
    taken = set(source_set.scripts)
    found = JvmBots([], {}, {}, source_set.own)
    if source_set.compiles:
        libraries = class_path(source_set, context.frege)
        whole = compile_bot(context, path, source_set, libraries)
        refused = [source_set.folder / file for file in whole.broken]
        taken |= sources.could_be_entries(refused, entry_types(context.side.game))
        taken |= {source_set.folder / file for owners in whole.entries.values() for files in owners for file in files}
        found = _find_classes(context, path, source_set, whole, libraries, taken, memory)
    for script in source_set.scripts:
        apart = source_set.exclude(taken - {script})
        found.entries.extend(_find_scripts(context, apart, script, memory))
    return found


# -- classes


def _find_classes(
    context: CompileContext,
    path: Path,
    source_set: SourceSet,
    whole: Compiled,
    libraries: Sequence[Path],
    taken: Collection[Path],
    memory: int,
) -> JvmBots:
    """Return the entries of classes that were compiled together, each compiled again without other bots' files.

    `taken` holds the files of all bots. Compilers copy constants into the classes that use the constants, and run
    code of some sources, so a class that was compiled together with a rival's source may contain parts of that
    source.
    """
    folder, content = source_set.folder, [digest(source_set.classes)] if source_set.classes else []
    resources = [folder] if folder.is_dir() and len(source_set.sources) != 1 else []
    refused, needy = {folder / name: text for name, text in whole.broken.items()}, dict[Path, str]()
    language, found = sources.languages_of(source_set), []
    for name, owners in whole.entries.items():
        try:
            own, alone, made = _compile_alone(context, path, source_set, whole, libraries, taken, name)
        except JvmError as error:
            needy |= {folder / file: str(error) for files in owners for file in files}
            continue
        jars_of = [
            *(file for file in own if file.suffix == ".jar"),
            *alone.jars,
        ]  # others may have classes of its names
        koths = [context.side.bot_adapter, context.side.classes, made.classes]
        everything = [*koths, *dict.fromkeys(jars_of), *resources, *libraries]
        found.append(
            JvmEntry(
                name.replace("$", ".").rpartition(".")[2],
                _command(context, memory, everything, (), "class", name),
                _reads(context, everything),
                digest(["class", name, *content]),
                memory + BESIDE_HEAP,
                (made.folder,),
                alone.left_out,
                language(name),
            )
        )
    bots = sources.could_be_entries(list(refused), entry_types(context.side.game))
    broken = {file: text for file, text in refused.items() if file in bots} | needy
    unused = {file: text for file, text in refused.items() if file not in bots}
    return JvmBots(found, broken, unused, source_set.own)


def _compile_alone(
    context: CompileContext,
    path: Path,
    source_set: SourceSet,
    whole: Compiled,
    libraries: Sequence[Path],
    taken: Collection[Path],
    name: str,
) -> tuple[list[Path], SourceSet, Compiled]:
    """Return the files of an entry, the source set without other entries' files, and the compiled classes.

    If several files may define the entry, its own is the file that defines it without the other files. Raises
    JvmError if the entry needs files of other entries.
    """
    folder, words = source_set.folder, ""
    for files in whole.entries[name]:
        own = [folder / file for file in files]
        others = set(taken) - set(own)
        if others or source_set.left_out:
            others |= {folder / file for file in whole.broken}
        alone = source_set.exclude(others)
        try:
            made = compile_bot(context, path, alone, libraries, whole) if alone.is_apart else whole
        except JvmError as error:
            words = str(error)
            continue
        if made.has(name) or own[0].suffix == ".jar":
            return own, alone, made
        words = "\n".join(made.broken.get(file, "") for file in files)
    raise JvmError(f"{words}\n{ADVICE_ON_SHARING}")


# -- scripts


def _find_scripts(context: CompileContext, source_set: SourceSet, script: Path, memory: int) -> list[JvmEntry]:
    language = SCRIPTS[script.suffix]
    if not script.is_file():
        raise JvmError(f"{script}: no such file")
    path = [*source_set.libraries, *find_runtime(language, source_set.libraries), *find_jars(GUAVA)]
    everything = [context.side.bot_adapter, context.side.classes, *path]
    names = find_registered_names(read_beginning(script))
    return [
        JvmEntry(
            name or script.stem,
            _command(context, memory, everything, language.options, "script", str(script), name),
            _reads(context, everything),
            digest(["script", source_set.name(script), name]),
            memory + BESIDE_HEAP,
            left_out=source_set.left_out,
            language=language.name,
        )
        for name in names or [""]
    ]


# -- starting


def _command(
    context: CompileContext, memory: int, path: list[Path], options: tuple[str, ...], *entry: str
) -> tuple[str, ...]:
    java = (
        str(context.jdk.java),
        *FLAGS,
        *context.side.flags,
        f"-Xmx{memory}m",
        *options,
        "-cp",
        ":".join(map(str, path)),
    )
    return ("/bin/sh", "-c", TAKE_PROTOCOL, "java", *java, "koth.jvm.BotAdapter", context.side.host, *entry)


def _reads(context: CompileContext, path: list[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys([*context.jdk.places(), *(p.absolute() for p in path)]))
