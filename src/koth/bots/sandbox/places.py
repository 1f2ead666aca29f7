"""What of the host's files a program must see to run, and under which names it sees them."""

from __future__ import annotations

import contextlib
import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2]
"""The folder of the package `koth`."""

BOT, KOTH = "/bot", "/koth"
"""Where a sandbox shows a bot's folder, and koth's runner."""

SYSTEM = ("/usr",)
"""Shown to everybody, read-only."""

MERGED = ("bin", "sbin", "lib", "lib64", "lib32", "libx32")
"""Folders of the root that are links into /usr, or folders of their own on other systems."""

OWN = ("/proc", "/dev", "/sys")
"""A sandbox has its own of these, or none."""

SETTINGS = (
    "/etc/ld.so.cache",
    "/etc/alternatives",
    "/etc/localtime",
    "/etc/ssl/openssl.cnf",
    *sorted(glob.glob("/etc/java-*")),
)
"""Of /etc, what programs need to be found and loaded."""


@dataclass(frozen=True)
class Shown:
    """A file or folder of the host, and its name inside."""

    source: str
    inside: str


def shown(argv: Sequence[str], folder: Path, reads: Sequence[Path]) -> list[Shown]:
    """What beside the system and the bot's own folder a program needs: interpreters, libraries, koth's runner."""
    places: dict[str, str] = {}
    for path in reads:
        for part in _java(path):
            places[part] = moved(part, [(str(PACKAGE), KOTH)])
    program = argv[0] if argv else ""
    if os.path.isabs(program) and not _inside(program, str(folder)):
        for part in _program(program):
            places[part] = part
    return [Shown(source, inside) for source, inside in places.items() if not _is_system(source)]


def moved(text: str, moves: Sequence[tuple[str, str]]) -> str:
    """A path, or several with colons between them, with folders renamed."""
    parts = text.split(":")
    for at, part in enumerate(parts):
        for old, new in moves:
            if part == old or part.startswith(f"{old}/"):
                parts[at] = new + part[len(old) :]
                break
    return ":".join(parts)


def _is_system(path: str) -> bool:
    return any(_inside(path, system) for system in (*SYSTEM, *SETTINGS))


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _java(path: Path) -> list[str]:
    """A place, and for a Java its settings, which Debian keeps under /etc."""
    settings = {os.path.realpath(file) for file in (path / "conf", path / "lib" / "security")}
    outside = {Path(*Path(file).parts[:3]) for file in settings if file.startswith("/etc/") and os.path.exists(file)}
    return [str(path), *sorted(str(folder) for folder in outside if folder.parts[2].startswith("java"))]


def _program(program: str) -> list[str]:
    """The files and folders that a program outside the system consists of.

    Of a Python environment these are its programs and libraries, not whatever else lies beside them.
    """
    folders: dict[str, None] = {}
    files: list[str] = []
    with contextlib.suppress(OSError):  # a bot may name what koth may not look at
        for _ in range(8):
            if any(_inside(os.path.normpath(program), place) for place in OWN):
                break
            folders.update(dict.fromkeys(_python(os.path.dirname(os.path.dirname(program)))))
            if os.access(program, os.X_OK) and os.path.isfile(program):
                files.append(program)
            if not os.path.islink(program):
                break
            program = os.path.normpath(os.path.join(os.path.dirname(program), os.readlink(program)))
    return [*folders, *(file for file in files if not any(_inside(file, folder) for folder in folders))]


def _python(prefix: str) -> list[str]:
    """The parts of a Python installation or environment at this place; nothing if it is none."""
    folders = [os.path.join(prefix, name) for name in ("bin", "lib", "lib64")]
    settings = os.path.join(prefix, "pyvenv.cfg")
    if os.path.isfile(settings):
        base = os.path.dirname(_home(settings))
        return [path for path in (settings, *folders) if os.path.exists(path)] + (_python(base) if base else [])
    libraries = os.listdir(folders[1]) if os.path.isdir(folders[1]) else []
    if not any(name.startswith(("python3", "pypy3")) for name in libraries):
        return []
    return [path for path in folders if os.path.exists(path)]


def _home(settings: str) -> str:
    """The folder of the program from which an environment was made."""
    with open(settings, encoding="utf-8", errors="replace") as file:
        for line in file:
            key, _, value = line.partition("=")
            if key.strip() == "home":
                return value.strip()
    return ""
