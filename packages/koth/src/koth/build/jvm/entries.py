"""The bots for the JVM in a folder or a file, each with its command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from koth.build.bot_files import read_beginning
from koth.build.jvm.adapter import build_adapter, digest, own_classes
from koth.build.jvm.compiling import CompileContext, class_path, compile_sources
from koth.build.jvm.jdk import JvmError, find_jdk
from koth.build.jvm.languages import (
    COMPILED,
    GUAVA,
    SCRIPTS,
    JvmLanguage,
    find_jars,
    find_registered_names,
    find_runtime,
)
from koth.build.jvm.sources import gather
from koth.files.folders import CopyError
from koth.sandbox.isolation import Isolation
from koth.sandbox.policy import MEGABYTE, MOST_FILES, SandboxPolicy, memory_problem
from koth.session.bot import Bot

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
class JvmBots:
    """The bots for the JVM at one path, and the files that were left out."""

    bots: Sequence[Bot]
    """The bots, named after their classes; their digests do not depend on files."""
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
    jdk, classpath = find_jdk(), manifest.get("classpath", [])
    context = CompileContext(build_adapter(game, jdk), jdk, isolation)
    try:
        words = [classpath] if isinstance(classpath, str) else classpath
        source_set = gather(path, files, own_classes(game), words, left_out)
    except (OSError, CopyError) as error:
        raise JvmError(f"{path}: {error}") from None
    compiled = compile_sources(context, source_set)
    parts, bots = class_path(context, source_set, compiled), []
    for name in compiled.entries:
        simple = name.replace("$", ".").rpartition(".")[2]
        file = next(iter(source_set.declared.get(name.partition("$")[0], ["jar.java"])))
        bot = _bot(game, path, simple, COMPILED[Path(file).suffix], manifest, parts, "class", name)
        bots.append(replace(bot, made=(compiled.folder,), left_out=left_out))
    return JvmBots(bots, compiled.broken, source_set.own)


def find_scripts(game: str, path: Path, script: Path, manifest: Mapping[str, Any]) -> JvmBots:
    """Return the bots that a script registers. Raises JvmError."""
    adapter, language = build_adapter(game, find_jdk()), SCRIPTS[script.suffix]
    libraries = sorted((path / "lib").glob("*.jar")) if path.is_dir() else []
    parts = [adapter.bot_adapter, adapter.classes, *libraries, *find_runtime(language, libraries), *find_jars(GUAVA)]
    names = find_registered_names(read_beginning(script)) or [""]
    words = [(name or script.stem, language, manifest, parts, "script", str(script), name) for name in names]
    return JvmBots([_bot(game, path, *word) for word in words], {})


def _bot(
    game: str,
    path: Path,
    name: str,
    language: JvmLanguage,
    manifest: Mapping[str, Any],
    parts: Sequence[Path],
    *entry: str,
) -> Bot:
    """Return a bot with its command, and the files outside its folder that it must be able to read."""
    memory, jdk = manifest.get("memory", MEMORY), find_jdk()
    if problem := memory_problem(memory):
        raise JvmError(f"{path}: {problem}")
    adapter = build_adapter(game, jdk)
    java = (
        str(jdk.java),
        *FLAGS,
        *adapter.flags,
        f"-Xmx{memory}m",
        *language.options,
        "-cp",
        ":".join(map(str, parts)),
    )
    return Bot(
        name=name,
        path=path,
        folder=path if path.is_dir() else path.parent,
        protocol="frames",
        argv=("/bin/sh", "-c", TAKE_PROTOCOL, "java", *java, "koth.jvm.BotAdapter", adapter.host, *entry),
        digest=digest([entry[0], Path(entry[1]).name, *entry[2:]]),
        reads=tuple(dict.fromkeys([*jdk.places(), *(part.absolute() for part in parts)])),
        policy=SandboxPolicy(memory=(memory + BESIDE_HEAP) * MEGABYTE, open_files=MOST_FILES),
        language=language.name,
        hang_report="unasked",
    )
