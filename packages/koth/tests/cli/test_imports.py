"""Imports of a command: help must not wait for compilers, and nothing needs the extras but what they are for."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import click
import pytest

from koth.cli import cli
from koth.games import GAMES
from koth.services.options import CheckOptions, PlayingOptions, RunOptions

ALL = """
import json, sys
{code}
print(json.dumps(sorted({{name.partition('.')[0] for name in sys.modules}})))
"""
HELP = """
import contextlib, io
from koth.cli import main
for words in {words}:
    sys.argv = ["koth", *words]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        main()
"""
HEAVY = {"numpy", "numba", "llvmlite", "starlette", "uvicorn", "anyio", "rich", "sqlite3", "orjson"}
EXTRAS = {"starlette", "uvicorn", "anyio", "httpx", "playwright", "pytest", "hypothesis", "gymnasium", "pettingzoo"}
EXTRAS |= {"distributed", "dask", "tornado"}


def imported(code: str, folder: Path) -> set[str]:
    """The top modules that a program has imported in the end."""
    done = subprocess.run(
        [sys.executable, "-c", ALL.format(code=code)], capture_output=True, text=True, cwd=folder, check=True
    )
    return set(json.loads(done.stdout))


def test_help_imports_next_to_nothing(tmp_path: Path) -> None:
    words = [["--help"], ["--version"], *([name, "--help"] for name in cli.commands)]
    assert not imported(HELP.format(words=words), tmp_path) & HEAVY


@pytest.mark.parametrize(
    ("command", "options"),
    [("run", RunOptions), ("resume", PlayingOptions), ("check", CheckOptions)],
)
def test_options_are_those_of_the_use_case(command: str, options: type) -> None:
    """Names, types, defaults and help stand in the dataclass."""
    params = {param.name: param for param in cli.commands[command].params if isinstance(param, click.Option)}
    assert params.keys() - {"as_json", "view"} == {
        field.name for field in fields(options) if "variable" not in field.metadata
    } - {"progress"}
    for field in fields(options):
        given = params[field.name].default if field.name in params else None
        assert not isinstance(given, str | int | float) or given in (field.default, False), field.name


def test_koth_alone_imports_nothing(tmp_path: Path) -> None:
    assert not imported("import koth", tmp_path) & (HEAVY | {"click"})


def test_a_command_looks_for_no_garbage_at_its_end(tmp_path: Path) -> None:
    """An import leaves that as it is: whose program this is, its garbage is looked for."""
    loop = "import gc; gc.disable()\nclass Loop: __del__ = lambda self: print('found')\nx = Loop(); x.x = x; del x\n"
    command = f"import sys{HELP.format(words=[['--version']])}"
    outputs = [
        subprocess.run([sys.executable, "-c", loop + more], capture_output=True, text=True, cwd=tmp_path, check=True)
        for more in ("", "import koth.cli", command)
    ]
    assert [done.stdout for done in outputs] == ["found\n", "found\n", ""]


@pytest.mark.slow
def test_a_contest_needs_no_extras(tmp_path: Path) -> None:
    code = "import koth.contest.run, koth.match, koth.replay.reader, koth.cli.run, koth.cli.live, koth.games.zombies"
    assert not imported(code, tmp_path) & EXTRAS


@pytest.mark.slow
def test_a_contest_needs_nothing_of_learning(tmp_path: Path) -> None:
    games = [*GAMES]
    code = f"import koth.contest.run, koth.match, koth.cli.run; from koth.games import load; [*map(load, {games})]"
    learning = (
        f"{code}; assert not [m for m in sys.modules if m.startswith('koth.') and ('learn' in m or 'encoding' in m)]"
    )
    assert "koth" in imported(learning, tmp_path)
