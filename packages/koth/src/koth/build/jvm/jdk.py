"""The installed Java: its path and version, and the folder of compiled classes."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from koth.errors import KothError
from koth.files.cache import cache_folder
from koth.sandbox import cached_folders

OLDEST = 11
PACKAGE = "default-jdk-headless"


class JvmError(KothError):
    """Raised when a bot for the JVM can't be compiled or started here; the text is for the bot's author."""


@dataclass(frozen=True)
class Jdk:
    """A JDK: its programs, the number of its Java version, and the programs' version texts.

    `version` is the older of the versions of `java` and `javac`, which may come from different JDKs.
    """

    java: Path
    javac: Path
    version: int
    about: str
    release: str = ""
    """The Java release for which javac compiles; empty for javac's own version."""

    def places(self) -> list[Path]:
        """Return the folders that java and javac read: homes, and folders that settings link to (Debian: /etc)."""
        homes = [program.parent.parent for program in (self.java, self.javac)]
        links = [link for home in homes for link in sorted((home / "conf").rglob("*")) if link.is_symlink()]
        outside = [link.resolve() for link in links if not any(map(link.resolve().is_relative_to, homes))]
        return list(dict.fromkeys([*homes, *(Path(*file.parts[:3]) for file in outside if file.exists())]))


def find_jdk() -> Jdk:
    """Return the JDK in JAVA_HOME or on the PATH. Raises JvmError that names the package."""
    return _find_jdk(os.environ.get("JAVA_HOME", ""), os.environ.get("PATH", os.defpath))


@functools.lru_cache(maxsize=8)
def _find_jdk(java_home: str, path: str) -> Jdk:
    places = [os.path.join(java_home, "bin")] if java_home else []
    java, javac = (shutil.which(program, path=os.pathsep.join([*places, path])) for program in ("java", "javac"))
    if not java or not javac:
        lacks = "no JDK (java and javac)" if not java else "a Java without its compiler javac"
        raise JvmError(
            f"bots for the JVM need a JDK of version {OLDEST} or newer; this machine has {lacks}: install {PACKAGE}"
        )
    programs = [Path(java).resolve(), Path(javac).resolve()]
    about = "".join(_run(program, "-version") for program in programs)
    versions = []
    for program, words in ((java, r'version "(?:1\.)?(\d+)'), (javac, r"javac (?:1\.)?(\d+)")):
        found = re.search(words, about)
        versions.append(int(found[1]) if found else 0)
        if versions[-1] < OLDEST:
            needed = f"bots for the JVM need {OLDEST} or newer: install {PACKAGE}"
            raise JvmError(f"{program} has version {versions[-1]}; {needed}")
    release = str(versions[0]) if versions[0] < versions[1] else ""
    return Jdk(programs[0], programs[1], min(versions), about, release)


def _run(program: Path, argument: str) -> str:
    try:
        done = subprocess.run(
            [program, argument],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise JvmError(f"{program} can't be run: {error}") from None
    return done.stdout.decode(errors="replace")


def fill_once(key: str, make: Callable[[Path], None]) -> Path:
    """Return the cache folder with this key; `make` fills the folder if it does not exist yet."""
    try:
        root = cache_folder("jvm")
    except PermissionError as error:
        raise JvmError(str(error)) from None
    return cached_folders.fill_once(root, key, make)
