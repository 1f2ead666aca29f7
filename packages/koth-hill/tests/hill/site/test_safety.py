"""Every address of the site, asked for by everybody: who gets in is a table, and each address must be in it."""

from __future__ import annotations

import io
import shutil
import unicodedata
from datetime import timedelta
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.test import Client
from django.urls import URLPattern, reverse
from django.utils import timezone

from koth.contest.results import replay_place
from koth.replay.names import REPLAYS
from koth_hill.connection import TRIES
from koth_hill.models import AuditEntry, Author, Bot, Match, Season, Token, Try, Version
from koth_hill.site import sign_ins, urls
from koth_hill.site_settings import LOCAL
from tests.hill.conftest import Place
from tests.hill.site.conftest import PASSWORD, visitor

ROLES = (None, "anna", "ben", "hanna")
"""A visitor, the author whose things are asked for, another author, the host."""
EVERYBODY = (200, 200, 200, 200)
SIGNED_IN = (302, 200, 200, 200)
OWN = (302, 200, 404, 404)
HOST = (302, 403, 403, 200)
NONE = (404, 404, 404, 404)
PUBLIC = (
    "home", "live", "rules", "guide", "machine", "matches", "match", "listing", "details", "replay",
    "bots", "bot", "author", "seasons", "season", "projector", "code", "static", "sign-in", "set-password",
    "programs", "play",
)  # fmt: skip
"""Of `set-password` everybody gets the page that says that a link is good no more."""
OWN_PAGES = (
    "version", "own-bot", "match-log", "match-transcript", "write-bot", "try-replay", "try-details",
    "try-transcript", "own-source", "download",
)  # fmt: skip
SEEN: dict[str, tuple[int, int, int, int]] = {
    **dict.fromkeys(PUBLIC, EVERYBODY),
    **dict.fromkeys(("account", "submit", "mine", "work", "try-listing"), SIGNED_IN),
    **dict.fromkeys(("work-bot", "try-listing-bot"), SIGNED_IN),  # of others' bots they say nothing
    **dict.fromkeys(OWN_PAGES, OWN),
    **dict.fromkeys(("join", "new-host"), NONE),  # until somebody allows it
    "write": (302, 302, 302, 200),  # an author goes on with the last bot
    "final": NONE,  # of an open season
    "source": NONE,  # shared by nobody
    "visit": (503, 503, 503, 503),  # no process plays
    **dict.fromkeys(
        ("host", "host-people", "host-person", "host-limits", "host-bots", "host-season",
         "host-audit"), HOST
    ),
}  # fmt: skip
"""What each role gets for an address that is read."""
DONE: dict[str, tuple[int, int]] = {
    "sign-out": (302, 302),
    **dict.fromkeys(("revoke", "withdraw", "go-back", "share"), (302, 404)),
    **dict.fromkeys(
        ("host-invite", "host-codes", "host-unlock", "host-person-link", "host-person-suspend",
         "host-person-reinstate", "host-person-host", "host-person-author", "host-suspend-bot",
         "host-check-bot", "host-void-match", "host-bosses", "host-season-unfreeze",
         "host-season-freeze", "host-season-closing", "host-season-final", "host-season-end", "host-season-publish",
         "host-season-open", "host-person-delete",
         "host-limits"), (302, 403)
    ),
}  # fmt: skip
"""What a visitor and another author get for an address at which something is done."""


OF_A_MATCH = ("match", "listing", "details", "replay", "match-log", "match-transcript")
"""Addresses of a match."""


def named() -> dict[str, URLPattern]:
    """Return every address by name; the API's are its own and tested by themselves."""
    return {pattern.name: pattern for pattern in urls.urlpatterns if isinstance(pattern, URLPattern)}


