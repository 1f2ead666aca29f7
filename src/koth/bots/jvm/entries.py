"""From a folder or a file to the bots in it: compile, list the entries, and say how each is started."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from koth.bots.jvm import sources
from koth.bots.jvm.adapter import adapter, digest, has_registry
from koth.bots.jvm.compiling import Shop, class_path, compiled, looked_at
from koth.bots.jvm.jdk import JvmError, find_jdk
from koth.bots.jvm.languages import GUAVA, SCRIPTS, jars, registered_names, runtime
from koth.bots.jvm.sources import Material
from koth.bots.sandbox.isolation import Isolation
from koth.errors import choices

MEMORY = 256
"""Megabytes of heap that a bot has unless its manifest says otherwise (`memory`)."""
MEMORY_RANGE = range(16, 4097)
BESIDE_HEAP = 256
"""Megabytes that a JVM may need beside its heap: classes, compiled code, threads, buffers."""

TAKE_PROTOCOL = 'exec 3<&0 4>&1 0</dev/null 1>&2; exec "$@"'
"""A shell's line that moves the wire to descriptors 3 and 4; what the bot prints goes to stderr."""

OPENED = ("java.base/java.io", "java.base/java.lang", "java.base/java.util", "java.base/sun.nio.ch")
"""Parts of Java that the runner and the runtimes of scripts reach into."""

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
    *(f"--add-opens={package}=ALL-UNNAMED" for package in OPENED),
)
"""How a bot's JVM is started.

The compilers come late: dozens of them at once, in a match's first turns, cost more than they give. The first one
(Tier3...) waits longer with methods that are called often and do little, not with loops; the optimising one
(Tier4...) with all, but left out altogether, long matches of bots that compute much would take twice the time.
"""


@dataclass(frozen=True)
class JvmEntry:
    """One bot: its name, the command that starts it, and what it must be able to read beside its folder."""

    name: str
    argv: tuple[str, ...]
    reads: tuple[Path, ...]
    identity: str
    """What makes it this one of the bots of its folder or file."""
    memory: int
    """Megabytes that it may use: its heap, and what the JVM itself needs."""
    made: tuple[Path, ...] = ()
    """Folders of koth's cache with what was compiled for it."""


def is_for_jvm(game: str, path: Path, language: str = "") -> bool:
    """Whether this file or folder is a bot for the JVM, as far as its files tell."""
    return sources.is_for_jvm(path, has_registry(game), language)


def entries(game: str, path: Path, manifest: Mapping[str, Any], isolation: Isolation) -> list[JvmEntry]:
    """The bots at this path, compiled. Raises JvmError with the compiler's words, and SandboxError."""
    jdk = find_jdk()
    side = adapter(game, jdk)
    shop = Shop(side, jdk, isolation)
    language = manifest.get("language", "")
    given = manifest.get("classpath", [])
    material = sources.gather(
        path, side.registry, language, manifest.get("main", ""), [given] if isinstance(given, str) else given
    )
    memory = manifest.get("memory", MEMORY)
    if memory not in MEMORY_RANGE:
        raise JvmError(f"{path}: memory must be in {MEMORY_RANGE.start}..{MEMORY_RANGE.stop - 1} MB, not {memory}")
    found: list[JvmEntry] = []
    if material.compiles:
        found += _classes(shop, path, material, memory)
    for script in material.scripts:
        found += _scripts(shop, material, script, memory)
    if not found:
        raise JvmError(f"{path}: no bot for the JVM here\n{looked_at(side, material)}")
    return _picked(found, manifest.get("entry", ""), path)


def _picked(found: list[JvmEntry], entry: str, path: Path) -> list[JvmEntry]:
    if not entry:
        return found
    picked = [bot for bot in found if entry in (bot.name, bot.argv[-1])]
    if not picked:
        raise JvmError(f"{path}: entry = {entry!r}: no such entry{choices(entry, [bot.name for bot in found])}")
    return picked


# -- classes


def _classes(shop: Shop, path: Path, material: Material, memory: int) -> list[JvmEntry]:
    libraries = class_path(material)
    made = compiled(shop, path, material, libraries)
    names = (made / "entries.txt").read_text(encoding="utf-8").split()
    resources = [material.folder] if material.folder.is_dir() and len(material.sources) != 1 else []
    everything = [
        *(shop.side.runner, shop.side.classes, made / "classes"),
        *(*material.jars, *resources, *libraries),
    ]
    return [
        JvmEntry(
            name.replace("$", ".").rpartition(".")[2],
            _command(shop, memory, everything, (), "class", name),
            _reads(shop, everything),
            digest(["class", name, *material.classes]),
            memory + BESIDE_HEAP,
            (made,),
        )
        for name in names
    ]


# -- scripts


def _scripts(shop: Shop, material: Material, script: Path, memory: int) -> list[JvmEntry]:
    language = SCRIPTS[script.suffix]
    if not script.is_file():
        raise JvmError(f"{script}: no such file")
    path = [*material.libraries, *runtime(language, material.libraries), *jars(GUAVA)]
    everything = [shop.side.runner, shop.side.classes, *path]
    text = script.read_text(encoding="utf-8", errors="replace")
    names = registered_names(text)
    return [
        JvmEntry(
            name or script.stem,
            _command(shop, memory, everything, language.options, "script", str(script), name),
            _reads(shop, everything),
            digest(["script", material.name(script), name]),
            memory + BESIDE_HEAP,
        )
        for name in names or [""]
    ]


# -- starting


def _command(shop: Shop, memory: int, path: list[Path], options: tuple[str, ...], *entry: str) -> tuple[str, ...]:
    java = (str(shop.jdk.java), *FLAGS, *shop.side.flags, f"-Xmx{memory}m", *options, "-cp", ":".join(map(str, path)))
    return ("/bin/sh", "-c", TAKE_PROTOCOL, "java", *java, "koth.jvm.Runner", shop.side.host, *entry)


def _reads(shop: Shop, path: list[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys([*shop.jdk.places(), *(p.absolute() for p in path)]))
