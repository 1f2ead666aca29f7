"""Pages for everybody."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from koth.games import load
from koth.replay.gzip_members import Member, write_member
from koth_hill import authors, registry, seasons
from koth_hill.models import Author, Bot, Fit, Match, Rating, Season, Seat, Version
from koth_hill.registry import current_season
from koth_hill.site import replays
from koth_hill.site import snapshot as shown_now
from koth_hill.site.bots import find_rivals
from koth_hill.site.markdown_pages import markdown_page
from koth_hill.site.snapshot import snapshot
from koth_hill.site.standings_rows import interval_bars
from tests.hill.conftest import Place
from tests.hill.site.conftest import PASSWORD, visitor

HOSTILE = "<script>alert(1)</script>\"'"
PAGES = ("home", "rules", "matches", "bots", "seasons")


@pytest.fixture(autouse=True)
def looks_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have pages look at the database each time."""
    monkeypatch.setattr(shown_now, "LOOK_SECONDS", -1.0)


def add_bots(count: int, first: int = 0) -> list[Version]:
    """Make bots that play, each of an author of its own."""
    found = []
    for k in range(first, first + count):
        author = Author.objects.create(name=f"author {k}")
        bot = Bot.objects.create(name=f"bot/{k} {HOSTILE[:20]}", author=author)
        state = Version.State.PLAYING
        found.append(
            Version.objects.create(
                author=bot.author, bot=bot, number=1, digest=f"{k:064x}", archive=b"zip", file="x", state=state
            )
        )
    return found


def add_match(versions: list[Version], scores: list[float], **fields: Any) -> Match:
    """Put a match on record."""
    told = {"state": Match.State.PLAYED, "turns": 5, "ended": timezone.now(), **fields}
    match = Match.objects.create(season=current_season(), focus=versions[0], **told)
    Match.objects.filter(pk=match.pk).update(block=match.pk)
    for place, (version, score) in enumerate(zip(versions, scores, strict=True)):
        late = {"late": {"count": 2, "turn": 3, "text": "the secret plan of line 12"}}
        Seat.objects.create(match=match, place=place, version=version, score=score, faults={} if place else late)
    return match


def add_ratings(versions: list[Version], matches: int, values: list[float]) -> None:
    fit = Fit.objects.create(season=current_season(), matches=matches)
    for version, value in zip(versions, values, strict=True):
        Rating.objects.create(
            fit=fit, version=version, rating=value, margin=50, score=1.0, played=matches, groups=matches
        )


def text(path: str, who: str | None = None) -> str:
    answer = visitor(who).get(path)
    assert answer.status_code == 200, path
    return str(answer.content.decode())


def test_everybody_sees_the_standings(site: Place) -> None:
    answer = visitor().get("/")
    assert answer.status_code == 200
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
    assert visitor().get(reverse("static", args=["site.css"])).status_code == 200
    assert visitor().get(reverse("static", args=["draw.js"])).headers["Content-Type"] == "text/javascript"
    main = visitor().get(reverse("static", args=["main.js"]))
    assert main.headers["Content-Type"] == "text/javascript"
    assert 'own("listing.json")' in main.content.decode(), "with its modules, the site's own among them"
    assert visitor().get(reverse("static", args=["models.py"])).status_code == 404


@pytest.mark.slow
def test_an_author_signs_in_and_out(site: Place) -> None:
    visitor("anna")
    client = visitor()
    wrong = client.post("/sign-in", {"username": "anna", "password": "no"})
    assert wrong.status_code == 200
    right = client.post("/sign-in", {"username": "anna", "password": PASSWORD})
    assert right.status_code == 302
    assert "Sign out" in client.get("/").content.decode()
    assert client.post("/sign-out").status_code == 302
    assert "Sign in" in " ".join(client.get("/").content.decode().split())


def test_rivals_are_counted_in_matches_of_any_number_of_bots(site: Place) -> None:
    versions = add_bots(3)
    for scores in ([3, 2, 1], [1, 1, 2], [2, 5, 2]):
        add_match(versions, [float(score) for score in scores])
    add_match(versions, [9, 1, 1], state=Match.State.VOID)
    found = find_rivals(versions[0].bot, current_season())
    counts = {"matches": 3, "ahead": 1, "ties": 1, "behind": 1, "share": 50.0}
    assert found == [{"name": versions[place].bot.name, **counts} for place in (1, 2)]