def things(site: Place, submits: bool = True) -> dict[str, Any]:
    """Play a match of anna's bot against ben's, and return what addresses name: rows of anna's."""
    for name in ("anna", "ben") if submits else ():
        visitor(name)
        site.submit(f"{name}_bot", name)
    visitor("hanna", is_host=True)
    site("run", "--matches", 2, "--isolation", "none")
    anna, bot = Author.objects.get(name="anna"), Bot.objects.get(name="anna_bot")
    sent = Version.objects.create(author=anna, archive=b"", sent="bot.py")
    protocol = bot.versions.get().protocol
    attempt = Try.objects.create(author=anna, name="anna_bot", file="bot.py", state="over", protocol=protocol)
    (site.folder / TRIES / REPLAYS).mkdir(parents=True, exist_ok=True)
    match = Match.objects.first()
    shutil.copyfile(site.folder / replay_place(match.pk), site.folder / TRIES / replay_place(attempt.pk))
    token = Token.objects.create(author=anna, name="t", digest="d")
    return {
        "bot": bot,
        "version": sent,
        "token": token,
        "attempt": attempt,
        "match": match,
        "anna": anna,
        "season": Season.objects.get(),
    }


def address(name: str, its: dict[str, Any]) -> str:
    """Return an address with what is anna's in it."""
    rows = {"version": "version", "revoke": "token", "season": "season"}
    kind = rows.get(name) or ("season" if name.startswith("final") else "anna" if name.startswith("host") else "bot")
    kind = "attempt" if name.startswith("try-") else kind
    if name in OF_A_MATCH:
        kind = "match"
    place = its["match"].seats.get(version__bot=its["bot"]).place if kind == "match" else 0
    names = {"static": "site.css", "author": "anna"}
    values = {"pk": its[kind].pk, "name": names.get(name, "anna_bot"), "place": place, "number": 1}
    values |= {"uidb64": "MQ", "token": "no"}
    if name == "visit":
        return f"/play/{'w' * 22}/play"
    return reverse(name, kwargs={key: values[key] for key in named()[name].pattern.converters})


def test_the_tables_have_every_address() -> None:
    assert set(SEEN) | set(DONE) == set(named())


def test_who_sees_what(site: Place) -> None:
    its = things(site)
    found = {name: tuple(visitor(role).get(address(name, its)).status_code for role in ROLES) for name in SEEN}
    assert found == SEEN
    for name in set(DONE) - set(SEEN):
        assert visitor("hanna").get(address(name, its)).status_code == 405, name


@pytest.mark.slow
def test_private_pages_are_kept_by_nobody(site: Place) -> None:
    its = things(site)
    for name, seen in SEEN.items():
        if seen in (SIGNED_IN, OWN, HOST):
            answer = visitor("hanna" if seen == HOST else "anna").get(address(name, its))
            assert "Cookie" in answer.headers.get("Vary", "") or "no-store" in answer.headers["Cache-Control"], name


def test_who_does_what(site: Place) -> None:
    its = things(site)
    before = [list(model.objects.order_by("pk").values()) for model in (Author, Version, Token, Match, Season)]
    found = {
        name: tuple(visitor(role).post(address(name, its)).status_code for role in (None, "ben"))
        for name in DONE
        if name != "sign-out"
    }
    assert found == {name: seen for name, seen in DONE.items() if name != "sign-out"}
    after = [list(model.objects.order_by("pk").values()) for model in (Author, Version, Token, Match, Season)]
    signed_in = {"last_login"}
    assert _without(before, signed_in) == _without(after, signed_in)


def _without(tables: list[list[dict[str, Any]]], keys: set[str]) -> list[Any]:
    return [[{key: value for key, value in row.items() if key not in keys} for row in rows] for rows in tables]


@pytest.mark.slow
@pytest.mark.parametrize("role", ["anna", "hanna"])
def test_nothing_is_done_for_another_page(role: str, site: Place) -> None:
    """A form of another site has no token."""
    its = things(site)
    for name in (*DONE, "account", "submit", "write"):
        client: Any = Client(headers={"host": LOCAL[0]}, enforce_csrf_checks=True)
        client.force_login(Author.objects.get(name=role), backend="django.contrib.auth.backends.ModelBackend")
        assert client.post(address(name, its)).status_code == 403, name


