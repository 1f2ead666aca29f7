"""The programs of this machine for the words of commands, without launchers of version managers."""

from __future__ import annotations

import os
import re
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from koth.discovery.grants import ALLOW_READ, INTERPRETERS
from koth.discovery.manifest import is_there
from koth.errors import BotError
from koth.escaping import shell_word
from koth.files.cache import home_folder
from koth.sandbox.environment import PYTHON, clean_path
from koth.sandbox.mounts import is_system

DEBIAN_PACKAGES = {
    "node": "nodejs",
    "python2": "none any more; pyenv, conda or Jython have one",
    "ruby": "ruby",
    "lua": "lua5.4",
    "php": "php-cli",
    "perl": "perl",
    "ocamlopt": "ocaml-nox",
    "ghc": "ghc",
    "go": "golang-go",
    "rustc": "rustc",
    "cc": "gcc",
    "c++": "g++",
    "mcs": "mono-mcs",
    "mono": "mono-runtime",
    "java": "default-jre-headless",
    "javac": "default-jdk-headless",
    "Rscript": "r-base-core",
    "tclsh": "tcl",
    "guile": "guile-3.0",
    "sbcl": "sbcl",
    "nim": "nim",
    "fpc": "fp-compiler",
    "escript": "erlang-base",
    "gfortran": "gfortran",
}
"""Debian's package for each program."""

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"

OTHER_NAMES = {"lua": ("lua5.4", "lua5.3", "luajit"), "node": ("nodejs",), "python2": ("python2.7",)}
"""Alternative names of a program."""


@dataclass(frozen=True)
class Interpreters:
    """The host's grants to bots: programs for the words of commands, and readable paths."""

    python: str = PYTHON
    """The program for `python` and `python3`."""
    others: Mapping[str, str] = field(default_factory=dict)
    """The programs for other words."""
    paths: tuple[Path, ...] = ()
    """Paths that bots may read in addition to the system's paths and their own."""

    @classmethod
    def find(cls, programs: Mapping[str, str], paths: Sequence[Path] = ()) -> Interpreters:
        """Find programs by word, and check paths. Raises BotError."""
        words: dict[str, str] = {}
        for word, value in programs.items():
            if not word or "/" in word:
                raise BotError(f"KOTH_INTERPRETERS wants WORD=PROGRAM (python=/usr/bin/python3.12), not {word!r}=...")
            found = find_program(value)
            if found is None:
                raise BotError(f"KOTH_INTERPRETERS: {value!r} is not a program that can be run")
            words[word] = clean_path(found)
        for path in paths:
            if not path.exists():
                raise BotError(f"{path}: no such file or folder")
        python = words.pop("python", None) or words.pop("python3", None) or PYTHON
        return cls(python, words, tuple(path.resolve() for path in paths))

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Interpreters:
        """Make the object from a run's record. Raises BotError."""
        words = dict(record)
        paths = words.pop("paths", [])
        if not isinstance(paths, list) or not all(isinstance(word, str) for word in (*words.values(), *paths)):
            raise BotError("the record of interpreters is malformed")
        return cls(words.pop("python", PYTHON), words, tuple(map(Path, paths)))

    def grants_beyond(self, said: Interpreters) -> list[str]:
        """Return the variables that grant what this object grants, those that grant more than `said`."""
        named = [f"{name}={program}" for name, program in {"python": self.python, **self.others}.items()]
        has_more = any(not said.allows(program) for program in (self.python, *self.others.values()))
        programs = [f"{INTERPRETERS}={shell_word(os.pathsep.join(named))}"] if has_more else []
        paths = [f"{ALLOW_READ}={shell_word(os.pathsep.join(map(str, self.paths)))}"]
        return programs + (paths if set(self.paths) - set(said.paths) else [])

    def record(self) -> dict[str, Any]:
        """Return the object for a run's record: programs by word, and `paths` if set."""
        record: dict[str, Any] = {"python": self.python, **self.others}
        if self.paths:
            record["paths"] = [str(path) for path in self.paths]
        return record

    def allows(self, program: str) -> bool:
        """Return whether bots may see a program (an absolute path) and the program's parts.

        Bots may see programs of the system, programs that the host names, programs next to the host's Python,
        programs on the PATH, and programs in allowed paths. Other programs could be host files whose paths a stranger
        guessed.
        """
        place, clean = os.path.normpath(program), clean_path(program)
        if (
            is_system(place)
            or clean in self.others.values()
            or os.path.dirname(clean) == os.path.dirname(self.python)
        ):
            return True
        real = Path(os.path.realpath(place)) if os.path.exists(place) else Path(place)
        accepted = any(real.is_relative_to(path) or Path(place).is_relative_to(path) for path in self.paths)
        return accepted or place == find_program(os.path.basename(place))

    def program_for(self, word: str) -> str:
        """Return the host's program for a word, or ""."""
        return self.python if word in ("python", "python3") else self.others.get(word, "")


