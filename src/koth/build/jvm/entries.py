"""The bots for the JVM in a folder or a file: the list of entries, and the command of each entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from koth.build.bot_files import read_beginning
from koth.build.jvm.adapter import Adapter, build_adapter, digest, own_classes
from koth.build.jvm.compiling import CompileContext, class_path, compile_sources
from koth.build.jvm.jdk import Jdk, JvmError, find_jdk
from koth.build.jvm.languages import COMPILED, GUAVA, SCRIPTS, find_jars, find_registered_names, find_runtime
from koth.build.jvm.sources import SourceSet, gather
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
    language: str
    made: tuple[Path, ...] = ()
    """Folders of koth's cache with the bot's compiled files."""
    left_out: frozenset[str] = frozenset()
    """The names of files and folders that belong to other bots and are not copied."""


@dataclass(frozen=True)
class JvmBots:
    """The bots for the JVM at one path, and the files that were left out."""

    entries: Sequence[JvmEntry]
    broken: Mapping[str, str]
    """The compilers' errors, by the file's name."""
    own: Sequence[Path] = ()
    """Sources of the game's API, which koth brings itself."""


def find_classes(
    game: str,
    path: Path,
    files: Sequence[Path],
    manifest: Mapping[str, Any],
    isolation: Isolation,
    left_out: frozenset[str] = frozenset(),
) -> JvmBots:
    """Return the bots among these sources or jars of a folder, or in one file, compiled together.

    `left_out` are files and folders at this path that belong to other bots. Raises JvmError and SandboxError.
    """
    jdk = find_jdk()
    context = CompileContext(build_adapter(game, jdk), jdk, isolation)
    memory, classpath = _memory(path, manifest), manifest.get("classpath", [])
    try:
        words = [classpath] if isinstance(classpath, str) else classpath
        source_set = gather(path, files, own_classes(game), words, left_out)
    except (OSError, CopyError) as error:
        raise JvmError(f"{path}: {error}") from None
    compiled = compile_sources(context, source_set)
    parts = class_path(context, source_set, compiled)
    entries = [
        JvmEntry(
            name.replace("$", ".").rpartition(".")[2],
            _command(context.side, jdk, memory, parts, (), "class", name),
            _reads(jdk, parts),
            digest(["class", name]),
            memory + BESIDE_HEAP,
            _language(source_set, name),
            (compiled.folder,),
            left_out,
        )
        for name in compiled.entries
    ]
    return JvmBots(entries, compiled.broken, source_set.own)


def _language(source_set: SourceSet, name: str) -> str:
    """Return the language of the source that declares a class."""
    file = next(iter(source_set.declared.get(name.partition("$")[0], ["jar.java"])))
    return COMPILED[Path(file).suffix].name


def find_scripts(game: str, path: Path, script: Path, manifest: Mapping[str, Any]) -> JvmBots:
    """Return the bots that a script registers. Raises JvmError."""
    jdk, language = find_jdk(), SCRIPTS[script.suffix]
    adapter, memory = build_adapter(game, jdk), _memory(path, manifest)
    libraries = sorted((path / "lib").glob("*.jar")) if path.is_dir() else []
    parts = [adapter.bot_adapter, adapter.classes, *libraries, *find_runtime(language, libraries), *find_jars(GUAVA)]
    names = find_registered_names(read_beginning(script)) or [""]
    entries = [
        JvmEntry(
            name or script.stem,
            _command(adapter, jdk, memory, parts, language.options, "script", str(script), name),
            _reads(jdk, parts),
            digest(["script", script.name, name]),
            memory + BESIDE_HEAP,
            language.name,
        )
        for name in names
    ]
    return JvmBots(entries, {})


def _memory(path: Path, manifest: Mapping[str, Any]) -> int:
    memory: int = manifest.get("memory", MEMORY)
    if problem := memory_problem(memory):
        raise JvmError(f"{path}: {problem}")
    return memory


def _command(
    adapter: Adapter, jdk: Jdk, memory: int, path: Sequence[Path], options: tuple[str, ...], *entry: str
) -> tuple[str, ...]:
    joined = ":".join(map(str, path))
    java = (str(jdk.java), *FLAGS, *adapter.flags, f"-Xmx{memory}m", *options, "-cp", joined)
    return ("/bin/sh", "-c", TAKE_PROTOCOL, "java", *java, "koth.jvm.BotAdapter", adapter.host, *entry)


def _reads(jdk: Jdk, path: Sequence[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys([*jdk.places(), *(part.absolute() for part in path)]))
