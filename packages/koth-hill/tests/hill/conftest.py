"""Hills for tests: small matches of zombies, two bots at a table, no sandbox."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from koth_hill import connection
from koth_hill.connection import Hill, configure, open_hill
from tests.cli.program import GOOD, SMALL, Koth, bot_file
from tests.hill.process import HillKoth, forget_hill, point_django

configure(Hill(Path("nowhere"), "zombies"), {"SECRET_KEY": "until a site has its own"})  # the models need it
connection.configure = point_django


@pytest.fixture
def koth(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> HillKoth:
    """Runs commands, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return HillKoth(monkeypatch, capfd)


class Place:
    """A hill in a folder, and the commands on it."""

    def __init__(self, koth: Koth, folder: Path) -> None:
        self.koth, self.folder = koth, folder

    def __call__(self, command: str, *words: object) -> Any:
        """Run a command of the hill, and return what it prints, or the matches played, or the version sent."""
        from koth_hill.models import Version

        done = self.koth("hill", command, self.folder, *words)
        assert done.code == 0, done.err
        if command == "run":
            return {"matches": int(done.out.split()[-3].replace(",", ""))}
        if command == "submit":
            sent = Version.objects.latest("pk")
            assert f"{sent.bot.name}, version {sent.number}, digest {sent.digest}: received" in done.out
            return {**vars(sent), "bot": sent.bot.name, "version": sent.number, "author": sent.author.name}
        return done.out

    def submit(self, name: str, author: str = "", source: str = GOOD) -> Any:
        """Send a bot."""
        path = bot_file(self.folder.parent, name, source)
        return self("submit", path, *(["--author", author] if author else []))

    def standings(self) -> Any:
        """Return what `koth standings` prints as JSON."""
        done = self.koth("standings", self.folder, "--format", "json")
        assert done.code == 0, done.err
        return json.loads(done.out)

    @contextmanager
    def opened(self) -> Iterator[Hill]:
        """Open the hill, as another process would."""
        forget_hill(self.koth.monkeypatch)
        with open_hill(self.folder) as hill:
            yield hill

    def status(self) -> dict[str, Any]:
        """Return the state of the hill."""
        from koth_hill.summary import status

        with self.opened() as hill:
            return status(hill)

    def versions(self, bot: str) -> list[dict[str, Any]]:
        """Return a bot's versions, newest first, with their ratings and numbers of matches."""
        from koth_hill import fits, registry
        from koth_hill.planning import count_played

        with self.opened():
            rated = fits.latest_ratings(registry.current_season())
            rows = count_played(registry.find_bot(bot).versions.all())
            none = {"rating": None, "score": None}
            return [{**none, **vars(rated.get(row.pk, row)), **vars(row), "matches": row.played} for row in rows]

    def matches(self) -> list[dict[str, Any]]:
        """Return the matches, newest first, with the bots at their seats."""
        from koth_hill.models import Match

        with self.opened():
            return [
                {
                    **vars(match),
                    "match": match.pk,
                    "seats": [
                        {**vars(seat), "bot": seat.version.bot.name, "version": seat.version.number}
                        for seat in match.seats.all()
                    ],
                }
                for match in Match.objects.order_by("-pk")
            ]

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
