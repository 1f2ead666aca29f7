"""Games from elsewhere: packages that pip installs into a folder, and a koth that finds them there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[3] / "examples" / "koth-snakes"
PLAIN_EXAMPLE = EXAMPLE.with_name("koth-ricochet")
PIP = ("-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--target", "site")


class Elsewhere:
    """A folder in which packages are installed into `site`; koth is run in it, and finds them.

    Rules are not compiled, which would take longer than they are played.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {"PYTHONPATH": str(folder / "site"), "NUMBA_DISABLE_JIT": "1"}

    def install(self, package: Path) -> None:
        """Install a copy of this package: building leaves files in its folder."""
        copy = self.folder / "sources" / package.name
        shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
        self.run(*PIP, str(copy))

    def run(self, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        """Python with these words, which must end with this code."""
        environment = os.environ | self.environment
        done = subprocess.run(
            [sys.executable, *words], cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, (words, done.stdout[-3000:], done.stderr[-3000:])
        return done

    def koth(self, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        return self.run("-m", "koth", *words, code=code)

    def uses_everything(self, game: str, bot: str, run: str) -> None:
        """All that koth can do with a game, its run in this folder, and a bot that played in it without a fault."""
        replay = self.first_replay(run)
        assert "verified" in self.koth("verify", run).stdout
        assert "ready to play" in self.koth("check", bot, "--game", game, "--max-turns", "4").stdout
        assert f"The JSON lines of {game}" in self.koth("docs", f"{game}/messages", "--json").stdout
        assert "@" in self.koth("list", game).stdout
        assert "1. " in self.koth("docs", f"{game}/rules").stdout
        assert "## Samples" in self.koth("docs", game).stdout
        assert bot in self.koth("standings", run, "--format", "csv").stdout
        assert "no bot had a fault" in self.koth("why", run).stdout
        assert "turn 2" in self.koth("debug", replay, "--bot", bot, "--turn", "2").stdout
        self.koth("export", replay, f"{run}.html")
        self.koth("export", run, f"{run}-site")
        assert "no play.js" in self.koth("play", game, code=2).stderr

    def first_replay(self, run: str) -> str:
        return str(min((self.folder / run / "replays").iterdir()))
