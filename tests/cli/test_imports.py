"""What a command imports: help must not wait for compilers, and nothing needs the extras but what they are for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ALL = """
import json, sys
{code}
print(json.dumps(sorted({{name.partition('.')[0] for name in sys.modules}})))
"""
HELP = """
import contextlib, io
sys.argv = ["koth", {words}]
from koth.cli import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main()
"""
HEAVY = {"numpy", "numba", "llvmlite", "starlette", "uvicorn", "anyio", "rich", "sqlite3", "orjson"}
EXTRAS = {"starlette", "uvicorn", "anyio", "httpx", "playwright", "pytest", "hypothesis"}


def imported(code: str, folder: Path) -> set[str]:
    """The top modules that a program has imported in the end."""
    done = subprocess.run(
        [sys.executable, "-c", ALL.format(code=code)], capture_output=True, text=True, cwd=folder, check=True
    )
    return set(json.loads(done.stdout))


@pytest.mark.parametrize("words", ["'--help'", "'--version'"])
def test_help_imports_next_to_nothing(words: str, tmp_path: Path) -> None:
    assert not imported(HELP.format(words=words), tmp_path) & HEAVY


def test_help_on_a_command_imports_no_compiler(tmp_path: Path) -> None:
    assert not imported(HELP.format(words="'run', '--help'"), tmp_path) & HEAVY


def test_koth_alone_imports_nothing(tmp_path: Path) -> None:
    assert not imported("import koth", tmp_path) & (HEAVY | {"click"})


def test_a_contest_needs_no_extras(tmp_path: Path) -> None:
    code = "import koth.contest.run, koth.match, koth.replay, koth.cli.run, koth.cli.live, koth.games.zombies"
    assert not imported(code, tmp_path) & EXTRAS
