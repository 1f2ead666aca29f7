"""The surroundings of bots: programs, Python's packages, cores, memory, time, and what keeps bots apart."""

from __future__ import annotations

import functools
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import distributions

from koth.discovery.interpreters import Interpreters, installed
from koth.discovery.languages import LANGUAGES
from koth.sandbox.levels import PROMISES, choose, tried
from koth.sandbox.policy import MEGABYTE, MEMORY, Policy

PATIENCE = 20.0
"""Seconds that a program may take to say its version."""
ASK = {"go": "version", "lua": "-v", "tclsh": "", "sbcl": "--version", "fpc": "-iV"}
"""How a program is asked for its version, if not by `--version`; empty: it is not."""


@dataclass(frozen=True)
class Found:
    """A language, the program that bots in it are built or run with, and its version as it says itself."""

    language: str
    endings: str
    program: str
    version: str


@dataclass(frozen=True)
class Machine:
    """What bots find on this machine."""

    languages: list[Found]
    missing: list[str]
    packages: list[tuple[str, str]]
    cores: int
    level: str
    promises: list[str]
    not_promised: tuple[str, ...]
    memory: int = Policy().memory // MEGABYTE
    most_memory: int = MEMORY.stop - 1
    tasks: int = Policy().tasks


@functools.cache
def machine() -> Machine:
    """Look at this machine, once: it takes some seconds."""
    words: dict[tuple[str, str], list[str]] = {}
    for ending, language in LANGUAGES.items():
        words.setdefault((language.name, (language.build or language.run)[0]), []).append(ending)
    given = Interpreters()
    programs = {word: given.meant(word) or installed(word) for _, word in words}
    with ThreadPoolExecutor(4) as pool:
        versions = dict(zip(programs, pool.map(lambda item: _version(*item), programs.items()), strict=True))
    found = [
        Found(name, ", ".join(endings), os.path.basename(programs[word] or ""), versions[word])
        for (name, word), endings in sorted(words.items())
        if programs[word]
    ]
    isolation = choose()
    held = tried(isolation.level).held
    return Machine(
        found,
        sorted({name for name, word in words if not programs[word]}),
        sorted({(found.name, found.version) for found in distributions()}, key=lambda one: one[0].lower()),
        os.cpu_count() or 1,
        isolation.level,
        [text for name, text in PROMISES.items() if held.get(name)],
        isolation.missing,
    )


def _version(word: str, program: str | None) -> str:
    """Return the line in which a program says its version; empty where it does not."""
    option = ASK.get(word, "--version")
    if program is None or not option:
        return ""
    try:
        done = subprocess.run([program, option], capture_output=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    text = (done.stdout or done.stderr).decode(errors="replace")
    return next((line.strip()[:80] for line in text.splitlines() if re.search(r"\d+\.\d+", line)), "")
