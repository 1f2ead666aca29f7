"""The host's files that a program needs to run, and the files' paths inside a sandbox."""

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

PACKAGE = Path(__file__).resolve().parents[1]
"""The folder of the package `koth`."""

BOT, KOTH, CLASSES, STAGED = "/bot", "/koth", "/classes", "/settings"
"""Folders of a sandbox: a bot's folder, koth's adapter, koth's compiled classes for the JVM, and the `SETTINGS`."""
COPY = "/tmp/bot"
"""The place of a bot that runs in a copy of its folder, where it may write."""

ADAPTER = PACKAGE / "adapter" / "start.py"
"""The program of bots in Python."""

HEADERS = "include"
"""A folder of a Python installation that only compilers need."""

SYSTEM = ("/usr", *filter(os.path.isdir, ("/nix/store", "/home/linuxbrew/.linuxbrew")))
"""Folders shown to every program, read-only: the system, and what public package systems install."""

MERGED = ("bin", "sbin", "lib", "lib64", "lib32", "libx32")
"""Folders of the root that are links into /usr on some systems, and real folders on others."""

OWN_FOLDERS = ("/proc", "/dev", "/sys")
"""Folders that a sandbox does not share with the host."""

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
"""Files outside /usr that programs in /usr need: on Debian, some compilers keep parts there."""


@dataclass(frozen=True)
class Mount:
    """A file or folder of the host, and its path inside."""

    source: str
    inside: str


def find_mounts(argv: Sequence[str], folder: Path, reads: Sequence[Path], *, building: bool = False) -> list[Mount]:
    """Return a program's mounts except the system and the bot's folder: interpreters, libraries, koth's adapter.

    For a build, the mounts include the C headers of a Python.
    """
    own = _own_folders() if reads else []
    places = {str(path): map_path(str(path), own) for path in reads}
    program = argv[0] if argv else ""
    if os.path.isabs(program) and not is_inside(program, str(folder)):
        for part in _find_files(program):
            if building or os.path.basename(part) != HEADERS:
                places[part] = part
    return [Mount(source, inside) for source, inside in places.items() if not is_system(source)]


MENTIONED_PATH = re.compile(r"(?:/[\w.+@-]+){2,}")
MISSING_LIBRARY = re.compile(r"([\w.+-]+\.so[.\d]*): cannot open shared object file")
LIBRARY_FOLDERS = ("/opt", "/srv", "/usr/local/lib")
"""Folders that may have libraries which the system's loader does not find by itself."""


def find_hidden_places(words: str, seen: Sequence[Path]) -> list[str]:
    """Return the folders of hidden files that a program's error output mentions, and of missing libraries."""
    places = [path for path in MENTIONED_PATH.findall(words) if os.path.exists(path)]
    for name in list(dict.fromkeys(MISSING_LIBRARY.findall(words)))[:3]:
        places += [
            file
            for folder in LIBRARY_FOLDERS
            for file in glob.glob(f"{folder}/**/{glob.escape(name)}", recursive=True)
        ]
    inside = [*map(str, seen), BOT, KOTH, CLASSES, STAGED, *OWN_FOLDERS, "/tmp"]
    hidden = [path for path in places if not is_system(path) and not any(is_inside(path, place) for place in inside)]
    return sorted({os.path.dirname(path) if os.path.isfile(path) else path for path in hidden})


def path_map(folder: Path) -> list[tuple[str, str]]:
    """Return the host's folders whose paths differ in a sandbox, with the paths there, the longest first."""
    return sorted([*_own_folders(), (str(folder), BOT)], key=lambda move: -len(move[0]))


def _own_folders() -> list[tuple[str, str]]:
    with contextlib.suppress(PermissionError):
        return [(str(PACKAGE), KOTH), (str(cache_folder("jvm")), CLASSES)]
    return [(str(PACKAGE), KOTH)]


def map_path(text: str, renamed: Sequence[tuple[str, str]]) -> str:
    """Translate a path, or several separated by colons, to the paths in the sandbox; folders may have colons too."""
    places = dict(renamed)
    return re.sub(rf"(?<![^:])(?:{'|'.join(map(re.escape, places))})(?![^:/])", lambda found: places[found[0]], text)


def is_system(path: str) -> bool:
    """Return whether a path is shown to every program."""
    return _is_system(path) or any(is_inside(path, f"/{name}") for name in MERGED)


