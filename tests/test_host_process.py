"""A program that imports koth stays as it was: no limit, signal, file, thread or cgroup of it is changed by that."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

LOOKS = """
import atexit, contextlib, gc, importlib, json, os, pkgutil, signal, sys, threading
import numpy, numba, scipy.optimize, scipy.special, click, rich.console, orjson, asyncio, ssl, multiprocessing.util

registered = []
register = atexit.register
def recording(function, *arguments, **words):
    frame = sys._getframe(1)
    if frame.f_globals.get("__name__", "").startswith("koth"):
        registered.append(repr(function))
    return register(function, *arguments, **words)
atexit.register = recording

def look():
    import resource
    return {
        "limits": {name: resource.getrlimit(kind) for name, kind in vars(resource).items() if name[:7] == "RLIMIT_"},
        "signals": {int(number): repr(signal.getsignal(number)) for number in signal.valid_signals()},
        "garbage": (gc.isenabled(), gc.get_freeze_count(), gc.get_threshold()),
        "files": sorted(os.listdir("/proc/self/fd")),
        "threads": threading.active_count(),
        "children": open(f"/proc/self/task/{os.getpid()}/children").read(),
        "folder": os.getcwd(),
        "umask": [os.umask(0o022), os.umask(0o022)][1],
        "exits": list(registered),
        "cgroup": open("/proc/self/cgroup").read(),
    }

before = look()
import koth
for module in pkgutil.walk_packages(koth.__path__, "koth."):
    if not module.name.startswith(
        ("koth.skeleton", "koth.__main__", "koth.viewer", "koth.learn.sb3", "koth.hill",
         "koth.cli.hill")  # Django is set up by the command
    ):
        with contextlib.suppress(ImportError):  # an extra that is not installed
            importlib.import_module(module.name)
after = look()
print(json.dumps([before, after, len([name for name in sys.modules if name.startswith("koth.")])]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="what is looked at is Linux's")
def test_importing_koth_changes_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", LOOKS], capture_output=True, text=True, check=True)
    before, after, modules = json.loads(done.stdout)
    assert modules > 150
    assert after == before
