"""The surroundings of bots on a runner's machine: programs, Python's packages, cores, memory, isolation."""

from __future__ import annotations

import functools
import os
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

from koth.build.steps import run_build_step
from koth.discovery.interpreters import Interpreters, installed
from koth.discovery.languages import LANGUAGES
from koth.sandbox.isolation import Isolation
from koth.sandbox.levels import PROMISES, tried
from koth.sandbox.policy import MEGABYTE, MEMORY, SandboxPolicy

TIMEOUT = 20.0
"""Seconds in which a program has to print its version."""
ARGUMENT = {"go": "version", "lua": "-v", "tclsh": "", "sbcl": "--version", "fpc": "-iV"}
"""The argument with which a program prints its version, if not `--version`; empty: there is none."""


@dataclass(frozen=True)
class MachineReport:
    """A language, the program that bots in it are built or run with, and the version that this program prints."""

    language: str
    endings: str
    program: str
    version: str


@dataclass(frozen=True)
class HostMachine:
    """The surroundings of bots on this machine."""

    languages: list[MachineReport]
    missing: list[str]
    packages: list[tuple[str, str]]
    cores: int
    level: str
    promises: list[str]
    not_promised: tuple[str, ...]
    memory: int = SandboxPolicy().memory // MEGABYTE
    most_memory: int = MEMORY.stop - 1
    tasks: int = SandboxPolicy().tasks


@functools.cache
def machine(level: str) -> HostMachine:
    """Return the surroundings of bots at this level of isolation; the first time it takes some seconds.

    Raises SandboxError and ArenaError.
    """
    words: dict[tuple[str, str], list[str]] = {}
    for ending, language in LANGUAGES.items():
        words.setdefault((language.name, (language.build or language.run)[0]), []).append(ending)
    given, isolation = Interpreters(), tried(level).isolation
    programs = {word: given.meant(word) or installed(word) for _, word in words}
    with ThreadPoolExecutor(4) as pool:
        versions = dict(
            zip(programs, pool.map(lambda word: _version(word, programs[word], isolation), programs), strict=True)
        )
    found = [
        MachineReport(name, ", ".join(endings), os.path.basename(programs[word] or ""), versions[word])
        for (name, word), endings in sorted(words.items())
        if programs[word]
    ]
    held = tried(level).held
    return HostMachine(
        found,
        sorted({name for name, word in words if not programs[word]}),
        sorted({(found.name, found.version) for found in distributions()}, key=lambda one: one[0].lower()),
        os.cpu_count() or 1,
        level,
        [text for name, text in PROMISES.items() if held.get(name)],
        isolation.missing,
    )


def _version(word: str, program: str | None, isolation: Isolation) -> str:
    """Return the line in which a program prints its version, in a sandbox; empty where it prints none."""
    argument = ARGUMENT.get(word, "--version")
    if program is None or not argument:
        return ""
    with tempfile.TemporaryDirectory(prefix="koth-version-") as folder:
        Path(folder).chmod(0o755)  # the sandbox has another user
        done = run_build_step([program, argument], Path(folder), isolation, seconds=TIMEOUT)
    lines = done.output.decode(errors="replace").splitlines()
    return next((line.strip()[:80] for line in lines if re.search(r"\d+\.\d+", line)), "")
