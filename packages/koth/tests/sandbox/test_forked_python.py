"""Bots in Python are forked from the spawner, and find nothing there that a new process would not have."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from koth.adapter.bot_adapter import PRELOAD
from koth.sandbox.command import Command, spawn
from koth.sandbox.environment import OPTIONS
from koth.sandbox.isolation import Isolation
from koth.sandbox.mounts import ADAPTER, PACKAGE
from koth.sandbox.supervised_process import SupervisedProcess, _Spawner
from tests.sandbox.zoo import isolation

READS = (ADAPTER, *(ADAPTER.with_name(f"{name}.py") for name in ("bot_adapter", "declared_bot", "kit")))
LEVELS = ("none", "limits", "partial", "strong", "strong+cgroup")

LOOKS = """
import sys
modules = sorted(sys.modules)
import builtins, gc, json, locale, os, random, re, resource, signal, threading, warnings

def deepest(depth=0):
    try:
        return deepest(depth + 1)
    except RecursionError:
        return depth

def status():
    told = dict(line.split(":", 1) for line in open("/proc/self/status") if line[:2] not in ("Vm", "Rs"))
    own = ("Pid", "Tgid", "NSpid", "NSpgid", "NSsid", "NStgid", "PPid", "Uid", "Gid", "HugetlbPages", "SigQ")
    return {key: value for key, value in told.items() if key not in own and not key.endswith("ctxt_switches")}

state = {
    "modules": modules,
    "path": (sys.path, [getattr(one, "__name__", type(one)) for one in sys.meta_path]),
    "command": (sys.argv, sys.orig_argv, sys.executable, sys.prefix),
    "main": sorted(vars(sys.modules["__main__"])),
    "interpreter": (sys.flags, sys.getrecursionlimit(), sys.getswitchinterval(), sys.gettrace(), sys.warnoptions),
    "depth": deepest(),
    "random": (random.random(), hash("a text"), list({"a", "text", "and", "another"}),
               sys.modules["numpy"].random.random() if "numpy" in modules else 0),
    "environment": dict(os.environ),
    "place": (os.getcwd(), sorted(os.listdir()), os.umask(0)),
    "open": [(fd, os.path.exists(f"/proc/self/fd/{fd}")) for fd in range(64)],
    "streams": [(one.line_buffering, one.write_through, one.encoding, one.seekable()) for one in
                (sys.__stdin__, sys.__stdout__, sys.__stderr__)],
    "readable": [os.access(f"/proc/self/{name}", os.R_OK) for name in ("maps", "environ", "fd", "mem")],
    "group": [int(one) in (0, os.getpid()) for one in open("/proc/self/stat").read().rpartition(")")[2].split()[2:5]],
    "cgroup": re.sub("koth-[0-9a-f]+", "koth-NAME", open("/proc/self/cgroup").read()),
    "pids": (os.getpid(), os.getppid()) if os.getppid() == 0 else "the host's",
    "status": status(),
    "limits": [resource.getrlimit(which) for which in range(16)],
    "signals": [str(signal.getsignal(one)) for one in signal.Signals],
    "collector": (gc.isenabled(), gc.get_threshold(), gc.callbacks, gc.garbage),
    "others": (threading.active_count(), locale.setlocale(locale.LC_ALL), warnings.filters, sorted(vars(builtins))),
}
print(json.dumps(state, default=repr), file=sys.stderr)
raise SystemExit
"""
MARKS = """
import builtins, ctypes, gc, json, math, os, random, signal, sys, warnings
builtins.mark = json.mark = random.random = lambda: 7
sys.modules["marked"] = math
sys.path.append("/marked")
os.environ["MARKED"] = "1"
os.chdir("/")
os.umask(0o77)
gc.disable()
os.dup(0)
random.seed(1)
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
warnings.simplefilter("ignore")
sys.setrecursionlimit(500)
try:
    open("/tmp/koth-zoo-mark", "w").close()
    os.remove("/tmp/koth-zoo-mark")