def resolve_program(word: str, folder: Path, interpreters: Interpreters) -> str:
    """Return the program for a word of a bot's command: the host's, an installed program, or the bot's own.

    Raises BotError without such a program.
    """
    if program := interpreters.program_for(word):
        return program
    if "/" in word:
        _check_visible(folder / word, folder, interpreters)
        return str(folder / word)
    if found := find_program(word):
        return found
    if is_there(folder / word):
        return str(folder / word)
    raise BotError(f"{folder}: {missing_program_text(word)}")


def _check_visible(program: Path, folder: Path, interpreters: Interpreters) -> None:
    """Raise BotError for a host program that bots may not see."""
    if not program.is_relative_to(folder) and not interpreters.allows(str(program)):
        raise BotError(f"{folder}: it wants to run {program}; to allow it: KOTH_ALLOW_READ={shell_word(program)}")


def missing_program_text(word: str) -> str:
    """Return a message that a program is not installed, with advice."""
    package = f" (Debian: {DEBIAN_PACKAGES[word]})" if word in DEBIAN_PACKAGES else ""
    return f"the program {word!r} is not installed{package}; or name it: KOTH_INTERPRETERS={word}=PATH"


def resolve_builder(word: str, folder: Path, interpreters: Interpreters) -> str:
    """Return the program for a word of a build step: the host's, or a program outside the system's folders.

    Return the word itself if the program is the system's, or if there is none: the bot may include the program or
    build the program in an earlier step. Raises BotError for a program that bots may not see.
    """
    if program := interpreters.program_for(word):
        return program
    if "/" in word:
        _check_visible(folder / word, folder, interpreters)
        return word
    if shutil.which(word, path=SYSTEM_PATH):
        return word
    return find_program(word) or word


def find_program(word: str) -> str | None:
    """Return the program on the PATH for a word, skipping launchers of version managers."""
    for name in (word, *OTHER_NAMES.get(word, ())):
        found = shutil.which(name)
        if found is None:
            continue
        behind = _skip_launcher(Path(found), os.path.basename(name))
        if behind:
            return behind
    return None


def _skip_launcher(program: Path, name: str) -> str:
    """Return the program behind a launcher of pyenv or rustup: launchers need settings that sandboxes hide."""
    if program.parent.name == "shims" and (program.parents[1] / "versions").is_dir():
        return _newest_version(program.parents[1] / "versions", name)
    if os.path.basename(os.path.realpath(program)) == "rustup" and name != "rustup":
        return _rustup_program(name)
    return str(program)


def _newest_version(versions: Path, name: str) -> str:
    found = [folder for folder in versions.iterdir() if os.access(folder / "bin" / name, os.X_OK)]
    numbers = {folder: [int(digits) for digits in re.findall(r"\d+", folder.name)] for folder in found}
    return str(max(found, key=lambda folder: numbers[folder]) / "bin" / name) if found else ""


def _rustup_program(name: str) -> str:
    """Return the program with this name in rustup's default toolchain, or ""."""
    user = home_folder()
    if not os.environ.get("RUSTUP_HOME") and user is None:
        return ""
    home = Path(os.environ.get("RUSTUP_HOME") or f"{user}/.rustup")
    try:
        settings = tomllib.loads((home / "settings.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    program = home / "toolchains" / str(settings.get("default_toolchain", "")) / "bin" / name
    return str(program) if os.access(program, os.X_OK) else ""
