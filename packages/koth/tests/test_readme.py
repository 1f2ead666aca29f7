"""The pages to begin with are true: commands run, blocks work, every command of koth is named somewhere."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from koth.cli import cli
from koth.discovery.samples import find_sample
from koth.games import GAMES

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {
    page: re.findall(r"(?<!-->\n)```(\w+)\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    for page in ("README.md", "docs/index.md", "docs/host.md", "docs/how-it-works.md")
}
"""The blocks of each page: language and text, without those that have a name, for a test of their own."""
TARGETS = re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def koth(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run one line that begins with `koth`."""
    words = shlex.split(line)
    assert words[0] == "koth"
    argv = [sys.executable, "-m", "koth", *words[1:]]
    return subprocess.run(argv, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize("page", PAGES)
def test_the_shell_blocks_run_in_order(page: str, tmp_path: Path) -> None:
    bots = tmp_path / "bots"
    bots.mkdir()
    for name in ("stand_still", "gunner"):
        shutil.copy(find_sample("zombies", name), bots)
    for language, text in PAGES[page]:
        if language != "sh":
            continue
        for line in text.strip().splitlines():
            if line.startswith(("make ", "export PATH=")):  # tested below; this environment's koth runs
                continue
            if line.startswith("koth view"):  # it serves until it is stopped; the viewer's tests play with it
                assert (tmp_path / shlex.split(line)[2] / "run.json").exists()
                continue
            done = koth(line, tmp_path)
            assert done.returncode == 0, f"{line}\n{done.stderr}"


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_the_python_blocks_run(page: str) -> None:
    for language, text in PAGES[page]:
        if language == "python":
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(text, page, "exec"), {"__name__": "page"})


def test_the_first_bot_is_the_one_that_new_makes() -> None:
    """The page shows the template's class, word for word but for its comments and names."""
    shown = next(text for language, text in PAGES["docs/index.md"] if language == "python" and "class Bot" in text)
    made = (ROOT / "packages/koth/src/koth/games/zombies/new/bot.py").read_text(encoding="utf-8")
    body = [line for line in made.splitlines() if line and not line.lstrip().startswith(("#", '"""'))]
    assert [line for line in shown.splitlines() if line] == body


@pytest.mark.parametrize("command", sorted(cli.commands))
def test_every_command_is_documented(command: str) -> None:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    assert any(f"koth {command}" in page.read_text(encoding="utf-8") for page in pages)


@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_game_is_documented(game: str) -> None:
    assert f"| `{game}` |" in README
    assert (ROOT / "packages/koth/src/koth/games" / game / "RULES.md").exists()


def test_links_and_make_targets_exist() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        text = page.read_text(encoding="utf-8")
        for link in re.findall(r"\]\(([^)#]+)\)", text):
            assert (page.parent / link).exists() or link.startswith("http"), f"{page.name}: {link}"
        for target in re.findall(r"`make ([a-z-]+)", text):
            assert target in TARGETS, f"{page.name}: make {target}"


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= 65
    assert (ROOT / "docs/images/pacman.gif").stat().st_size < 1_000_000


def test_ci_runs_the_readmes_commands() -> None:
    said = re.search(r"`(make [a-z-]+)` runs the tests", README)
    assert said[1] in (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()


def test_the_project_speaks_of_itself_alone() -> None:
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    files = listing.stdout.splitlines()
    here = os.fspath(ROOT)
    for name in files:
        path = ROOT / name
        if path.suffix in (".py", ".md", ".toml", ".js", ".java", ".txt", "") and path.is_file():
            assert here not in path.read_text(encoding="utf-8", errors="replace"), name
