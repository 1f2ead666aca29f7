"""Hills for tests: small matches of zombies, two bots at a table, no sandbox."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import koth as koth
from tests.cli.program import GOOD, SMALL, Koth, bot_file, forget_hill

from koth.hill.connection import open_hill, set_up

set_up(SECRET_KEY="until a site has its own")  # before the models are imported


class Place:
    """A hill in a folder, and the commands on it."""

    def __init__(self, koth: Koth, folder: Path) -> None:
        self.koth, self.folder = koth, folder

    def __call__(self, command: str, *words: object) -> Any:
        """Run a command of the hill, and return what it prints with --json."""
        done = self.koth("hill", command, self.folder, *words, "--json")
        assert done.code == 0, done.err
        return json.loads(done.out)

    def submit(self, name: str, author: str = "", source: str = GOOD) -> Any:
        """Send a bot."""
        path = bot_file(self.folder.parent, name, source)
        return self("submit", path, *(["--author", author] if author else []))

    def refused(self, command: str, *words: object) -> str:
        """Return the one line with which a command that can't work ends."""
        return self.koth.refused("hill", command, self.folder, *words)


@pytest.fixture(scope="session")
def new_hill(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a new hill: every test has a copy of its own."""
    folder = tmp_path_factory.mktemp("new") / "hill"
    words = ("hill", "init", "zombies", folder, "--seats", 2, "--rank-by", "rating", *SMALL)
    subprocess.run([sys.executable, "-m", "koth", *map(str, words)], check=True, capture_output=True, timeout=300)
    return folder


@pytest.fixture
def hill(koth: Koth, new_hill: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A new hill, which Django's models use from the beginning."""
    forget_hill(monkeypatch)
    folder = Path(shutil.copytree(new_hill, tmp_path / "hill"))
    with open_hill(folder):
        return Place(koth, folder)
