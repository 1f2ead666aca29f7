"""koth does not change the importing process, other code compiled by Numba, or Numba's private names."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from koth.compile import COMPILED
from koth.games import GAMES

SOURCE = Path(__file__).parents[2] / "src" / "koth"

LOOK = """
import gc, json, os, resource, signal, sys, threading
from pathlib import Path

def looked():
    config = sys.modules["numba"].config
    return {
        "environment": dict(os.environ),
        "numba": {key: repr(getattr(config, key)) for key in dir(config) if key.isupper()},
        "gc": [gc.isenabled(), gc.get_threshold(), gc.get_freeze_count()],
        "limits": {name: resource.getrlimit(getattr(resource, name)) for name in dir(resource) if "RLIMIT_" in name},
        "cgroup": Path("/proc/self/cgroup").read_text(),
        "folders": sorted(map(str, Path(os.environ["KOTH_CACHE_DIR"]).parent.rglob("*"))),
        "threads": threading.active_count(),
        "signals": [repr(signal.getsignal(one)) for one in sorted(signal.valid_signals())],
        "umask and folder": [os.umask(os.umask(0)), os.getcwd()],
    }
"""
IMPORTS = """
import numba
before = looked()
import koth, koth.game, koth.kernel, koth.match, koth.warmup, koth.engine.batch, koth.contest.run, koth.testing
from importlib import import_module
for game in GAMES:
    import_module(f"koth.games.{game}")
