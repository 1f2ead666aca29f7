"""Compiled kernels: their cache, first starts at the same time, what they may create, and what they check."""

from __future__ import annotations

import ast
import gc
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import koth
from koth.compile import COMPILED, sources
from koth.compile.code_cache import _mark, compiling
from koth.game import Array
from koth.kernel import copy_values, kernel
from koth.testing import Case
from koth.testing.laws import kernels_make_no_arrays

FIRST_START = """
from pathlib import Path
from koth import rng
from koth.compile.code_cache import code_folder, compiling
with compiling("probe", [Path(rng.__file__)]) as first:
    value = rng.draw(1, 2, 3, 4, 1000)
print(first, value, sum(rng.draw.dispatcher.stats.cache_misses.values()) > 0, code_folder())
"""


@pytest.fixture
def package(tmp_path: Path) -> str:
    """A folder with the ground of the package, which nobody edits while a test runs."""
    folder = tmp_path / "package" / "koth"
    folder.mkdir(parents=True)
    source = Path(koth.__path__[0])
    for module in source.glob("*.py"):
        shutil.copy(module, folder)
    for layer in ("compile", "files"):
        shutil.copytree(source / layer, folder / layer, ignore=shutil.ignore_patterns("__pycache__"))
    return str(folder.parent)


def start(package: str, **environment: str) -> subprocess.Popen[str]:
    """A process that begins like every first start of a game."""
    kept = {key: value for key, value in os.environ.items() if key not in ("KOTH_CACHE_DIR", "XDG_CACHE_HOME")}
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", FIRST_START],
        env={**kept, "NUMBA_DISABLE_JIT": "0", "PYTHONPATH": package, **environment},
        stdout=subprocess.PIPE,
        text=True,
    )


def words(process: subprocess.Popen[str]) -> list[str]:
    output = process.communicate()[0]
    assert process.returncode == 0
    return output.split()


@pytest.mark.slow
def test_of_several_first_starts_one_compiles_and_the_others_load(package: str, tmp_path: Path) -> None:
    together = [words(process) for process in [start(package, KOTH_CACHE_DIR=str(tmp_path)) for _ in range(3)]]
    assert sorted(first for first, *_ in together) == ["False", "False", "True"]
    assert sorted(compiled for _, _, compiled, _ in together) == ["False", "False", "True"]
    assert len({value for _, value, _, _ in together}) == 1
    later = words(start(package, KOTH_CACHE_DIR=str(tmp_path)))
    assert later == ["False", together[0][1], "False", together[0][3]]
    assert Path(later[3]).parent == tmp_path


@pytest.mark.slow
def test_a_home_that_can_not_be_written_is_no_hindrance(package: str, tmp_path: Path) -> None:
    """Not even root can make a folder in /proc."""
    first = words(start(package, HOME="/proc/nobody", TMPDIR=str(tmp_path)))
    assert first[0] == "True"
    assert Path(first[3]).parents[1] == tmp_path
    assert words(start(package, HOME="/proc/nobody", TMPDIR=str(tmp_path)))[::2] == ["False", "False"]


GAME = {
    "koth/games/probe/__init__.py": "from koth.games.probe.turn import step",
    "koth/games/probe/turn.py": """
from koth.games.probe import rules
from koth.kernel import kernel

@kernel
def step(x: int) -> int:
    return rules.more(x)
""",
    "koth/games/probe/rules.py": """
from koth.games.probe.state import LEAST
from koth.kernel import kernel

@kernel
def more(x: int) -> int:
    return x + LEAST
""",
    "koth/games/probe/state.py": "LEAST = 1",
    "koth/games/probe/protocol.py": "WORDS = 1",
}
STEP = """
from koth.games.probe.turn import step
print(step(40), sum(step.dispatcher.stats.cache_misses.values()))
"""


