"""A game's API and host, and koth's bot adapter, as compiled classes."""

from __future__ import annotations

import functools
import hashlib
import re
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from koth.build.jvm.jdk import Jdk, JvmError, fill_once
from koth.games import home

HERE = Path(__file__).resolve().parent
RELEASE = "11"
"""The release for which koth's own classes are compiled: the oldest Java that koth supports."""


@dataclass(frozen=True)
class Adapter:
    """A game's code for the JVM: folders of classes, the host's name, JVM flags."""

    game: str
    bot_adapter: Path
    classes: Path
    host: str
    flags: tuple[str, ...]


def api_folder(game: str) -> Path:
    """Return the folder of the API's Java files."""
    return home(game).folder / "jvm" / "api"


def api_sources(game: str) -> list[Path]:
    """Return the Java files of the API for which the game's bots are written; none if the game has no such API."""
    return sorted(api_folder(game).rglob("*.java"))


@functools.cache
def own_classes(game: str) -> frozenset[str]:
    """Return koth's own classes of the game's API, with their packages."""
    return frozenset(".".join(file.relative_to(api_folder(game)).with_suffix("").parts) for file in api_sources(game))


@functools.cache
def entry_types(game: str) -> frozenset[str]:
    """Return the simple names of the types that bots implement or extend: interfaces and abstract classes."""
    pattern = re.compile(r"\bpublic\s+(?:interface|abstract\s+class)\s+(\w+)")
    texts = (file.read_text(encoding="utf-8") for file in api_sources(game))
    return frozenset(name for text in texts for name in pattern.findall(text))


def digest(parts: Iterable[object]) -> str:
    """Return a short digest of these parts: texts, or the contents of files."""
    total = hashlib.blake2b(digest_size=10)
    for part in parts:
        data = part.read_bytes() if isinstance(part, Path) else str(part).encode("utf-8", "surrogateescape")
        total.update(len(data).to_bytes(8, "little") + data)
    return total.hexdigest()


def build_adapter(game: str, jdk: Jdk) -> Adapter:
    """Return the adapter of a game, compiled on the first use."""
    api = api_sources(game)
    if not api:
        raise JvmError(f"{game} has no API for the JVM")
    folder = home(game).folder / "jvm" / "host"
    host = sorted(folder.rglob("*.java"))
    bot_adapter = _compile("bot_adapter", jdk, sorted((HERE / "java").rglob("*.java")), [])
    classes = _compile(game, jdk, [*api, *host], [bot_adapter])
    (main,) = (file for file in host if file.name.endswith("Host.java"))
    name = ".".join(main.relative_to(folder).with_suffix("").parts)
    return Adapter(game, bot_adapter, classes, name, tuple(flags_of(game)))


def flags_of(game: str) -> list[str]:
    """Return the flags of a game's `jvm/flags.txt`, which its bots' JVMs get in addition to koth's own."""
    file = home(game).folder / "jvm" / "flags.txt"
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return [line for line in lines if line and not line.startswith("#")]


def _compile(name: str, jdk: Jdk, sources: Sequence[Path], path: Sequence[Path]) -> Path:
    key = f"{name}-{digest([jdk.about, *(p.name for p in path), *sources])}"

    def make(folder: Path) -> None:
        done = javac(jdk, sources, path, folder)
        if done.returncode:
            raise JvmError(f"{jdk.javac} can't compile koth's own classes:\n{done.stdout}")

    return fill_once(key, make)


def javac(jdk: Jdk, sources: Sequence[Path], path: Sequence[Path], out: Path) -> subprocess.CompletedProcess[str]:
    """Compile koth's own classes with javac, within five minutes; all output is in `stdout`."""
    words = [*javac_words(jdk, ["-Xshare:auto", "-XX:TieredStopAtLevel=1"], RELEASE), "-encoding", "UTF-8"]
    words += ["-cp", ":".join(map(str, path)) or ".", "-d", str(out), *map(str, sources)]
    try:
        return subprocess.run(
            words,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=300,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise JvmError(f"{jdk.javac} timed out after five minutes") from None
    except OSError as error:
        raise JvmError(f"{jdk.javac} can't be run: {error.strerror}") from None


def javac_words(jdk: Jdk, flags: Sequence[str], release: str = "") -> list[str]:
    """Return the command of javac, with flags for javac's JVM; javac executes no compiled code."""
    words = [str(jdk.javac), *(f"-J{flag}" for flag in flags), "-g", "-nowarn", "-proc:none", "-Xlint:-options"]
    words += ["-processorpath", ""]  # else it runs plug-ins that it finds on its class path
    return [*words, *(["--release", release] if release else []), "-sourcepath", ""]