def _is_system(path: str) -> bool:
    return any(is_inside(path, system) for system in (*SYSTEM, *SETTINGS))


def is_inside(path: str, folder: str) -> bool:
    """Return whether a path is `folder` or is below `folder`, comparing only the texts."""
    return path == folder or path.startswith(f"{folder}/")


def _find_files(program: str) -> list[str]:
    """Return the files and folders of a program outside the system.

    Links and the interpreters of scripts are followed by reading; nothing is executed. Of a Python environment, only
    the programs and libraries are returned, not other files in the environment's folder.
    """
    folders: dict[str, None] = {}
    files: dict[str, None] = {}
    with contextlib.suppress(OSError):  # a bot may name files that koth may not read
        _follow(program, folders, files)
    return [*folders, *(file for file in files if not any(is_inside(file, folder) for folder in folders))]


def _follow(program: str, folders: dict[str, None], files: dict[str, None]) -> None:
    for _ in range(8):
        path = os.path.normpath(program)
        if any(is_inside(path, place) for place in OWN_FOLDERS) or is_system(path):
            return
        prefix = os.path.dirname(os.path.dirname(program))
        folders.update(dict.fromkeys(_python_folders(prefix)))
        if os.access(program, os.X_OK) and os.path.isfile(program):
            files[program] = None
        if os.path.islink(program):
            program = os.path.normpath(os.path.join(os.path.dirname(program), os.readlink(program)))
            continue
        interpreter = _read_interpreter(program)
        if not interpreter:
            return
        program = interpreter


def _read_interpreter(script: str) -> str:
    if not os.path.isfile(script):
        return ""
    with open(script, "rb") as data:
        line = data.readline(256)
    words = line[2:].decode(errors="replace").split() if line.startswith(b"#!") else []
    if len(words) > 1 and os.path.basename(words[0]) == "env":
        return shutil.which(words[1]) or ""
    return words[0] if words else ""


def _python_folders(prefix: str) -> list[str]:
    """Return the parts of a Python installation or environment at this prefix; empty if there is no Python."""
    folders = [os.path.join(prefix, name) for name in ("bin", "lib", "lib64", "lib-python", "lib_pypy", HEADERS)]
    settings = os.path.join(prefix, "pyvenv.cfg")
    if os.path.isfile(settings):
        base = os.path.dirname(_read_home(settings))
        return [path for path in (settings, *folders) if os.path.exists(path)] + (
            _python_folders(base) if base else []
        )
    inside = os.listdir(folders[1]) if os.path.isdir(folders[1]) else []
    if not any(name.startswith(("python", "pypy")) for name in inside) and not os.path.isdir(folders[4]):
        return []
    return [path for path in folders if os.path.exists(path)]


INSTALLATION_PARTS = ("bin", "lib", "lib64", "libexec", "share", "pkg", "src")
"""The folders of an installation that its programs need."""


def find_installation(program: str) -> tuple[Path, ...]:
    """Return the folders of the installations to which a program outside the system belongs, following its links.

    Meant for programs that the host has chosen, not for bots: the folders may contain more than a bot should see.
    Folders that also hold unrelated files are left out.
    """
    found: dict[Path, None] = {}
    for _ in range(8):
        beside = os.path.dirname(os.path.normpath(program))
        prefix = os.path.dirname(beside)
        if not _is_system(program) and os.path.isdir(os.path.join(beside, "host", "fxr")):
            found[Path(beside)] = None  # .NET, whose program is in the folder of its parts
        if not _is_system(program) and not _is_shared(prefix):
            parts = [Path(prefix, name) for name in INSTALLATION_PARTS]
            found.update(dict.fromkeys(part for part in parts if part.is_dir()))
        if not os.path.islink(program):
            break
        program = os.path.join(os.path.dirname(program), os.readlink(program))
    return tuple(found)


def _is_shared(prefix: str) -> bool:
    """Return whether this folder holds unrelated files too, like a home folder or /opt."""
    return (
        prefix == os.path.expanduser("~")
        or os.path.basename(prefix) in (".local", "")
        or os.path.dirname(prefix) in ("/", "/home")
    )


def _read_home(settings: str) -> str:
    with open(settings, encoding="utf-8", errors="replace") as file:
        for line in file:
            key, _, value = line.partition("=")
            if key.strip() == "home":
                return value.strip()
    return ""
