"""The final of a season on the site: begun by the host, watched, ended, and verified by its address."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from django.test import Client

from koth_hill.models import Author, Match, Season, Version
from koth_hill.uploads import receive
from tests.cli.program import GOOD
from tests.hill.conftest import Place
from tests.hill.site.conftest import visitor
from tests.hill.site.test_host import SURE, done, last_entry

RUN = ("--isolation", "none")


def text(path: str, who: Client | None = None) -> str:
    answer = (who or visitor()).get(path)
    assert answer.status_code == 200, path
    return " ".join(answer.content.decode().split())


@pytest.fixture
def host(site: Place) -> Client:
    return visitor("hanna", is_host=True)


@pytest.fixture
def pair(site: Place, host: Client) -> Place:
    """A frozen hill on which two bots play."""
    for name in ("fox", "hen"):
        site.submit(name, name, GOOD + f"# {name}\n")
    Version.objects.update(state="playing")
    assert "is open, not frozen" in done(host, "/host/season/final")
    done(host, "/host/season/freeze", SURE)
    return site


def test_a_final_is_watched_and_proved(pair: Place, host: Client) -> None:
    assert visitor().get("/seasons/1/final").status_code == 404
    assert "The runner plays the final" in done(host, "/host/season/final", {"matches_each": 2})
    assert last_entry()[0] == "hanna"
    assert "The final is about to begin" in text("/seasons/1/final")
    pair("run", "--matches", 1, *RUN)
    assert "1 of 2 matches are played" in text("/seasons/1/final")
    pair("run", "--matches", 9, *RUN)
    home, final = text("/"), text("/seasons/1/final")
    assert "The final is over after 2 matches" in final
    assert set(re.findall(r'href="/matches/(\d+)"', final)) == {"1", "2"}
    assert "the final of season 1" in text("/matches/1/listing.json")
    assert "Enter in" not in home, "nobody can enter now"
    assert "Its page shows the secret" in done(host, "/host/season/publish", SURE)
    assert "/seasons/1/final</code>" in text("/seasons/1/final")
    command = [sys.executable, "-m", "koth", "hill", "serve", str(pair.folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().split()[0].rstrip("/")
        shown = pair.koth("verify", f"{address}/seasons/1/final")
        server.terminate()
    assert "verified, 2 matches" in shown.out


def test_each_bots_last_match_is_shown_before_its_result(
    pair: Place, host: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is seen while the runner waits, and that it waits until the match has been shown."""
    seen: list[tuple[str, str, float]] = []

    class Clock:
        now = 0.0

        def monotonic(self) -> float:
            return self.now

        def sleep(self, seconds: float) -> None:
            if any(match.state == "playing" for match in Match.objects.filter(round=0)):
                seen.append((text("/projector"), text("/"), seconds))
            self.now += seconds

    monkeypatch.setattr("koth_hill.runner.time", clock := Clock())
    monkeypatch.setattr("koth_hill.site.snapshot.LOOK_SECONDS", 0.0)
    done(host, "/host/season/final", {"matches_each": 3, "seconds": 5})
    pair("run", "--matches", 9, *RUN)
    assert Season.objects.get().final_ended is not None
    assert clock.now == pytest.approx(5)
    board = '<iframe class="board" src="/matches/3#play&amp;show=5"'
    assert {board in page for shown in seen for page in shown[:2]} == {True}
    assert "2 of 3 matches are played" in seen[0][0]
    assert "iframe" not in text("/projector")


def test_a_final_of_fewer_bots_than_seats_has_smaller_matches(pair: Place, host: Client) -> None:
    """The season's matches have more seats; bosses, who filled them, play in no final."""
    record = pair.folder / "hill.json"
    record.write_text(record.read_text().replace('"seats": 2', '"seats": 4'))
    done(host, "/host/season/final", {"matches_each": 2})
    pair("run", "--matches", 9, *RUN)
    assert Season.objects.get().final_ended is not None
    assert [match.seats.count() for match in Match.objects.filter(round=0)] == [2, 2]


def test_a_final_needs_two_bots_that_are_no_bosses(pair: Place, host: Client) -> None:
    Version.objects.filter(bot__name="fox").update(state="withdrawn")
    assert "a final needs 2 bots, and 1 plays" in done(host, "/host/season/final", {"matches_each": 2})


def test_the_host_ends_a_final_that_is_played(pair: Place, host: Client) -> None:
    done(host, "/host/season/final", {"matches_each": 40, "knockout": 2})
    assert "<h2>Publish</h2>" not in text("/host/season", host)
    pair("run", "--matches", 3, *RUN)
    assert "sure: This field is required" in done(host, "/host/season/end")
    assert "is over: the played matches count" in done(host, "/host/season/end", SURE)
    assert "has no final that is being played" in done(host, "/host/season/end", SURE)
    assert "The final is over after 3 matches" in text("/seasons/1/final")
    assert Match.objects.filter(state="scheduled").count() == 0
    assert "Its page shows the secret" in done(host, "/host/season/publish", SURE)
    assert "verified, 3 matches" in pair.koth("verify", pair.folder / "seasons/1/final").out


def test_bots_sent_before_the_end_are_checked_before_the_final(site: Place, host: Client) -> None:
    site.submit("fox", "fox")
    Version.objects.update(state="playing")
    receive(Author.objects.get(name="fox"), "hen.py", (GOOD + "# hen\n").encode(), "hen")
    done(host, "/host/season/freeze", SURE)
    page = " ".join(done(host, "/host/season/final", {"matches_each": 1, "knockout": 2}).split())
    assert "The final waits for a runner, which checks 1 bot first" in page
    site("run", "--matches", 9, *RUN)
    page = text("/seasons/1/final")
    assert {bot.bot.name for bot in Season.objects.get().find_finalists()} == {"fox", "fox/hen"}
    won = re.search(r'<p class="won">.*?<a href="[^"]*">([^<]*)</a>', page)
    assert won is not None
    assert f"{won[1]} has won the final" in text("/")
    assert "has won the final!" in text("/projector")