@pytest.mark.slow
@pytest.mark.parametrize(
    "way", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "/\\evil.example"]
)
def test_sign_in_leads_nowhere_else(way: str, site: Place) -> None:
    visitor("anna")
    answer = visitor().post("/sign-in", {"username": "anna", "password": PASSWORD, "next": way})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")


def test_a_form_makes_nobody_a_host(site: Place) -> None:
    anna = visitor("anna")
    more = {"is_host": "1", "is_active": "1", "name": "root", "author": "1"}
    for place in ("/account", "/submit", "/write"):
        anna.post(place, {"file": io.BytesIO(b"x = 1"), **more})
    assert not Author.objects.filter(is_host=True).exists()


def sign_in(name: str, password: str = "no", address: str = "192.0.2.1") -> int:
    code: int = visitor().post("/sign-in", {"username": name, "password": password}, REMOTE_ADDR=address).status_code
    return code


def test_ten_failures_lock_a_name_at_an_address_until_a_host_unlocks_it(
    site: Place, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("anna", "ben"):
        visitor(name)
    assert [sign_in("anna") for _ in range(12)] == [200] * 9 + [429] * 3
    assert sign_in("anna", PASSWORD) == 429
    assert AccessAttempt.objects.get().failures_since_start == 10, "a refused try does not lengthen the lock"
    assert sign_in("anna", PASSWORD, address="192.0.2.2") == sign_in("ben", PASSWORD) == 302
    assert "AXES" not in capfd.readouterr().err
    host = visitor("hanna", is_host=True)
    assert "192.0.2.1" in host.get("/host/people").content.decode()
    host.post("/host/people/unlock", {"name": "anna", "address": "192.0.2.1"})
    assert sign_in("anna", PASSWORD) == 302
    assert "is unlocked" in AuditEntry.objects.latest("pk").text
    assert "Locked sign-ins" not in host.get("/host/people").content.decode()


def test_a_password_is_the_same_in_every_form_of_unicode(site: Place) -> None:
    anna = Author.objects.create(name="anna")
    anna.set_password("Pässwörter éclair")
    anna.save()
    assert sign_in("anna", unicodedata.normalize("NFD", "Pässwörter éclair")) == 302
    assert sign_in("anna", "Passworter eclair") == 200


@pytest.mark.slow
def test_a_hundred_failures_lock_an_address_and_no_success_counts(site: Place) -> None:
    visitor("anna")
    failed = {"ip_address": "192.0.2.1", "failures_since_start": 7}
    AccessAttempt.objects.bulk_create(AccessAttempt(username=f"name {k}", **failed) for k in range(14))
    assert sign_in("anna") == 200
    assert [sign_in("anna", PASSWORD) for _ in range(3)] == [302] * 3
    assert sign_in("ben") == 200
    assert sign_in("anna") == sign_in("anna", PASSWORD) == 429
    assert sign_in("anna", PASSWORD, address="192.0.2.2") == 302
    host = visitor("hanna", is_host=True)
    assert "every name" in host.get("/host/people").content.decode()
    AccessAttempt.objects.update(attempt_time=timezone.now() - sign_ins.LOCKED_FOR)
    assert sign_in("anna", PASSWORD) == 302
    AccessAttempt.objects.create(username="anna", ip_address="192.0.2.1", failures_since_start=200)
    AccessAttempt.objects.update(attempt_time=timezone.now() + timedelta(days=30))  # the clock was ahead
    assert sign_in("anna", PASSWORD) == 302


def test_another_name_of_the_site_is_refused(site: Place) -> None:
    assert Client(headers={"host": "evil.example"}).get("/").status_code == 400
