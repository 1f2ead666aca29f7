"""From a folder or a file to the bots in it: compile, list the entries, and say how each is started."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from koth.bots.jvm import sources
from koth.bots.jvm.adapter import Adapter, adapter, digest, has_registry, javac, run
from koth.bots.jvm.jdk import Jdk, JvmError, find_jdk, made_once
from koth.bots.jvm.languages import COMPILED, GUAVA, SCRIPTS, Language, compiler, jars, registered_names, runtime
from koth.bots.jvm.sources import Material
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

The optimising compiler comes late (Tier4...): dozens of them at once, in a match's first turns, would cost more
than they give; left out altogether, long matches of bots that compute much would take twice the time.
"""


@dataclass(frozen=True)
class JvmEntry:
    """One bot: its name, the command that starts it, and what it must be able to read beside its folder."""

    name: str
    argv: tuple[str, ...]
    reads: tuple[Path, ...]
    digest: str
    memory: int
    """Megabytes that it may use: its heap, and what the JVM itself needs."""


def is_for_jvm(game: str, path: Path, language: str = "") -> bool:
    """Whether this file or folder is a bot for the JVM, as far as its files tell."""
    return sources.is_for_jvm(path, has_registry(game), language)


def entries(game: str, path: Path, manifest: Mapping[str, Any]) -> list[JvmEntry]:
    """The bots at this path, compiled. Raises JvmError with the compiler's words."""
    jdk = find_jdk()
    side = adapter(game, jdk)
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
        found += _classes(side, jdk, material, memory)
    for script in material.scripts:
        found += _scripts(side, jdk, material, script, memory)
    if not found:
        raise JvmError(f"{path}: no bot for the JVM here\n{_looked_at(side, material)}")
    return _picked(found, manifest.get("entry", ""), path)


def _looked_at(side: Adapter, material: Material) -> str:
    files = [*material.sources, *material.classes, *material.jars, *material.scripts]
    names = ", ".join(str(file.relative_to(material.folder)) for file in files[:20]) or "no files"
    return (
        f"looked at {names}; an entry is a public, concrete class with a constructor without arguments that "
        f"implements the API of {side.game}" + (", or a script that registers a player" if side.registry else "")
    )


def _picked(found: list[JvmEntry], entry: str, path: Path) -> list[JvmEntry]:
    if not entry:
        return found
    picked = [bot for bot in found if entry in (bot.name, bot.argv[-1])]
    if not picked:
        raise JvmError(f"{path}: entry = {entry!r}: no such entry{choices(entry, [bot.name for bot in found])}")
    return picked


# -- classes


def _classes(side: Adapter, jdk: Jdk, material: Material, memory: int) -> list[JvmEntry]:
    languages = [language for ending, language in COMPILED.items() if _of(material, ending)]
    path = _class_path(material, languages)
    key = digest(
        [
            *(
                jdk.about,
                side.runner.name,
                side.classes.name,
                *map(str, path),
                *(language.name for language in languages),
            ),
            *(part for file in material.sources for part in (str(file.relative_to(material.folder)), file)),
            *material.classes,
            *(file for file in (*material.libraries, *material.jars) if file.is_file()),
        ]
    )
    compiled = made_once(f"bot-{key}", lambda folder: _make(folder, side, jdk, material, path))
    names = (compiled / "entries.txt").read_text(encoding="utf-8").split()
    resources = [material.folder] if material.folder.is_dir() and len(material.sources) != 1 else []
    everything = [side.runner, side.classes, compiled / "classes", *material.jars, *resources, *path]
    return [
        JvmEntry(
            name.replace("$", ".").rpartition(".")[2],
            _command(jdk, side, memory, everything, (), "class", name),
            _reads(jdk, everything),
            digest([key, name]),
            memory + BESIDE_HEAP,
        )
        for name in names
    ]


def _of(material: Material, ending: str) -> list[Path]:
    return [file.relative_to(material.folder) for file in material.sources if file.suffix == ending]


def _class_path(material: Material, languages: list[Language]) -> list[Path]:
    path = list(material.libraries)
    for language in languages:
        path += runtime(language, material.libraries)
    return path + jars(GUAVA)


