"""Small studies for tests."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from koth.diagnostics.checkup import CheckStep, Problem
from koth.services.checks import BotCheck
from tests.cli.conftest import koth as koth
from tests.cli.program import GOOD, Done, Koth

COUNTS = "echo . >> count; echo '#' $(wc -l < count) >> bot/bot.py"
"""A command that writes another bot each time, and how often it has run."""
TABLES = """
[budget]
timeout = "20m"

[games.zombies]
matches = 1
max_turns = 4
yardsticks = ["yard.py"]
start = "start.py"
settings = { players = 3, vision = 2, shoot_range = 2, density = 0.02 }
"""


@dataclass
class Place:
    """A folder with a study's file."""

    koth: Koth
    folder: Path

    def write(self, keys: str = "", tables: str = TABLES, **commands: str) -> Path:
        """Write the file of a study of these authors."""
        file = self.folder / "trial.toml"
        authors = "".join(f"[authors.{name}]\ncommand = '''{command}'''\n" for name, command in commands.items())
        usual = ("rounds = 1", "seed = 5", "jobs = 1", 'isolation = "none"')
        given = {line.partition(" ")[0] for line in keys.splitlines()}
        lines = [line for line in usual if line.partition(" ")[0] not in given]
        file.write_text("\n".join([*lines, keys, authors, tables]))
        return file

    def play(self) -> dict[str, Any]:
        """Play the study, and return all rows."""
        done = self.koth("study", self.folder / "trial.toml", "--json")
        assert done.code == 0, done.err
        found: dict[str, Any] = json.loads(done.out)
        return found

    def try_to_play(self) -> Done:
        return self.koth("study", self.folder / "trial.toml")

    @property
    def series(self) -> Path:
        """The folder of the first repetition."""
        return self.folder / "trial" / "zombies" / "1"


@pytest.fixture
def place(koth: Koth, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A folder with bots that are small; every bot passes the check in which the word `broken` does not stand."""

    def check_bot(word: str, *_: Any) -> BotCheck:
        is_broken = "broken" in (Path(word) / "bot.py").read_text()
        problems = [Problem("crash", 1, 3, "it is broken")] if is_broken else []
        return BotCheck(word, "zombies", [CheckStep("alone", "", problems)], None)

    monkeypatch.setattr("koth_studies.series.check_bot", check_bot)
    (tmp_path / "yard.py").write_text(GOOD)
    (tmp_path / "start.py").write_text(GOOD.replace("9]", "8]"))
    return Place(koth, tmp_path)
