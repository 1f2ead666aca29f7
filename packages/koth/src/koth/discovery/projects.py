"""Folders with a build file of their language: how koth builds and starts them, and which it refuses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from koth.build.bot_files import MANIFEST
from koth.discovery.languages import PROGRAM_NAME
from koth.discovery.manifest import LARGEST_MANIFEST, is_there, read_tables
from koth.errors import BotError
from koth.files.bounded_read import read_text

CARGO, GO, NPM = "Cargo.toml", "go.mod", "package.json"
UNKNOWN = ("pom.xml", "build.gradle", "build.gradle.kts", "build.sbt", "CMakeLists.txt", "stack.yaml", "dune-project")
"""Build files of programs that koth does not run."""


def find_build_file(folder: Path) -> str:
    """Return the name of a folder's build file that koth knows; empty if there is none. Go's needs a file in Go."""
    there = (name for name in (CARGO, GO, NPM) if (folder / name).is_file())
    return next((name for name in there if name != GO or any(folder.glob("*.go"))), "")


def starts_nothing(folder: Path) -> bool:
    """Return whether a folder has a `package.json` that names no program: then its main file is found by name."""
    try:
        package = json.loads(read_text(folder / NPM, LARGEST_MANIFEST))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(package, dict) and "main" not in package and not (folder / "index.js").is_file()


def refuse_unknown(folder: Path) -> None:
    """Raise BotError for a folder with a build file that koth does not know."""
    for name in UNKNOWN:
        if (folder / name).is_file():
            raise BotError(
                f"{folder}: koth does not build with {name}: name the folder of the sources, or set `build` and "
                f"`command` in {MANIFEST}"
            )


def read_project(folder: Path, name: str) -> tuple[list[tuple[str, ...]], tuple[str, ...], str]:
    """Return the build steps, the command and the language of a folder with this build file. Raises BotError."""
    file = folder / name
    if not is_there(file):
        raise BotError(f"{file}: no such file")
    if name == CARGO:
        tables: Mapping[str, Any] = read_tables(file)
        programs = tables.get("bin")
        binary = programs[0] if isinstance(programs, list) and programs else tables.get("package")
        program = binary.get("name") if isinstance(binary, dict) else None
        if not isinstance(program, str):
            raise BotError(f"{file}: it names no program")
        return [("cargo", "build", "--release", "--offline")], (f"target/release/{program}",), "rust"
    if name == GO:
        return [("go", "build", "-o", PROGRAM_NAME, ".")], (f"./{PROGRAM_NAME}",), "go"
    try:
        package = json.loads(read_text(file, LARGEST_MANIFEST))
    except (OSError, ValueError, RecursionError) as error:
        raise BotError(f"{file}: {error}") from None
    package = package if isinstance(package, dict) else {}
    main = package.get("main", "index.js")
    if package.get("dependencies") and not (folder / "node_modules").is_dir():
        raise BotError(f"{file}: it has dependencies, and koth does not run npm: send the folder node_modules, too")
    if not isinstance(main, str) or ".." in main or main.startswith("/") or not is_there(folder / main):
        raise BotError(f"{file}: main = {main!r}: no such file; `command` in {MANIFEST} starts the bot")
    return [], ("node", main), "javascript"
