"""The final of a season on the site: watched, then downloaded and verified."""

from __future__ import annotations

import re
import sqlite3
import zipfile
from contextlib import closing

from koth.hill.models import Version
from tests.cli.program import GOOD
from tests.hill.conftest import Place
from tests.hill.site.conftest import visitor

RUN = ("--isolation", "none")


def text(path: str, who: str | None = None) -> str:
    answer = visitor(who).get(path)
    assert answer.status_code == 200, path
    return " ".join(answer.content.decode().split())


def test_a_final_is_watched_and_proved(site: Place) -> None:
    for name in ("fox", "hen"):
        site.submit(name, name, GOOD + f"# {name}\n")
    Version.objects.update(state="playing")
    site("season", "freeze")
    assert visitor().get("/seasons/1/final").status_code == 404
    site("season", "final", "--matches", 2, *RUN)
    assert visitor().get("/seasons/1/final.zip").status_code == 404
    home, final = text("/"), text("/seasons/1/final")
    assert re.search(r"(fox|hen) has won the final of season 1", home)
    assert "Enter in" not in home, "nobody can enter now"
    numbers = re.findall(r'href="/seasons/1/final/(\d+)"', final)
    assert len(numbers) == 2
    for path in ("", "/listing.json", "/details.json", "/replay"):
        assert visitor().get(f"/seasons/1/final/{numbers[0]}{path}").status_code == 200, path
        assert visitor().get(f"/seasons/1/final/999{path}").status_code == 404, path
    assert "has won the final!" in text("/projector")
    site("season", "publish")
    assert "Download the final" in text("/seasons/1/final")
    with closing(sqlite3.connect(site.folder / "season-1" / "results.sqlite")) as database:
        assert database.execute("SELECT count(*) FROM matches").fetchone() == (2,)
    _verify(site)


def _verify(site: Place) -> None:
    """Verify the download in a folder of its own."""
    answer = visitor().get("/seasons/1/final.zip")
    assert answer.status_code == 200
    folder = site.folder.parent / "elsewhere"
    with zipfile.ZipFile(site.folder / "season-1" / "public.zip") as archive:
        assert {name.split("/")[1] for name in archive.namelist()} == {
            "run.json", "results.sqlite", "replays", "season.json"
        }  # fmt: skip
        archive.extractall(folder)
    assert "verified, 2 matches" in site.koth("verify", folder / "season-1").out
    assert str(site.folder.parent) not in (folder / "season-1" / "run.json").read_text()