except OSError:
    pass
os.kill(os.getpid(), 9)
"""


def started(
    source: str, level: Isolation, folder: Path, python: str = sys.executable, library: str = "", **own: str
) -> SupervisedProcess:
    """A bot with this source, to which the match info has been sent."""
    file = folder / "bot" / "bot.py"
    file.parent.mkdir(exist_ok=True)
    file.write_text(source)
    argv = (python, *OPTIONS, str(ADAPTER), *([PRELOAD + library] if library else []), str(file))
    child = spawn(Command(argv, file.parent, {"KOTH_SEED": "7", **own}, READS), level)
    child.stdin.write(b'{"hello": {"seed": 7}}\n')
    return child


def said(child: SupervisedProcess) -> bytes:
    """What a bot that ends has written to stderr."""
    _, errors = child.communicate(60)
    child.close()
    return errors


def state(level: Isolation, folder: Path, library: str = "") -> dict[str, Any]:
    """The state that a bot finds, in a process of its own."""
    errors = said(started(LOOKS, level, folder, library=library))
    assert errors.startswith(b"{"), errors.decode()
    return json.loads(errors)


def is_forked(child: SupervisedProcess) -> bool:
    """Whether a bot that waits was forked from the spawner, whose command it has."""
    assert child.stdout.read(1)
    command = Path(f"/proc/{child.program_pid()}/cmdline").read_bytes()
    child.end()
    child.close()
    return b"spawner" in command


@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_finds_what_a_new_process_has_whatever_came_before_it(level: str, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    chosen = isolation(level)
    new = state(replace(chosen, forks_python=False), tmp_path)
    assert said(started(MARKS, chosen, tmp_path)) == b""
    assert state(chosen, tmp_path) == new


def test_a_library_is_loaded_ahead(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    chosen = isolation("strong")
    forked = state(chosen, tmp_path, "numpy")
    assert "numpy" in forked["modules"]
    assert forked == state(replace(chosen, forks_python=False), tmp_path, "numpy")


WAITS = "class Bot:\n    def act(self, obs): pass\n"


def test_a_bot_is_forked_if_a_new_process_would_have_the_same_python(tmp_path: Path) -> None:
    other = str(tmp_path / "python")
    os.symlink(sys.executable, other)
    plain = isolation("none")
    assert is_forked(started(WAITS, plain, tmp_path))
    assert not is_forked(started(WAITS, plain, tmp_path, other))
    assert not is_forked(started(WAITS, plain, tmp_path, PYTHONOPTIMIZE="1"))
    assert not is_forked(started(WAITS, plain, tmp_path, library="this")), "imported in no process of koth's own"


def test_a_spawner_that_has_ended_costs_no_bot_its_match(tmp_path: Path) -> None:
    first = started(WAITS, isolation("none"), tmp_path)
    process = _Spawner.by_libraries[()].process
    process.kill()
    process.wait()
    assert is_forked(started(WAITS, isolation("none"), tmp_path))
    assert is_forked(first), "it lives on"


@pytest.mark.parametrize("level", LEVELS[-2:])
def test_a_bot_has_no_path_of_the_host_in_its_memory(level: str, tmp_path: Path) -> None:
    """Neither its supervisor nor the spawner had one that the sandbox hides: of the bots' files, or of koth's."""
    tmp_path.chmod(0o755)
    child = started(WAITS, isolation(level), tmp_path)
    assert child.stdout.read(1)
    pid, found = child.program_pid(), b""
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in maps:
            begin, end = (int(word, 16) for word in line.split()[0].split("-"))
            if " rw" in line:
                memory.seek(begin)
                found += memory.read(end - begin)
    child.end()
    child.close()
    assert b"/bot/bot.py" in found
    assert str(tmp_path).encode() not in found
    assert str(PACKAGE).encode() not in found
