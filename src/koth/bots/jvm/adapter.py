"""A game's API and host, and koth's runner, as compiled classes."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from koth.bots.jvm.jdk import Jdk, JvmError, made_once

HERE = Path(__file__).resolve().parent
GAMES = HERE.parent.parent / "games"
RELEASE = "11"
"""Everything of koth's own is compiled for the oldest Java it runs on."""


@dataclass(frozen=True)
class Adapter:
    """The JVM side of a game: folders of classes, the name of its host, and whether scripts can register."""

    game: str
    runner: Path
    classes: Path
    host: str
    registry: bool


def api_sources(game: str) -> list[Path]:
    """The Java files of the API that the game's bots are written against; none when it has no such API."""
    return sorted((GAMES / game / "jvm" / "api").rglob("*.java"))


def has_registry(game: str) -> bool:
    """Whether scripts can be bots of this game."""
    return any(file.name == "PlayerRegistry.java" for file in api_sources(game))


def digest(parts: Iterable[object]) -> str:
    """A short digest of these parts, each by its text or by a file's content."""
    total = hashlib.blake2b(digest_size=10)
    for part in parts:
        data = part.read_bytes() if isinstance(part, Path) else str(part).encode("utf-8", "surrogateescape")
        total.update(len(data).to_bytes(8, "little") + data)
    return total.hexdigest()


def adapter(game: str, jdk: Jdk) -> Adapter:
    """The adapter of a game, compiled on its first use."""
    api = api_sources(game)
    if not api:
        raise JvmError(f"{game} has no API for the JVM")
    host = sorted((GAMES / game / "jvm" / "host").rglob("*.java"))
    runner = _compiled("runner", jdk, sorted((HERE / "java").rglob("*.java")), [])
    classes = _compiled(game, jdk, [*api, *host], [runner])
    (main,) = (file for file in host if file.name.endswith("Host.java"))
    name = ".".join(main.relative_to(GAMES / game / "jvm" / "host").with_suffix("").parts)
    return Adapter(game, runner, classes, name, has_registry(game))


def _compiled(name: str, jdk: Jdk, sources: Sequence[Path], path: Sequence[Path]) -> Path:
    key = f"{name}-{digest([jdk.about, *(p.name for p in path), *sources])}"

    def make(folder: Path) -> None:
        done = javac(jdk, ["--release", RELEASE, "-Xlint:-options"], sources, path, folder, Path("/"))
        if done.returncode:
            raise JvmError(f"{jdk.javac} can't compile koth's own classes:\n{done.stdout}")

    return made_once(key, make)


def javac(
    jdk: Jdk, options: Sequence[str], sources: Sequence[Path], path: Sequence[Path], out: Path, folder: Path
) -> subprocess.CompletedProcess[str]:
    """Run javac in a folder; no code of the sources or of the class path runs while they are compiled."""
    sources_file = out / "sources.list"
    quoted = (str(file).replace("\\", "\\\\").replace('"', '\\"') for file in sources)
    sources_file.write_text("".join(f'"{file}"\n' for file in quoted), encoding="utf-8", errors="surrogateescape")
    words = [str(jdk.javac), "-J-Xshare:auto", "-J-XX:TieredStopAtLevel=1", "-g", "-nowarn", "-proc:none", *options]
    words += ["-encoding", encoding(folder, sources), "-cp", ":".join(map(str, path)) or ".", "-sourcepath", ""]
    words += ["-d", str(out), f"@{sources_file}"]
    try:
        return run(words, folder)
    finally:
        sources_file.unlink()


def encoding(folder: Path, sources: Sequence[Path]) -> str:
    """UTF-8, or Latin-1 for old sources that are not UTF-8."""
    try:
        for file in sources:
            (folder / file).read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return "ISO-8859-1"
    return "UTF-8"


def run(words: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a compiler, at most five minutes; its whole output is in `stdout`."""
    try:
        return subprocess.run(
            words,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=300,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise JvmError(f"{words[0]} is not done after five minutes") from None
    except OSError as error:
        raise JvmError(f"{words[0]} can't be run: {error.strerror}") from None
