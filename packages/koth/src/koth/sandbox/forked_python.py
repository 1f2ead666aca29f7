"""The Python of a spawner, from which bots are forked.

The spawner starts like the Python of a bot, and imports the modules that koth's adapter imports. So a supervisor's
child that becomes a bot need not execute a new Python: the child confines itself, leaves the functions of the
supervisor, and executes the adapter here. The spawner imports no bot, and knows nothing of matches.

The program of a spawner imports this module, and calls `load`, before it imports any other module.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from importlib.machinery import SourceFileLoader
from types import CodeType

from koth.adapter import bot_adapter, declared_bot, kit  # noqa: F401
from koth.sandbox.environment import IMPORTS, OPTIONS

_modules: set[str] = set()
"""The modules that a new Python has loaded when it begins to execute a bot."""
_path: list[str] = []
"""The module search path of a new Python; loaded libraries add folders of the host."""


def load(libraries: Sequence[str]) -> None:
    """Remove koth's folder from the module search path, and load libraries for bots."""
    _path[:] = sys.path[:-1]
    sys.path[:] = _path
    bot_adapter.load_libraries(libraries)
    _modules.update(name for name in sys.modules if name.partition(".")[0] != "koth")


def become(argv: list[str], environment: dict[str, str]) -> CodeType:
    """Give this process the state of a new Python with this command; return the code to execute at top level."""
    for name in [name for name in sys.modules if name not in _modules]:
        del sys.modules[name]
    os.environ.clear()
    os.environ.update(environment)
    file = argv[1 + len(OPTIONS)]
    sys.orig_argv, sys.argv = argv, argv[1 + len(OPTIONS) :]
    sys.path[:] = [place for place in sys.path if place in _path or os.path.isdir(place)]
    sys.path[:0] = [place for place in environment.get(IMPORTS, "").split(os.pathsep) if place]
    sys.path_importer_cache.clear()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in ("SIGPIPE", "SIGXFSZ"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    loader = SourceFileLoader("__main__", file.replace("start.py", "bot_adapter.py"))
    program = vars(sys.modules["__main__"])
    for name in [name for name in program if not name.startswith("__")]:
        del program[name]
    program.update(__file__=file, __loader__=loader, __cached__=None)
    code = loader.get_code("__main__")
    assert code is not None
    return code
