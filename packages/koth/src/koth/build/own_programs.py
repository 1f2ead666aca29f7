"""Programs that a bot brings itself: koth makes the copies executable, or refuses the bot with the reason.

Zips made on Windows have no executable bits, and some files can be started on other systems only.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from koth.build.bot_files import remove_mark

BEGINNING = 256
"""The bytes that koth reads of a program; Linux reads the same number for `#!`."""
WINDOWS = (".bat", ".cmd", ".ps1", ".exe", ".com")
"""Endings of programs for Windows."""
ELF = b"\x7fELF"
"""The first bytes of a program for Linux."""
MAC = (b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
"""The first bytes of programs of macOS."""


def prepare_program(program: Path, copy: Path) -> str:
    """Make a bot's own program in its copy executable; return why the program can't be started, or "".

    Programs elsewhere, and missing files (a build may make them), are left alone. Raises OSError.
    """
    if not program.is_relative_to(copy) or program.is_symlink() or not program.is_file():
        return ""
    remove_mark(program)
    with open(program, "rb") as file:
        start = file.read(BEGINNING)
    if problem := _find_problem(program.name, start):
        return f"{program.name} can't be started: {problem}"
    program.chmod(program.stat().st_mode | 0o111)
    return ""


def _find_problem(name: str, start: bytes) -> str:
    """Return why a program that begins with these bytes can't be started here, with the remedy; empty if it can."""
    if start.startswith(ELF):
        return ""
    if start.startswith(b"MZ") or name.lower().endswith(WINDOWS):
        mono = f" (a program of .NET may run by Mono: mono {name})" if start.startswith(b"MZ") else ""
        return f"it is for Windows, and this is Linux; send its source, or a program for Linux{mono}"
    if start.startswith(MAC):
        return "it is for macOS, and this is Linux; send its source, or a program for Linux"
    if not start.startswith(b"#!"):
        return f"it does not begin with #! and a program that runs it; name that in the command: sh {name}"
    line = start[2:].partition(b"\n")[0]
    if line.endswith(b"\r"):
        return r'its first line ends as on Windows ("\r\n"); save it with Linux line endings ("\n")'
    words = line.decode(errors="replace").split()
    if words and not os.path.isabs(words[0]):
        return f"its first line names {words[0]!r}, which is not a path such as /usr/bin/env"
    if not words or not os.path.exists(words[0]):
        return f"its first line names {' '.join(words)!r}, which is not on this machine"
    if os.path.basename(words[0]) == "env" and len(words) == 2 and shutil.which(words[1]) is None:
        return f"its first line names {words[1]!r}, which is not installed on this machine"
    return ""