def test_links_to_the_page_that_is_shown_are_marked(site: Place) -> None:
    def marked(path: str, who: str | None = None) -> list[tuple[str, str]]:
        return re.findall(r'<a [^>]*href="([^"]*)" aria-current="(\w+)"', text(path, who))

    assert marked("/rules") == [("/rules", "page")]
    assert marked(reverse("season", args=[current_season().pk])) == [("/seasons", "true")]
    visitor("hanna", is_host=True)
    assert marked("/host/limits", "hanna") == [("/host/", "true"), ("/host/limits", "page")]
    assert marked("/host/", "hanna") == [("/host/", "page")] * 2


def test_what_is_not_there_is_said_in_words(site: Place) -> None:
    for path in ("/matches/999", "/bots/nobody", "/authors/nobody", "/seasons/99", "/nowhere", f"/matches/{9**30}"):
        answer = visitor().get(path)
        assert answer.status_code == 404, path
        assert "There is no such page" in answer.content.decode()
    assert "There is no bot called nobody" in text("/matches?bot=nobody")
    assert visitor().post("/matches").status_code == 405


def test_a_fault_is_told_in_public_words_and_to_its_author_in_full(site: Place) -> None:
    versions = add_bots(2)
    match = add_match(versions, [2, 1])
    path = reverse("match", args=[match.pk])
    assert "it did not answer in time" in text(path)
    assert "secret plan" not in text(path)
    assert "secret plan" in text(path, "author 0")
    assert "secret plan" not in text(path, "author 1")
    told = reverse("details", args=[match.pk])
    for who, sees in ((None, False), ("author 0", True), ("author 1", False)):
        assert ("secret plan" in text(told, who)) is sees
    assert "secret plan" not in text(reverse("bot", args=[versions[0].bot.name]))


def test_why_a_version_was_refused_is_its_authors_to_know(site: Place) -> None:
    (version,) = add_bots(1)
    Version.objects.update(state=Version.State.REFUSED, reason="line 7 of my plan")
    path = reverse("bot", args=[version.bot.name])
    assert "line 7" not in text(path)
    assert "line 7" in text(path, "author 0")


def test_why_a_match_could_not_be_played_is_the_hosts_to_know(site: Place) -> None:
    versions = add_bots(2)
    failed = add_match(versions, [1, 2], state=Match.State.UNPLAYED, reason="no room in /srv/koth")
    void = add_match(versions, [1, 2], state=Match.State.VOID, reason="two bots of one author")
    visitor("hanna", is_host=True)
    for who, sees in ((None, False), ("author 0", False), ("hanna", True)):
        assert ("/srv/koth" in text(f"/matches/{failed.pk}", who)) is sees
        assert "two bots of one author" in text(f"/matches/{void.pk}", who)


def test_bots_with_the_same_files_name_each_other(site: Place) -> None:
    Version.objects.filter(pk__in=[version.pk for version in add_bots(3)[:2]]).update(digest="d" * 64)
    names = [bot.name for bot in Bot.objects.all()]
    pages = [text(reverse("bot", args=[name])) for name in names]
    assert [reverse("bot", args=[names[1]]) in pages[0], reverse("bot", args=[names[0]]) in pages[1]] == [True] * 2
    assert ["byte for byte" in page for page in pages] == [True, True, False]


