"""Pages of the host, and what is done there: the same as in the terminal, on record under the host's name."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from koth.errors import KothError
from koth.sandbox.isolation import PLAIN
from koth_hill import authors, runner
from koth_hill.models import AuditEntry, Author, Bot, Match, Policy, Season, Version
from koth_hill.site.bots import find_beaten
from koth_hill.site.host.new_host import new_host_link
from koth_hill.site.serve import SiteAddress
from koth_hill.site.standings_rows import Row
from koth_hill.standings import standings
from tests.cli.program import GOOD
from tests.hill.conftest import Place
from tests.hill.site.conftest import PASSWORD, visitor

SURE = {"sure": "on"}


@pytest.fixture
def host(site: Place) -> Client:
    """A host who is signed in."""
    return visitor("hanna", is_host=True)


def text_of(client: Client, path: str) -> str:
    """Return a page."""
    answer = client.get(path)
    assert answer.status_code == 200, path
    return answer.content.decode()


def done(client: Client, path: str, told: dict[str, Any] | None = None) -> str:
    """Do something, and return the page that follows."""
    answer = client.post(path, told or {}, follow=True)
    assert answer.status_code == 200, path
    return answer.content.decode()


def last_entry() -> tuple[str, str, str]:
    """Return the newest entry of the audit trail."""
    entry = AuditEntry.objects.latest("pk")
    return entry.actor, entry.action, entry.text


def test_bosses_play_out_of_competition(host: Client, site: Place) -> None:
    done(host, "/host/bots/bosses", {"samples": ["runner", "coward"]})
    site.submit("fox", "anna")
    Version.objects.update(state="playing")
    site("run", "--matches", 6, "--isolation", "none")
    lines = {line.bot: line for line in standings(Season.objects.get()).standings}
    assert {bot: line.place for bot, line in lines.items()} == {"fox": "1", "runner": "boss", "coward": "boss"}
    assert "out of\n  competition" in text_of(host, "/bots/runner")
    rows = [Row(replace(lines[bot], placed=True), None, "", "") for bot in ("runner", "fox", "coward")]
    assert find_beaten(rows, "fox") == ["coward"]
    site.submit("hen", "ben")
    Version.objects.update(state="playing")
    for step in ("freeze", "unfreeze", "freeze"):
        assert "Season 1 accepts" in done(host, f"/host/season/{step}", SURE)
    done(host, "/host/season/final", {"matches_each": 2})
    site("run", "--matches", 9, "--isolation", "none")
    assert [version.bot.name for version in Season.objects.get().find_finalists()] == ["fox", "hen"]
    done(host, "/host/season/publish", SURE)
    assert {"fox", "hen"} == set(re.findall(r"[12] <a href=\"/bots/(\w+)", text_of(visitor(), "/seasons")))


def test_sources_are_their_authors_until_shared_after_the_season(host: Client, site: Place) -> None:
    site.submit("fox", "anna", GOOD)
    site.submit("fox", "anna", GOOD + "# <b>new\u202e\n")
    anna, bot = visitor("anna"), Bot.objects.get()
    page = text_of(anna, f"/my/bots/{bot.pk}/versions/2")
    assert "+# &lt;b&gt;new\\u202e" in page
    assert "What changed" not in text_of(anna, f"/my/bots/{bot.pk}/versions/1")
    data = anna.get(f"/my/bots/{bot.pk}/versions/2/download").content
    with zipfile.ZipFile(io.BytesIO(data)) as files:
        assert files.read("fox.py").decode().endswith("\u202e\n")
    second = bot.versions.get(number=2)
    share, source = f"/my/bots/{bot.pk}/versions/2/share", f"/sources/{second.pk}"
    assert "when the season" in done(anna, share)
    done(host, "/host/season/publish", SURE)
    assert visitor().get(source).status_code == 404
    assert "shown to everybody" in done(anna, share)
    assert "new" in text_of(visitor(), source)
    assert source in text_of(visitor(), "/bots/fox")
    assert "no longer shown" in done(anna, share)
    assert visitor().get(source).status_code == 404


def test_every_page_of_the_host_is_there(host: Client, site: Place) -> None:
    site.submit("fox", "anna")
    for name in ("", "people", "limits", "bots", "season", "audit"):
        text_of(host, f"/host/{name}")
    assert "fox" in text_of(host, "/host/")
    assert "No runner" in text_of(host, "/host/")


@pytest.mark.slow
def test_a_class_is_invited_by_links_that_work_once(host: Client) -> None:
    page = done(host, "/host/people/invite", {"names": "anna\n\n ben \n"})
    links = re.findall(r"http://127.0.0.1(/password/\S+?)<", page)
    assert len(links) == 2
    assert Author.objects.filter(name__in=("anna", "ben")).count() == 2
    assert last_entry()[:2] == ("hanna", "invite")
    guest = visitor()
    form = guest.get(links[0], follow=True)
    there = form.redirect_chain[-1][0] if form.redirect_chain else links[0]
    told = {"new_password1": "correct horse battery", "new_password2": "correct horse battery"}
    guest.post(there, told, follow=True)
    assert Author.objects.get(name="anna").check_password("correct horse battery")
    guest = visitor()
    guest.post(guest.get(links[0], follow=True).request["PATH_INFO"], told)
    again = {"new_password1": "something else 12", "new_password2": "something else 12"}
    guest.post(links[0], again, follow=True)
    assert Author.objects.get(name="anna").check_password("correct horse battery")


def test_a_suspended_author_is_out_and_so_are_their_bots(host: Client, site: Place) -> None:
    site.submit("fox", "anna")
    anna = visitor("anna")
    author = Author.objects.get(name="anna")
    sent = Version.objects.create(author=author, sent="a.py", archive=b"x")
    assert "Sign out" in anna.get("/").content.decode() or anna.get("/").status_code == 200
    path = f"/host/people/{author.pk}"
    assert "is suspended" in done(host, f"{path}/suspend", {"why": "cheats"})
    assert last_entry() == ("hanna", "author", "anna is suspended: cheats")
    assert Version.objects.exclude(pk=sent.pk).get().state == "suspended"
    assert Version.objects.get(pk=sent.pk).state == "refused"
    assert not anna.get("/").wsgi_request.user.is_authenticated
    answer = visitor().post("/sign-in", {"username": "anna", "password": PASSWORD})
    assert not answer.wsgi_request.user.is_authenticated
    done(host, f"{path}/reinstate")
    assert Author.objects.get(name="anna").is_active
    assert "required" in done(host, f"{path}/suspend", {"why": ""})
    assert Author.objects.get(name="anna").is_active


def test_one_host_is_left(host: Client) -> None:
    visitor("anna")
    me, anna = Author.objects.get(name="hanna"), Author.objects.get(name="anna")
    assert "hanna is the only host" in done(host, f"/host/people/{me.pk}/make-author")
    assert "hanna is a host: make them an author first" in done(host, f"/host/people/{me.pk}/suspend", {"why": "x"})
    done(host, f"/host/people/{anna.pk}/make-host")
    assert Author.objects.get(name="anna").is_host
    host.post(f"/host/people/{me.pk}/make-author")
    assert host.get("/host/").status_code == 403


def test_limits_are_changed_and_noted(host: Client) -> None:
    form = host.get("/host/limits").context["form"]
    told = {field.name: field.value() for field in form if field.value() is not False}
    assert told["largest_upload"] == 4, "MB"
    done(host, "/host/limits", {**told, "uploads_a_day": 7})
    assert Policy.objects.get().uploads_a_day == 7
    assert last_entry() == ("hanna", "limits", "uploads_a_day: 7")
    off = {key: value for key, value in told.items() if key != "visitors_play"}
    done(host, "/host/limits", {**off, "uploads_a_day": 7, "tries_a_day": 0})
    assert last_entry() == ("hanna", "limits", "tries_a_day: 0; visitors_play: off")
    done(host, "/host/limits", {**told, "uploads_a_day": 7})
    assert host.post("/host/limits", {**told, "uploads_a_day": -1}).status_code == 200
    assert Policy.objects.get().uploads_a_day == 7


def test_a_bot_is_suspended_and_a_match_made_void(host: Client, site: Place) -> None:
    site.submit("fox", "anna")
    assert "fox 1: suspended" in done(host, "/host/bots/suspend", {"bot": "fox", "why": "it is loud"})
    assert last_entry() == ("hanna", "suspend", "fox 1: it is loud")
    assert "there is no bot" in done(host, "/host/bots/suspend", {"bot": "wolf", "why": "x"})
    version = Version.objects.get()
    match = Match.objects.create(season=Season.objects.get(), focus=version, state="played", digest="0" * 64)
    assert "no longer counts" in done(host, "/host/matches/void", {"match": match.pk, "why": "the disk was full"})
    assert last_entry() == ("hanna", "void", f"match {match.pk}: the disk was full")
    page = text_of(host, "/host/bots")
    assert "it is loud" in page
    assert "the disk was full" in page
    assert "there is no match" in done(host, "/host/matches/void", {"match": 2**62, "why": "x"})
    assert Bot.objects.count() == 1


def test_a_season_goes_its_way(host: Client) -> None:
    for step in ("freeze", "publish"):
        assert "sure: This field is required" in done(host, f"/host/season/{step}")
    assert Season.objects.get().state == "open"
    assert "accepts no more bots" in done(host, "/host/season/freeze", SURE)
    assert last_entry()[:2] == ("hanna", "season")
    assert "Play the final" in text_of(host, "/host/season")
    secret = Season.objects.get().secret
    assert secret not in text_of(host, "/host/season")
    assert "Its page shows the secret" in done(host, "/host/season/publish", SURE)
    assert secret in text_of(host, "/seasons/1")
    assert "Season 2 is open" in done(host, "/host/season/open", {"ruleset": ""})
    assert Season.objects.latest("pk").overrides == Season.objects.get(pk=1).overrides
    assert "publish season 2 first" in done(host, "/host/season/open")


def test_a_refused_version_is_checked_again(host: Client, site: Place) -> None:
    site.submit("fox", "fox")
    Version.objects.update(state="refused", reason="no room")
    assert "Check fox again" in text_of(host, "/host/bots")
    assert "waits for its check again" in done(host, "/host/bots/check", {"bot": "fox"})
    assert Version.objects.get().state == "received"
    assert last_entry()[:2] == ("hanna", "check")
    assert "koth checks only refused versions again" in done(host, "/host/bots/check", {"bot": "fox"})


def test_an_announcement_stands_on_every_page_until_it_is_taken_back(host: Client) -> None:
    form = host.get("/host/limits").context["form"]
    told = {field.name: field.value() for field in form if field.value() is not False}
    done(host, "/host/limits", {**told, "announcement": "The deadline is on <Friday>."})
    assert "on &lt;Friday&gt;" in text_of(visitor(), "/rules")
    assert last_entry() == ("hanna", "limits", "announcement: The deadline is on <Friday>.")
    done(host, "/host/limits", told)
    assert "Friday" not in text_of(visitor(), "/rules")


def test_the_host_reads_when_the_last_backup_was_written(host: Client, site: Place, tmp_path: Path) -> None:
    page = text_of(host, "/host/")
    assert "There is no\n  backup yet" in page
    site("backup", tmp_path / "saved")
    page = text_of(host, "/host/")
    assert "written to saved" in page
    assert f"koth hill backup {site.folder.name} TO" in page


def test_the_audit_trail_has_pages_and_kinds(host: Client) -> None:
    AuditEntry.objects.bulk_create(AuditEntry(actor="x", action="check", text=f"number {i}.") for i in range(120))
    page = text_of(host, "/host/audit")
    assert "number 119." in page
    assert "number 5." not in page
    older = re.search(r'href="(\?[^"]*page=2)"', page)
    assert older
    assert "number 5." in text_of(host, f"/host/audit{older[1].replace('&amp;', '&')}")
    assert "number" not in text_of(host, "/host/audit?action=season")
    assert "number 119." in text_of(host, "/host/audit?page=x")


@pytest.mark.slow
def test_the_first_host_comes_by_a_link_that_works_once(site: Place) -> None:
    assert not authors.find_hosts().exists()
    path = new_host_link(settings.SITE_URL).removeprefix(settings.SITE_URL)
    assert visitor().get("/new-host/W10:1:x").status_code == 404
    guest = visitor()
    assert "host&#x27;s account" in text_of(guest, path) or "host's account" in text_of(guest, path)
    weak = {"name": "hanna", "new_password1": "hanna", "new_password2": "hanna"}
    assert guest.post(path, weak).status_code == 200
    assert not authors.find_hosts().exists()
    told = {"name": "hanna", "new_password1": "correct horse battery", "new_password2": "correct horse battery"}
    assert guest.post(path, told)["Location"] == "/host/"
    assert guest.get("/host/").status_code == 200
    assert "does not work any more" in visitor().get(path, follow=True).content.decode()
    assert visitor().post(path, {**told, "name": "eve"})["Location"] == "/sign-in"
    again = new_host_link("")
    assert visitor().post(again, {**told, "name": "eve"})["Location"] == "/host/"
    authors.make_host(Author.objects.get(name="eve"), False, "hanna")
    assert visitor().get(again)["Location"] == "/sign-in", "who is not a host any more has the link still"
    invited = new_host_link("")
    authors.invite("ida", True)
    assert visitor().get(invited)["Location"] == "/sign-in", "a host came by a code meanwhile"
    another = new_host_link("")
    visitor("anna")
    assert "has an account already" in visitor().post(another, {**told, "name": "anna"}).content.decode()
    assert visitor().get(another).status_code == 200


@pytest.mark.parametrize(
    ("url", "host", "proxy", "plain", "said"),
    [
        (None, "127.0.0.1", None, False, ""),
        (None, "::1", None, False, ""),
        ("http://localhost:80", "127.0.0.1", None, False, ""),
        (None, "0.0.0.0", None, False, "--host 0.0.0.0: without TLS"),
        ("http://hill.example", "127.0.0.1", None, False, "--url http://hill.example: without TLS"),
        ("http://hill.example", "0.0.0.0", None, True, ""),
        (None, "0.0.0.0", None, True, "others with --url"),
        (None, "192.0.2.2", None, True, ""),
        ("https://hill.example", "0.0.0.0", "10.0.0.1", False, ""),
        (None, "127.0.0.1", "10.0.0.1", False, "give --url https://NAME with --proxy"),
    ],
)
def test_what_lets_others_read_passwords_is_refused(
    url: str | None, host: str, proxy: str | None, plain: bool, said: str
) -> None:
    address = SiteAddress(url, host, 0, proxy, plain)
    if said:
        with pytest.raises(KothError, match=re.escape(said)):
            address.check()
    else:
        address.check()
        assert address.url_at(80) == url or url is None


def test_a_site_is_reached_where_it_listens() -> None:
    assert SiteAddress(None, "192.0.2.2", 0, None, True).url_at(8000) == "http://192.0.2.2:8000"
    assert SiteAddress(None, "::1", 0).url_at(8000) == "http://[::1]:8000"


def test_an_account_is_deleted_by_the_host(host: Client, site: Place) -> None:
    site.submit("fox", "anna")
    anna = Author.objects.get(name="anna")
    page = f"/host/people/{anna.pk}"
    assert "sure: This field is required" in done(host, f"{page}/delete")
    shown = done(host, f"{page}/delete", SURE)
    assert "The account of anna is deleted." in shown
    assert "Make a link" not in shown
    assert "Reinstate" not in shown
    assert last_entry()[:2] == ("hanna", "author")
    assert Version.objects.get().state == "withdrawn"


def test_a_hill_with_a_site_is_played_at_strong_or_in_the_hosts_words(
    site: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "choose_level", lambda wanted: PLAIN)
    assert "untrusted bots run at isolation strong" in site.refused("run", "--matches", 1)
    accepted = site.koth("hill", "run", site.folder, "--matches", 1, "--isolation", "none")
    assert "untrusted bots run at isolation none, as --isolation says" in accepted.err
