"""The host's files that a program must see to run, and the names under which it sees them."""

from __future__ import annotations

import contextlib
import glob
import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from koth.files.cache import cache_folder
from koth.sandbox.elf import libraries

PACKAGE = Path(__file__).resolve().parents[1]
"""The folder of the package `koth`."""

BOT, KOTH, CLASSES, STAGED = "/bot", "/koth", "/classes", "/settings"
"""Where a sandbox shows a bot's folder, koth's runner, what koth has compiled for the JVM, and the `SETTINGS`."""

HEADERS = "include"
"""A folder of a Python, for compilers alone."""

SYSTEM = ("/usr",)
"""Shown to every program, read-only."""

MERGED = ("bin", "sbin", "lib", "lib64", "lib32", "libx32")
"""Folders of the root that are links into /usr, or folders of their own on other systems."""

OWN = ("/proc", "/dev", "/sys")
"""A sandbox has its own of these, or none."""

SETTINGS = (
    "/etc/ld.so.cache",
    "/etc/alternatives",
    "/etc/localtime",
    "/etc/ssl/openssl.cnf",
    "/etc/fpc.cfg",
    "/etc/mono",
    "/etc/nim",
    "/etc/R",
    "/var/lib/ghc",
    *sorted(glob.glob("/etc/java-*")),
)
"""What programs under /usr need beside it to be found and loaded: compilers have parts of Debian's packages there."""


@dataclass(frozen=True)
class Mount:
    """A file or folder of the host, and its name inside."""

    source: str
    inside: str


def needed_mounts(argv: Sequence[str], folder: Path, reads: Sequence[Path], *, building: bool = False) -> list[Mount]:
    """Return what a program needs beside the system and the bot's folder: interpreters, libraries, koth's runner.

    While a bot is built, that is also what C is compiled with for a Python.
    """
    places: dict[str, str] = {}
    own = _koths_own() if reads else []
    for path in reads:
        for part in _java(path):
            places[part] = map_path(part, own)
    program = argv[0] if argv else ""
    if os.path.isabs(program) and not _inside(program, str(folder)):
        for part in _program(program):
            if building or os.path.basename(part) != HEADERS:
                places[part] = part
    return [Mount(source, inside) for source, inside in places.items() if not is_system(source)]


MENTIONED = re.compile(r"(?:/[\w.+@-]+){2,}")
LIBRARY = re.compile(r"([\w.+-]+\.so[.\d]*): cannot open shared object file")
LIBRARIES = ("/opt", "/srv", "/usr/local/lib")
"""Where libraries may lie that the system's loader does not know by itself."""


def hidden_places(words: str, seen: Sequence[Path]) -> list[str]:
    """Return places of this machine that a program names in its last words and can't see, those of libraries too."""
    places = [path for path in MENTIONED.findall(words) if os.path.exists(path)]
    for name in list(dict.fromkeys(LIBRARY.findall(words)))[:3]:
        places += [
            file for folder in LIBRARIES for file in glob.glob(f"{folder}/**/{glob.escape(name)}", recursive=True)
        ]
    inside = [*map(str, seen), BOT, KOTH, CLASSES, STAGED, *OWN, "/tmp"]
    hidden = [path for path in places if not is_system(path) and not any(_inside(path, place) for place in inside)]
    return sorted({os.path.dirname(path) if os.path.isfile(path) else path for path in hidden})


def path_map(folder: Path) -> list[tuple[str, str]]:
    """Return the folders of the host that have other names inside, the deepest first, with those names."""
    return sorted([*_koths_own(), (str(folder), BOT)], key=lambda move: -len(move[0]))


def _koths_own() -> list[tuple[str, str]]:
    with contextlib.suppress(PermissionError):
        return [(str(PACKAGE), KOTH), (str(cache_folder("jvm")), CLASSES)]
    return [(str(PACKAGE), KOTH)]


def map_path(text: str, renamed: Sequence[tuple[str, str]]) -> str:
    """Return a path, or several with colons between them, as it is called inside."""
    parts = text.split(":")
    for at, part in enumerate(parts):
        for old, new in renamed:
            if part == old or part.startswith(f"{old}/"):
                parts[at] = new + part[len(old) :]
                break
    return ":".join(parts)


def is_system(path: str) -> bool:
    """Return whether every program is shown this path."""
    return _is_system(path) or any(_inside(path, f"/{name}") for name in MERGED)