def _make(folder: Path, side: Adapter, jdk: Jdk, material: Material, path: list[Path]) -> None:
    """Compile the sources (or take the classes as they are), and list the entries among them."""
    out = folder / "classes"
    out.mkdir()
    for file in material.classes:
        place = out / f"{sources.class_name(file)}.class"
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
    _compile(out, jdk, material, [side.classes, *path])
    places = [str(place) for place in (out, *material.jars)]
    every = ":".join(map(str, [side.runner, side.classes, out, *material.jars, *path]))
    done = run([str(jdk.java), "-Xshare:auto", "-cp", every, "koth.jvm.Entries", side.host, *places], folder)
    if done.returncode:
        raise JvmError(f"{material.folder}: its classes can't be read:\n{done.stdout}")
    lines = done.stdout.splitlines()
    names = [line for line in lines if ":" not in line]
    if not names and not material.scripts:
        unusable = [line for line in lines if ":" in line]
        raise JvmError(
            f"{material.folder}: no entry among its classes\n" + "\n".join([_looked_at(side, material), *unusable])
        )
    (folder / "entries.txt").write_text("\n".join(names), encoding="utf-8")


def _compile(out: Path, jdk: Jdk, material: Material, path: list[Path]) -> None:
    java = _of(material, ".java")
    for ending, language in COMPILED.items():
        own = _of(material, ending)
        if own and language.name != "groovy":
            # A compiler of another language reads the Java sources too, so that both may use each other.
            _compile_other(out, material, language, [*own, *java], path)
    if java:
        _compile_java(out, jdk, material, java, [*path, out])
    groovy = _of(material, ".groovy")
    if groovy:
        _compile_other(out, material, COMPILED[".groovy"], groovy, path)


def _compile_java(out: Path, jdk: Jdk, material: Material, files: list[Path], path: list[Path]) -> None:
    """Compile with the language of the JDK; what is no Java there any more is tried as Java 8."""
    done = javac(jdk, ["-Xlint:-options"], files, path, out, material.folder)
    if (
        done.returncode
        and javac(jdk, ["--release", "8", "-Xlint:-options"], files, path, out, material.folder).returncode
    ):
        hint = ""
        if "com.google.common" in done.stdout and not jars(GUAVA):
            hint = f"\nGuava is not installed: install {GUAVA.package}"
        raise _compile_error(material, files, "javac", done.stdout + hint)


def _compile_other(out: Path, material: Material, language: Language, files: list[Path], path: list[Path]) -> None:
    words = [*compiler(language), "-d", str(out), "-cp", ":".join(map(str, [*path, out])), *map(str, files)]
    done = run(words, material.folder)
    if done.returncode:
        raise _compile_error(material, files, language.compiler[0], done.stdout)


def _compile_error(material: Material, files: list[Path], program: str, text: str) -> JvmError:
    names = ", ".join(map(str, files[:20]))
    return JvmError(f"{material.folder}: {program} can't compile {names}:\n{text.strip()[:4000]}")


# -- scripts


def _scripts(side: Adapter, jdk: Jdk, material: Material, script: Path, memory: int) -> list[JvmEntry]:
    language = SCRIPTS[script.suffix]
    if not script.is_file():
        raise JvmError(f"{script}: no such file")
    path = [*material.libraries, *runtime(language, material.libraries), *jars(GUAVA)]
    everything = [side.runner, side.classes, *path]
    text = script.read_text(encoding="utf-8", errors="replace")
    names = registered_names(text)
    return [
        JvmEntry(
            name or script.stem,
            _command(jdk, side, memory, everything, language.options, "script", str(script), name),
            _reads(jdk, everything),
            digest([script, name]),
            memory + BESIDE_HEAP,
        )
        for name in names or [""]
    ]


# -- starting


def _command(
    jdk: Jdk, side: Adapter, memory: int, path: list[Path], options: tuple[str, ...], *entry: str
) -> tuple[str, ...]:
    java = (str(jdk.java), *FLAGS, f"-Xmx{memory}m", *options, "-cp", ":".join(map(str, path)))
    return ("/bin/sh", "-c", TAKE_PROTOCOL, "java", *java, "koth.jvm.Runner", side.host, *entry)


def _reads(jdk: Jdk, path: list[Path]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys([*jdk.places(), *(p.absolute() for p in path)]))