@pytest.mark.slow
def test_kernels_are_compiled_anew_where_something_they_rest_on_has_changed(package: str, tmp_path: Path) -> None:
    for name, text in {**GAME, "koth/games/__init__.py": ""}.items():
        file = Path(package, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def stepped() -> list[str]:
        environment = {**os.environ, "KOTH_CACHE_DIR": str(tmp_path), "PYTHONPATH": package, "NUMBA_DISABLE_JIT": "0"}
        return subprocess.check_output([sys.executable, "-c", STEP], env=environment, text=True).split()

    assert stepped() == ["41", "1"]
    assert stepped() == ["41", "0"]
    for name in ("protocol.py", "__init__.py"):
        Path(package, "koth/games/probe", name).write_text(GAME[f"koth/games/probe/{name}"] + "\n# other words\n")
    assert stepped() == ["41", "0"], "a module without kernels that none of them imports"
    Path(package, "koth/games/probe/turn.py").touch()
    assert stepped() == ["41", "0"], "a file that was only written once more"
    Path(package, "koth/games/probe/state.py").write_text("LEAST = 2")
    assert stepped() == ["42", "1"]


def added(numbers: Array) -> int:
    return int((numbers + 1).sum())


marked = kernel(allocates=True)(added)


@kernel(inline=True)
def calls_marked(numbers: Array) -> int:
    return marked(numbers)


@pytest.mark.parametrize("called", [marked, calls_marked])
def test_a_kernel_that_is_marked_so_makes_arrays(called: Callable[[Array], int]) -> None:
    assert called(np.arange(3)) == 6


@kernel
def unmarked(numbers: Array) -> int:
    return int((numbers + 2).sum())


@kernel
def calls_unmarked(numbers: Array) -> int:
    return unmarked(numbers) + 10


@kernel
def makes_nothing(numbers: Array) -> int:
    first = numbers[1:]
    return int(first[0]) + 100


def test_a_kernel_of_a_package_may_make_arrays_unmarked() -> None:
    assert unmarked(np.arange(3)) == 9
    assert calls_unmarked(np.arange(3)) == 19


@kernel
def tail_and_size(values: Array) -> tuple[Array, int]:
    return values[1:], 7


@kernel
def sevens(_values: Array) -> Array:
    return np.full(3, 7)


def test_a_kernel_of_a_package_returns_parts_of_arrays_as_they_are() -> None:
    tail, size = tail_and_size(np.arange(4))
    assert tail.tolist() == [1, 2, 3]
    assert size == 7
    assert sevens(np.arange(3)).tolist() == [7, 7, 7]


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_references_are_counted_only_where_arrays_are_made() -> None:
    """Also when the code comes from the cache, as in a second run of this test."""
    used: list[Any] = [unmarked, calls_unmarked, tail_and_size, makes_nothing, marked]
    for one in used:
        one(np.arange(3))
    assert [one.counts_unmarked for one in used] == [True, True, True, False, False]


class Game:
    """A game beside these kernels."""


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_the_law_names_the_kernels_that_count_references_unmarked() -> None:
    calls_unmarked(np.arange(3))
    game: Any = Game()
    with pytest.raises(AssertionError, match=r"copy a slice: tests\.compile\.test_kernel\.(un|calls_un)marked"):
        kernels_make_no_arrays(Case(game, None, 1))


@kernel
def is_more(numbers: Array, than: float = 0) -> bool:
    return bool(numbers[0] > than)


def are_more(numbers: Array) -> int:
    count = int(is_more(numbers, 1))  # a literal, a byte, and a word
    for number in numbers:
        count += is_more(numbers, number) + is_more(numbers, len(numbers))
    return count


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_a_kernel_that_others_call_is_compiled_once_for_all_whole_numbers() -> None:
    called: Any = is_more
    assert numba.njit(are_more)(np.array([2, 1], np.uint8)) == 2
    assert len(called.inner_dispatcher.signatures) == 1


def test_a_wrong_argument_does_no_harm() -> None:
    for _ in range(2):
        with pytest.raises(Exception, match=r"(?s)."):
            is_more(None)
        assert [is_more(np.ones(1)), is_more(np.ones(1), than=2), is_more(np.ones(1), 2)] == [True, False, False]


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_a_kernel_is_pickled_by_its_name_and_has_its_function() -> None:
    made: Any = is_more
    assert pickle.loads(pickle.dumps(made)) is made
    assert made.py_func(np.ones(1))
    assert repr(made) == "<kernel tests.compile.test_kernel.is_more>"


@kernel
def with_inner_function(numbers: Array) -> int:
    limit = numbers[0]

    def small(number: int) -> bool:
        return bool(number <= limit)

    count = 0
    for number in numbers:
        count += small(number)
    return count


def test_a_kernel_may_have_inner_functions() -> None:
    assert with_inner_function(np.array([3, 1, 4, 2])) == 3


@pytest.mark.slow
def test_all_imports_are_found(tmp_path: Path) -> None:
    odd = tmp_path / "odd.py"
    odd.write_text("if 1: import a.b as c, d\nx = 1; import e; from f.g import (  # (h)\n    i as j,\n    k,\n)\n"
                   "from l import m, \\\n    n\nfrom .o import p\nfrom . import q\nfrom ..r import t\n")  # fmt: skip
    expected = {("", name) for name in ("a.b", "d", "e", "f.g.i", "f.g.k", "l.m", "l.n")}
    assert expected | {(".", "o.p"), (".", "q"), ("..", "r.t")} == set(sources.read_imports(odd))
    for file in Path(koth.__file__).parent.rglob("*.py"):
        nodes = list(ast.walk(ast.parse(file.read_bytes())))
        names = {one.name for node in nodes if isinstance(node, ast.Import) for one in node.names}
        found = [node for node in nodes if isinstance(node, ast.ImportFrom)]
        names |= {f"{node.module}.{one.name}" for node in found for one in node.names if one.name != "*"}
        assert names <= {name for _, name in sources.read_imports(file)}, file


RELATIVE = {
    "__init__.py": "DEPTH = 1",
    "rules.py": "from . import DEPTH, board\nfrom .state import LEAST\nfrom .deep.far import FAR",
    "state.py": "LEAST = 1",
    "board.py": "SIZE = 1",
    "deep/__init__.py": "",
    "deep/far.py": "from ..near import NEAR\nFAR = NEAR",
    "near.py": "NEAR = 1",
    "other.py": "OTHER = 1",
}


@pytest.mark.parametrize("changed", ["__init__.py", "state.py", "board.py", "deep/far.py", "near.py"])
def test_relative_imports_count(changed: str, tmp_path: Path) -> None:
    """A module of a package is compiled anew where one that it names by dots has changed."""
    digests = []
    for name in ("before", "after", "other"):
        root = tmp_path / name / "probe"
        for file, text in RELATIVE.items():
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            is_changed = (file, name) in ((changed, "after"), ("other.py", "other"))
            (root / file).write_text(text + "\n# changed" * is_changed, encoding="utf-8")
        digests.append(sources.digest([root / "rules.py"]))
    before, after, other = digests
    assert before == other != after


def test_packages_beside_an_installed_one_are_not_its_sources(tmp_path: Path) -> None:
    """Reading NumPy and Numba for the digest of koth's kernels would cost seconds at every start."""
    texts = {
        "game/__init__.py": "",
        "game/rules.py": "import numba.typed\nfrom numba.core import types\nfrom game.state import LEAST",
        "game/state.py": "LEAST = 1",
        "numba/__init__.py": "",
        "numba/typed.py": "",
        "numba/core.py": "",
    }
    for file, text in texts.items():
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text, encoding="utf-8")
    rules = tmp_path / "game" / "rules.py"
    assert sources.find_sources(rules) == {rules, tmp_path / "game" / "state.py"}


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_garbage_is_collected_again_after_a_first_compilation(tmp_path: Path) -> None:
    (tmp_path / "rules.py").touch()
    with compiling(tmp_path.name, [tmp_path / "rules.py"]) as first:
        assert first
        assert not gc.isenabled()
    assert gc.isenabled()
    with compiling(tmp_path.name, [tmp_path / "rules.py"]) as first:
        assert not first
    _mark(tmp_path.name, [tmp_path / "rules.py"]).unlink()


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled")
def test_code_for_another_processor_lies_in_another_folder(tmp_path: Path) -> None:
    code = "from koth.compile.code_cache import code_folder; print(code_folder())"
    folders = set()
    for name in ("", "generic"):
        environment = {**os.environ, "KOTH_CACHE_DIR": str(tmp_path), "NUMBA_CPU_NAME": name}
        environment |= {"NUMBA_CPU_FEATURES": ""} if name else {}
        environment = {key: value for key, value in environment.items() if value or key == "NUMBA_CPU_FEATURES"}
        folders.add(subprocess.check_output([sys.executable, "-c", code], env=environment, text=True))
    assert len(folders) == 2


@kernel
def writes(numbers: Array, place: int) -> None:
    numbers[place] = 1


@kernel
def calls_writes(numbers: Array, place: int) -> None:
    writes(numbers, place)


@kernel
def copies(source: Array, target: Array, place: int) -> None:
    copy_values(source, 0, target, place, 4)


def test_a_kernel_of_a_package_writes_nothing_beyond_an_array() -> None:
    numbers = np.zeros(12, np.int64)
    within = numbers[4:8]
    for wrong in (4, -5, 1 << 40):
        with pytest.raises(IndexError):
            calls_writes(within, wrong)
    for wrong in (1, -1):
        with pytest.raises(IndexError):
            copies(np.ones(4, np.int64), within, wrong)
    assert not numbers.any()
    calls_writes(within, 3)
    copies(np.ones(4, np.int64), within, 0)
    assert numbers.tolist() == [0] * 4 + [1] * 4 + [0] * 4


@pytest.mark.skipif(not COMPILED, reason="plain Python names the line")
def test_the_kernel_that_goes_beyond_an_array_is_named() -> None:
    with pytest.raises(
        IndexError, match=r"^the kernel tests\.compile\.test_kernel\.calls_writes, or one that it calls"
    ):
        calls_writes(np.zeros(3), 3)
