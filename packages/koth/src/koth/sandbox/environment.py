"""The environment of the programs that koth starts."""

from __future__ import annotations

import os
import sys


def clean_path(program: str) -> str:
    """Return a program's absolute path without `..` and links in its folder: a sandbox shows a folder under one path.

    A link in the program's place stays a link, because a Python environment is found beside it.
    """
    return os.path.join(os.path.realpath(os.path.dirname(program)), os.path.basename(program))


PYTHON = clean_path(sys.executable)
"""The path of koth's own Python."""

OPTIONS = ("-s", "-S")
"""The options of the Python that runs koth's adapter and the spawner."""

IMPORTS = "PYTHONPATH"
"""The environment variable with folders from which a program in Python imports modules."""
LIBRARIES = ("numpy",)
"""Libraries that can be loaded before a bot: a spawner imports the libraries without a sandbox, as koth does."""


def environment_of(program: str) -> dict[str, str]:
    """Return the environment of every program that koth starts for a bot, without variables of the host."""
    own = [os.path.dirname(program)] if os.path.isabs(program) else []
    return {
        "PATH": os.pathsep.join(dict.fromkeys([*own, "/usr/local/bin", "/usr/bin", "/bin"])),
        "HOME": "/tmp",
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        # Libraries that start a thread for every core of the host would run into the limit of threads.
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        # .NET would make a socket for debuggers, and not start where it can't.
        "COMPlus_EnableDiagnostics": "0",
        "DOTNET_EnableDiagnostics": "0",
    }
