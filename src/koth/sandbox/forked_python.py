"""The Python of a spawner, which bots are forked from.

It is started as a Python for bots is, and imports what koth's adapter imports. So a supervisor's child that is to be
a bot need not execute a new Python: it confines itself, leaves the functions of the supervisor, and executes the
adapter here. The spawner imports no bot, and knows nothing of matches.

The program of a spawner imports this module before all others, which a bot's Python would not have.
"""

from __future__ import annotations

import sys

from koth.adapter import bot_adapter, declared_bot, kit  # noqa: F401

MODULES = {name for name in sys.modules if name.partition(".")[0] != "koth"}
"""The modules that a Python has loaded when it executes the adapter."""

import gc  # noqa: E402
import os  # noqa: E402
import signal  # noqa: E402
from importlib.machinery import SourceFileLoader  # noqa: E402
from types import CodeType  # noqa: E402

from koth.sandbox.environment import OPTIONS  # noqa: E402


def leave_koth() -> None:
    """Leave the folder of koth, in which this process has found its modules."""
    os.chdir("/")
    sys.path.pop(0)


def become(argv: list[str], environment: dict[str, str]) -> CodeType:
    """Give this process the state of a new Python with this command; return the program to execute at its top."""
    for name in [name for name in sys.modules if name not in MODULES]:
        del sys.modules[name]
    os.environ.clear()
    os.environ.update(environment)
    file = argv[1 + len(OPTIONS)]
    sys.orig_argv, sys.argv = argv, argv[1 + len(OPTIONS) :]
    sys.path_importer_cache.clear()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in ("SIGPIPE", "SIGXFSZ"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    loader = SourceFileLoader("__main__", file.replace("start.py", "bot_adapter.py"))
    program = vars(sys.modules["__main__"])
    del program["forked_python"], program["spawner"]
    program.update(__file__=file, __loader__=loader, __cached__=None)
    gc.enable()
    gc.collect()  # the supervisor's objects
    code = loader.get_code("__main__")
    assert code is not None
    return code