def test_pages_have_no_rating_where_scores_rank(site: Place) -> None:
    versions, season = add_bots(2), current_season()
    season.layout["rank_by"] = "score"
    season.save()
    add_match(versions, [2.5, 1])
    fit = Fit.objects.create(season=season, matches=1)
    for version, score in zip(versions, (1.0, 2.5), strict=True):
        Rating.objects.create(fit=fit, version=version, margin=0.5, score=score, played=1, groups=1)
    page = text("/")
    assert page.index("2.50, between 2 and 3") < page.index("1, between 0.50 and 1.50")
    for path in ("/", reverse("bots"), reverse("bot", args=[versions[1].bot.name])):
        assert ">score</th>" in text(path)
        assert "rating<" not in text(path)
    assert "score 2.50" in text(reverse("bot", args=[versions[1].bot.name]))
    owner = versions[1].bot.author.name
    later = Fit.objects.create(season=season, matches=2)
    Rating.objects.create(fit=later, version=versions[1], margin=0.5, score=3.5, played=2, groups=2)
    for path in (reverse("mine"), reverse("own-bot", args=[versions[1].bot.pk])):
        page = text(path, owner)
        assert ">score</th>" in page
        assert "rating<" not in page
        assert "± 0.50" in page


def test_standings_say_that_a_match_was_made_void_since(site: Place) -> None:
    versions = add_bots(2)
    match = add_match(versions, [2, 1])
    add_ratings(versions, 1, [1100, 900])
    assert "made void later" not in text("/")
    Match.objects.filter(pk=match.pk).update(state=Match.State.VOID)
    assert "made void later" in text("/")


def test_a_runner_describes_what_bots_find(site: Place) -> None:
    assert "No runner has been at work here yet" in text("/machine")
    site("run", "--matches", 1, "--isolation", "none")
    page = text("/machine")
    assert "isolation <strong>none</strong>" in page
    assert "Python" in page.partition("Languages")[2]
    assert re.search(r"<li>Django \d", page)


def test_a_seasons_secret_is_told_when_it_is_published(site: Place) -> None:
    season = current_season()
    paths = [reverse("season", args=[season.pk]), "/seasons", "/"]
    assert season.commitment in text(paths[0])
    for path in paths:
        assert season.secret not in text(path)
    Season.objects.update(state=Season.State.PUBLISHED)
    assert season.secret in text(paths[0])


def test_a_seasons_standings_stay_as_they_were_at_its_end(site: Place) -> None:
    versions = add_bots(3)
    add_match(versions[:2], [1, 2])
    add_ratings(versions[:2], 1, [900, 1100])
    ended = current_season()
    path = reverse("season", args=[ended.pk])
    assert "Standings at the end" not in text(path)
    shown = [(row.line, row.ranked) for row in snapshot().rows]
    assert [line.version for line, _ in shown] == [1, 1, 1]
    registry.publish()
    seasons.open_next(load("zombies"), None, {})
    for version in versions:
        Version.objects.filter(pk=version.pk).update(state="withdrawn")
    Fit.objects.all().delete()
    authors.delete(versions[0].bot.author, settings.HILL)
    kept = visitor().get(path).context["rows"]
    assert [(row.line.bot, row.ranked, row.line.rank) for row in kept] == [
        (line.bot, ranked, line.rank) for line, ranked in shown
    ]
    page = text(path)
    assert "Standings at the end" in page
    assert "1,100" in page
    assert ("author 0" in page, "deleted author" in page) == (False, True)


def test_more_matches_and_bots_take_no_more_queries(site: Place) -> None:
    """Pages ask the database as often for many rows as for few."""
    versions = add_bots(3)
    add_ratings(versions, 1, [1100, 1000, 900])
    match = add_match(versions, [3, 2, 1])
    name = versions[0].bot.name
    paths = [*map(reverse, PAGES), reverse("bot", args=[name]), reverse("match", args=[match.pk])]

    def counts() -> dict[str, int]:
        found = {}
        for path in paths:
            with CaptureQueriesContext(connection) as queries:
                text(path)
            found[path] = len(queries)
            assert not any('"hill_version"."archive"' in query["sql"] for query in queries), path
        return found

    few = counts()
    more = add_bots(5, first=3)
    for k in range(8):
        add_match([versions[0], more[k % 5]], [k, 3])
        Version.objects.create(
            author=versions[0].author,
            bot=versions[0].bot,
            number=2 + k,
            digest=f"{k:064x}",
            file="x",
            state="superseded",
        )
    assert counts() == few