print(json.dumps([before, looked()]))
"""


def run(code: str, folder: Path, **environment: str) -> str:
    """Run Python in an empty home and return what it prints."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA", "KOTH", "XDG"))}
    own = {"HOME": str(folder), "KOTH_CACHE_DIR": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.check_output(command, env={**kept, **own, **environment}, text=True, cwd=folder)


def test_importing_koth_and_its_games_changes_nothing_of_the_process(tmp_path: Path) -> None:
    before, after = json.loads(run(f"{LOOK}\nGAMES = {GAMES!r}\n{IMPORTS}", tmp_path))
    assert before == after


USERS = """
import numba, numpy as np
from typing import NamedTuple

Many = NamedTuple("Many", [(f"a{i}", object) for i in range(30)])

@numba.njit(cache=True)
def of_a_user(many, x):
    return min(many.a0[0], x) + max(many.a1[1], 2) + int(many.a29[2]) + (many.a3 + 1).sum()
"""
CALLED = """
from users import Many, of_a_user
value = of_a_user(Many(*(np.arange(i + 3.0) for i in range(30))), 2.5)
print(value, sum(of_a_user.stats.cache_hits.values()), of_a_user.stats.cache_path)
"""


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_code_of_a_user_compiles_and_is_cached_as_if_koth_were_not_there(tmp_path: Path) -> None:
    """Also after a kernel was compiled: it lies beside the user's module, and is the same with koth and without."""
    (tmp_path / "users.py").write_text(USERS, encoding="utf-8")
    alone = "import numpy as np" + CALLED
    beside = "import numpy as np\nfrom koth.rng import draw\ndraw(1, 2, 3, 4, 5)" + CALLED
    said = [run(code, tmp_path, PYTHONPATH=str(tmp_path)).split() for code in (beside, alone, beside)]
    assert len({(value, folder) for value, _, folder in said}) == 1
    assert [hits for _, hits, _ in said] == ["0", "1", "1"]
    assert said[0][2] == str(tmp_path / "__pycache__")


CALLS_KOTH = """
import numba, sys
from koth.rng import draw

@numba.njit
def of_a_user(seed):
    return draw(seed, 2, 3, 4, 1000)

print(of_a_user(7) == draw(7, 2, 3, 4, 1000))
"""


@pytest.mark.slow
def test_code_of_a_user_calls_kernels(tmp_path: Path) -> None:
    assert run(CALLS_KOTH, tmp_path) == "True\n"


HASHES = """
from koth.games import load
from koth.testing import Case, begin, policy_of, trail
game = load("metalman")
case = Case(game, next(iter(game.rulesets.values())), 4)
print(*trail(begin(case, [1]), policy_of(case, 1), 20)[0])
"""


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_a_numba_without_the_option_nrt_plays_the_same(tmp_path: Path) -> None:
    without = "from numba.core.cpu import CPUTargetOptions as options\nfor one in options.__mro__:\n"
    without += "    if '_nrt' in vars(one): del one._nrt\n"
    counts = "from koth.games.metalman.turn import play_turns\nprint(play_turns.counts_unmarked)\n"
    fast, plain = (
        run(code + HASHES + counts, tmp_path, KOTH_CACHE_DIR=str(tmp_path / f"cache {len(code)}")).split()
        for code in ("", without)
    )
    assert (plain.pop(), fast.pop()) == ("True", "False")
    assert plain == fast


COPIES = """
import numpy as np
from koth.compile import uncompiled
from koth.kernel import copies, copy_values, count_up, kernel, low_bytes, mark_equal, mark_values

print(copies.__name__)
"""
WRITES = """
def write(source, board, out):
    copy_values(board, 3, board, 300, 40)
    count_up(board, 8, -3, 16)
    low_bytes(source, 5, out, 1, 16)
    mark_values(out, 1, out, 20, 40, 60, 16)
    mark_equal(out, 1, out, 40, 51, 16)
    return None

def beyond(source, target):
    copy_values(source, 2, target, 0, 4)

def written(function):
    source, board, out = np.arange(500) * 7, np.arange(400).reshape(20, 20), np.zeros(60, np.uint8)
    function(source, board, out)
    return board.tolist(), out.tolist()

fast, checked = written(kernel(write)), kernel(beyond)
globals().update(vars(uncompiled))
print(fast == written(write))
try:
    checked(np.arange(5), np.arange(9))
except IndexError as error:
    print("values beyond the end of an array" in str(error))
"""


@pytest.mark.slow
@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
@pytest.mark.parametrize("missing", ["del cgutils.raw_memcpy", "cpu.CPUContext = object"])
def test_without_a_name_of_numba_it_compiles_the_plain_copies(missing: str, tmp_path: Path) -> None:
    (tmp_path / "writes.py").write_text(COPIES + WRITES, encoding="utf-8")
    code = (  # Numba itself needs the name, too
        "from numba.core import cgutils, cpu, registry; registry.cpu_target.target_context\n"
        f"kept = cgutils.raw_memcpy; {missing}; import koth.kernel; cgutils.raw_memcpy = kept\nimport writes"
    )
    found = run(code, tmp_path, PYTHONPATH=str(tmp_path)).split()
    assert found == ["koth.compile.uncompiled", "True", "True"]


PUBLIC = {"numba", "numba.extending", "llvmlite.binding"}
"""Modules of Numba and llvmlite whose names are documented."""
PRIVATE = ("compile/simd.py",)
OPTIONS = r'"_nrt"|\bno_c\w+_wrapper\b'
"""Undocumented options of `njit`, for which lazy.py has a way without."""


NAMING = [path for path in sorted(SOURCE.rglob("*.py")) if re.search("numba|llvmlite", path.read_text("utf-8"))]


@pytest.mark.parametrize("path", NAMING, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_file_touches_a_private_name_of_numba(path: Path) -> None:
    if path.relative_to(SOURCE).as_posix().startswith(PRIVATE):
        return
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        names = []
        if isinstance(node, ast.Import):
            names = [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [(node.module, alias.name) for alias in node.names]
        for module, name in names:
            if module.split(".")[0] in ("numba", "llvmlite"):
                assert module in PUBLIC or f"{module}.{name}" in PUBLIC, f"{path}: {module}"
                assert not name.startswith("_"), f"{path}: {name}"
    assert not re.search(r"\bnumba\.(core|np|_(?!_version__)\w+)\b", text), path
    assert not re.search(OPTIONS, text) or path.name == "lazy.py", path
    assert not re.search(r"\bdispatcher\._\w|\bpart\._\w", text), path
