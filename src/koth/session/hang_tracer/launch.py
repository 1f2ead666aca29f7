"""Launcher of a bot's Python program that makes it print its stack location on request.

python launch.py PROGRAM WORD...
"""

import faulthandler
import os
import signal
import sys
import traceback


def _run() -> None:
    """Run the program as `__main__`, hiding this launcher from it."""
    faulthandler.register(signal.SIGUSR2, file=2, all_threads=False)
    sys.argv.pop(0)
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    with open(sys.argv[0], "rb") as file:
        text = file.read()
    own = {"__name__": "__main__", "__file__": sys.argv[0], "__builtins__": __builtins__}
    main = type(sys)("__main__")
    main.__dict__.update(own)
    sys.modules["__main__"] = main
    sys.excepthook = _without_us
    exec(compile(text, sys.argv[0], "exec"), main.__dict__)


def _without_us(kind, error, trace) -> None:  # type: ignore[no-untyped-def]
    """Print an exception as Python does, without the launcher's own frames."""
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    traceback.print_exception(kind, error, trace)


_run()