def _is_system(path: str) -> bool:
    return any(_inside(path, system) for system in (*SYSTEM, *SETTINGS))


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _java(path: Path) -> list[str]:
    """Return a place, and for a Java its settings, which Debian keeps under /etc."""
    settings = {os.path.realpath(file) for file in (path / "conf", path / "lib" / "security")}
    outside = {Path(*Path(file).parts[:3]) for file in settings if file.startswith("/etc/") and os.path.exists(file)}
    return [str(path), *sorted(str(folder) for folder in outside if folder.parts[2].startswith("java"))]


def _program(program: str) -> list[str]:
    """Return the files and folders that a program outside the system consists of.

    Links, the interpreters of scripts and shared libraries are followed by reading, nothing is run. Of a Python
    environment these are its programs and libraries, not whatever else lies beside them.
    """
    folders: dict[str, None] = {}
    files: dict[str, None] = {}
    with contextlib.suppress(OSError):  # a bot may name what koth may not look at
        _follow(program, folders, files)
    return [*folders, *(file for file in files if not any(_inside(file, folder) for folder in folders))]


def _follow(program: str, folders: dict[str, None], files: dict[str, None]) -> None:
    """Add what this program consists of, at most so many links and interpreters away."""
    for _ in range(8):
        if any(_inside(os.path.normpath(program), place) for place in OWN) or is_system(os.path.normpath(program)):
            return
        prefix = os.path.dirname(os.path.dirname(program))
        folders.update(dict.fromkeys(_python(prefix)))
        if os.access(program, os.X_OK) and os.path.isfile(program):
            files[program] = None
        if os.path.islink(program):
            program = os.path.normpath(os.path.join(os.path.dirname(program), os.readlink(program)))
            continue
        files.update(dict.fromkeys(libraries(program)))
        interpreter = _interpreter(program)
        if not interpreter:
            return
        program = interpreter


def _interpreter(script: str) -> str:
    """Return the program in the first line of a script; empty if it is none."""
    if not os.path.isfile(script):
        return ""
    with open(script, "rb") as data:
        line = data.readline(256)
    words = line[2:].decode(errors="replace").split() if line.startswith(b"#!") else []
    if len(words) > 1 and os.path.basename(words[0]) == "env":
        return shutil.which(words[1]) or ""
    return words[0] if words else ""


def _python(prefix: str) -> list[str]:
    """Return the parts of a Python installation or environment at this place; nothing if it is none."""
    folders = [os.path.join(prefix, name) for name in ("bin", "lib", "lib64", "lib-python", "lib_pypy", HEADERS)]
    settings = os.path.join(prefix, "pyvenv.cfg")
    if os.path.isfile(settings):
        base = os.path.dirname(_home(settings))
        return [path for path in (settings, *folders) if os.path.exists(path)] + (_python(base) if base else [])
    inside = os.listdir(folders[1]) if os.path.isdir(folders[1]) else []
    if not any(name.startswith(("python", "pypy")) for name in inside) and not os.path.isdir(folders[4]):
        return []
    return [path for path in folders if os.path.exists(path)]


PARTS = ("bin", "lib", "lib64", "libexec", "share", "pkg", "src")
"""Of an installation, what its programs need."""


def installation(program: str) -> tuple[Path, ...]:
    """Return the folders of the installations to which a program outside the system belongs, its links followed.

    For programs that the host has chosen, not bots: there may be more in them than a bot should see. There are none
    where people keep other things, too.
    """
    found: dict[Path, None] = {}
    for _ in range(8):
        beside, prefix = _two_up(program)
        if not _is_system(program) and os.path.isdir(os.path.join(beside, "host", "fxr")):
            found[Path(beside)] = None  # of .NET, whose program lies beside its parts
        if not _is_system(program) and not _is_everybodys(prefix):
            parts = [Path(prefix, name) for name in PARTS]
            found.update(dict.fromkeys(part for part in parts if part.is_dir()))
        if not os.path.islink(program):
            break
        program = os.path.join(os.path.dirname(program), os.readlink(program))
    return tuple(found)


def _two_up(program: str) -> tuple[str, str]:
    """Return the folder of a program, and the one above."""
    folder = os.path.dirname(os.path.normpath(program))
    return folder, os.path.dirname(folder)


def _is_everybodys(prefix: str) -> bool:
    """Return whether things of other kinds lie in this folder, as in a home or below /opt."""
    return (
        prefix == os.path.expanduser("~")
        or os.path.basename(prefix) in (".local", "")
        or os.path.dirname(prefix) in ("/", "/home")
    )


def _home(settings: str) -> str:
    """Return the folder of the program from which an environment was made."""
    with open(settings, encoding="utf-8", errors="replace") as file:
        for line in file:
            key, _, value = line.partition("=")
            if key.strip() == "home":
                return value.strip()
    return ""