def test_live_parts_come_only_when_they_have_changed(site: Place) -> None:
    client = visitor()
    first = client.get("/live")
    tag = first.headers["ETag"]
    assert client.get("/live", headers={"if-none-match": tag}).status_code == 304
    versions = add_bots(2)
    add_ratings(versions, 1, [1100, 900])
    add_match(versions, [2, 1])
    again = client.get("/live", headers={"if-none-match": tag})
    assert again.status_code == 200
    assert "1,100" in json.loads(again.content)["parts"]["standings"]


def test_standings_are_computed_once_for_all(site: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shown_now, "LOOK_SECONDS", 1e9)
    text("/")
    with CaptureQueriesContext(connection) as queries:
        text("/live")
    assert len(queries) == 0


def test_pictures_hold_what_is_beyond_them() -> None:
    drawn = interval_bars([(1000.0, 5000.0), (None, None), (1200.0, 10.0)])
    assert drawn[1] is None
    assert drawn[0] is not None
    assert drawn[0].start == 0
    assert drawn[0].start + drawn[0].length == 160
    assert interval_bars([]) == []


def test_markdown_brings_no_html_and_no_dead_links() -> None:
    page = markdown_page(
        "# T\n\nFirst *one*.\n\n## A head\n\n<b>x</b> [a](b.md#c) [d](e.py) [f](https://g/) [h](#a-head)"
        "\n\n|n|\n|-:|\n|1|"
    )
    assert (page.title, page.first) == ("T", "First one.")
    assert "<b>" not in page.html
    assert ('<td class="number">1' in page.html, "style" in page.html) == (True, False)
    assert 'id="a-head"' in page.html
    assert 'href="#a-head"' in page.html
    assert not {"b.md", "e.py"} & set(re.findall(r"[\w.]+", page.html))
    assert 'href="https://g/"' in page.html


def in_writing(turns: int) -> bytes:
    """Return a replay of so many turns, as its writer leaves it before the end."""
    import io

    from koth.replay.reader import KEY_EVERY
    from koth.replay.writer import FLUSH_EVERY

    file = io.BytesIO()
    write_member(file, b'{"koth":4}\n')
    member = Member(file)
    member.write(b'{"turn":0}\n')
    member.flush()
    for turn in range(1, turns + 1):
        member.write(b'{"turn":%d,"asks":[]}\n' % turn)
        if turn % FLUSH_EVERY == 0:
            member.flush()
        if turn % KEY_EVERY == 0:
            member.close()
            member = Member(file)
            member.write(b'{"turn":%d}\n' % turn)
            member.flush()
    return file.getvalue()


def test_a_match_in_play_is_sent_as_it_is_written_and_in_parts(site: Place) -> None:
    from koth.contest.results import replay_place

    versions = add_bots(2)
    match = add_match(versions, [0, 0], state=Match.State.PLAYING, ended=None)
    path, file = reverse("replay", args=[match.pk]), site.folder / f"{replay_place(match.pk)}.part"
    assert visitor().get(path).status_code == 404
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(in_writing(200))
    whole = visitor().get(path)
    assert whole.content == in_writing(200)
    head = visitor().head(path)
    assert int(head.headers["Content-Length"]) == len(whole.content)
    part = visitor().get(path, headers={"range": "bytes=10-"})
    assert part.status_code == 206
    assert part.content == whole.content[10:]
    assert visitor().get(path, headers={"range": f"bytes={len(whole.content)}-"}).status_code == 416
    Match.objects.update(state=Match.State.SCHEDULED)
    assert visitor().get(path).status_code == 404


def test_frames_are_made_of_answers_when_they_are_watched(site: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    record = site.folder / "hill.json"
    record.write_text(record.read_text().replace('"replays": "all"', '"replays": "answers"'))
    for name in ("fox", "hen"):
        site.submit(name, name)
    site("run", "--matches", 1, "--isolation", "none")
    page, path = reverse("match", args=[1]), reverse("replay", args=[1])
    with monkeypatch.context() as patch:
        patch.setattr(replays, "read_with_frames", lambda *_: pytest.fail("the page itself shows no frames"))
        assert b'<section id="bench"' in visitor().get(page).content
    assert visitor().get(path).status_code == 200
