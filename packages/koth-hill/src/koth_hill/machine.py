"""The environment of bots on a runner's machine: programs, Python's packages, cores, memory, isolation."""

from __future__ import annotations

import functools
import os
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from koth.build.steps import run_build_step
from koth.discovery.interpreters import Interpreters, find_program
from koth.discovery.languages import LANGUAGES
from koth.sandbox.command import Overloaded
from koth.sandbox.isolation import Isolation
from koth.sandbox.levels import PROMISES, try_level
from koth.sandbox.policy import MEGABYTE, MEMORY, SandboxPolicy

TIMEOUT = 20.0
"""The seconds within which a program must print its version."""
VERSION_ARGUMENT = {"go": "version", "lua": "-v", "tclsh": "", "sbcl": "--version", "fpc": "-iV"}
"""The argument with which a program prints its version, if not `--version`; empty: no argument does."""


@functools.cache
def describe_machine(level: str) -> dict[str, Any]:
    """Return the environment of bots at this level of isolation, as JSON; the first call takes some seconds.

    An entry of `languages` has a name, endings of files, and the program that builds or runs such files, with its
    version. Raises SandboxError and ArenaError.
    """
    words: dict[tuple[str, str], list[str]] = {}
    for ending, language in LANGUAGES.items():
        words.setdefault((language.name, (language.build or language.run)[0]), []).append(ending)
    given, isolation = Interpreters(), try_level(level).isolation
    programs = {word: given.program_for(word) or find_program(word) for _, word in words}
    with ThreadPoolExecutor(4) as pool:
        versions = dict(
            zip(programs, pool.map(lambda word: _version(word, programs[word], isolation), programs), strict=True)
        )
    held = try_level(level).held
    return {
        "languages": [
            {
                "language": name,
                "endings": ", ".join(endings),
                "program": os.path.basename(programs[word] or ""),
                "version": versions[word],
            }
            for (name, word), endings in sorted(words.items())
            if programs[word]
        ],
        "missing": sorted({name for name, word in words if not programs[word]}),
        "packages": sorted({(one.name, one.version) for one in distributions()}, key=lambda one: one[0].lower()),
        "cores": os.cpu_count() or 1,
        "level": level,
        "promises": [text for name, text in PROMISES.items() if held.get(name)],
        "not_promised": isolation.missing,
        "memory": SandboxPolicy().memory // MEGABYTE,
        "most_memory": MEMORY.stop - 1,
        "tasks": SandboxPolicy().tasks,
    }


def _version(word: str, program: str | None, isolation: Isolation) -> str:
    """Run a program in a sandbox and return the line with its version; empty if it prints none in time."""
    argument = VERSION_ARGUMENT.get(word, "--version")
    if program is None or not argument:
        return ""
    with tempfile.TemporaryDirectory(prefix="koth-version-") as folder:
        Path(folder).chmod(0o755)  # the sandbox has another user
        try:
            done = run_build_step([program, argument], Path(folder), isolation, seconds=TIMEOUT)
        except Overloaded:  # other processes take this machine
            return ""
    lines = done.output.decode(errors="replace").splitlines()
    return next((line.strip()[:80] for line in lines if re.search(r"\d+\.\d+", line)), "")
