"""Authors' results, the codes of a class, a hill's title and closing time."""

from __future__ import annotations

import re
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.utils import timezone

from koth.errors import KothError
from koth_hill import registry
from koth_hill.authors import invite_class
from koth_hill.models import Author, Bot, Fit, Policy, Season, Version
from koth_hill.registry import check_open, current_season
from koth_hill.site import snapshot as shown_now
from koth_hill.uploads import name_of
from tests.hill.conftest import Place
from tests.hill.site.conftest import PASSWORD, visitor
from tests.hill.site.test_pages import add_bots, add_match, add_ratings


@pytest.fixture(autouse=True)
def looks_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have pages look at the database each time."""
    monkeypatch.setattr(shown_now, "LOOK_SECONDS", -1.0)


def text(path: str, who: str | None = None) -> str:
    answer = visitor(who).get(path)
    assert answer.status_code == 200, path
    return " ".join(answer.content.decode().split())


def test_an_author_sees_results(site: Place) -> None:
    own, rival, third = add_bots(3)
    add_ratings([own, rival, third], 1, [1100, 1000, 900])
    Fit.objects.update(at=timezone.now() - timedelta(hours=1))
    add_match([own, rival, third], [1, 5, 3])
    add_ratings([own, rival, third], 2, [1020, 1080, 900])
    Version.objects.filter(pk=own.pk).update(reason="why it plays")
    page = text("/my/bots", "author 0")
    for part in ("3 of 3", "last", ">-80<", "why it plays"):
        assert part in page, part
    mine = text(f"/my/bots/{own.bot_id}", "author 0")
    assert "1,020" in mine
    assert visitor("author 1").get(f"/my/bots/{own.bot_id}").status_code == 404


def test_a_class_comes_by_codes(site: Place) -> None:
    host = visitor("hanna", is_host=True)
    sheet = host.post("/host/people/invite", {"names": "# 7b\nJosé Núñez\n\nAyşe"}).content.decode()
    codes = re.findall(r'class="code">([2-9A-Z]{4}-[2-9A-Z]{4})<', sheet)
    assert len(set(codes)) == 2
    client = visitor()
    assert client.post("/code", {"code": "2222-2222"}).status_code == 422
    way = client.post("/code", {"code": codes[1].replace("-", " ").lower()})
    assert way.status_code == 302
    form = client.get(urlsplit(way.headers["Location"]).path).headers["Location"]
    assert client.post(form, {"new_password1": PASSWORD, "new_password2": PASSWORD}).status_code == 302
    assert Author.objects.get(name="Ayşe").check_password(PASSWORD)
    assert client.post("/code", {"code": codes[1]}).status_code == 422, "it was used"
    assert visitor().post("/code", {"code": codes[0]}).status_code == 302
    again = re.findall(r'class="code">([^<]+)<', host.post("/host/people/codes").content.decode())
    assert len(again) == 1, "only codes that are not used are made again"
    assert visitor().post("/code", {"code": codes[0]}).status_code == 422
    Author.objects.update(code_until=timezone.now())
    assert visitor().post("/code", {"code": again[0]}).status_code == 422, "it is too old"


def test_a_name_that_has_an_account_is_asked_about(site: Place) -> None:
    host = visitor("hanna", is_host=True)
    host.post("/host/people/invite", {"names": "Greta"})
    Bot.objects.create(name="Greta/bot", author=Author.objects.get(name="Greta"))
    first, names = Author.objects.get(name="Greta").code, {"names": "Max\n  Greta"}
    assert 'name="sure"' not in host.get("/host/people").content.decode()
    asked = host.post("/host/people/invite", names)
    assert asked.status_code == 422
    page = asked.content.decode()
    assert re.search(r"line 2: Greta has an account since \d{4}-\d\d-\d\d, with Greta/bot", page)
    assert 'name="sure"' in page
    assert (Author.objects.get(name="Greta").code, Author.objects.filter(name="Max").exists()) == (first, False)
    sheet = host.post("/host/people/invite", {**names, "sure": "on"}).content.decode()
    assert len(re.findall(r'class="code">', sheet)) == 2
    assert Author.objects.get(name="Greta").code != first
    done = site.koth("hill", "invite", site.folder, "Greta", "--url", "http://127.0.0.1")
    assert "line 1: Greta has an account" in done.err


def test_a_class_list_is_refused_with_its_line(site: Place) -> None:
    names = f"anna\n# a comment\nben\nanna\n{'x' * 41}"
    with pytest.raises(KothError, match=r"line 4: anna is on line 1, too; line 5: .*use at most 40 characters"):
        invite_class(names)
    answer = visitor("hanna", is_host=True).post("/host/people/invite", {"names": names})
    assert answer.status_code == 422
    assert "anna\n# a comment\nben\nanna" in answer.content.decode(), "the list is there to be mended"
    assert "nobody is invited yet" in answer.content.decode()
    assert not Author.objects.filter(name="anna").exists()


def test_a_name_is_an_authors_own(site: Place) -> None:
    anna, ben = (Author.objects.create(name=name) for name in ("anna", "ben"))
    assert (name_of(anna, "bot"), name_of(ben, "bot")) == ("anna/bot", "ben/bot")
    Bot.objects.create(name="bot", author=anna)
    assert (name_of(anna, "bot"), name_of(ben, "bot")) == ("bot", "ben/bot")


def test_the_host_names_the_hill_and_closes_it(site: Place) -> None:
    host, soon = visitor("hanna", is_host=True), timezone.now() + timedelta(hours=2)
    Policy.objects.create(title="The cup", text="Prizes: https://cup.example")
    home = text("/")
    assert "A match takes 2 bots, and 0 play." in home or "no runner is at work" in home
    assert "koth new zombies my_bot" in home
    assert "<h1>The cup</h1>" in home
    assert 'href="https://cup.example"' in home
    assert host.post("/host/season/closing", {"closes": f"{soon:%Y-%m-%d %H:%M}"}).status_code == 302
    assert "Bots are accepted for <strong>1" in text("/")
    assert "is not a closing time: write 25m" in site.refused("season", "close", "--at", "soon")
    assert "is not a closing time: write 25m" in site.refused("season", "close", "--at", "9999-12-31T23:59:59-05:00")
    site("season", "close", "--at", "25 hours")
    assert "Bots are accepted for <strong>1 day" in text("/")
    assert "UTC</time>, 1 day" in text("/write", "anna")
    check_open()
    closed = timezone.now() - timedelta(minutes=1)
    Season.objects.update(closes=closed)
    with pytest.raises(KothError, match="season 1 closed on"):
        check_open()
    check_open(closed - timedelta(seconds=1))  # it was sent in time
    with pytest.raises(KothError, match="season 1 closed on"):
        registry.set_closing(soon)
    assert "Enter in" not in text("/")
    assert "Season 1 closed on" in text("/submit", "anna")
    assert current_season().state == "open"


def test_the_rules_are_those_of_this_hill(site: Place) -> None:
    page = text("/rules")
    assert "<strong>2 bots</strong> play in a match" in page
    assert re.search(r"<code>players</code></th> <td class=\"words\">3 <span class=\"state\">changed", page)
