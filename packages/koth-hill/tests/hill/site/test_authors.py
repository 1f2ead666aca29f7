"""Authors on the site: they join, send bots, read their own logs, try bots, and leave."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from koth_hill import authors, logs, tokens, uploads
from koth_hill.models import Author, Bot, Match, Policy, Token, Version
from koth_hill.site_settings import LOCAL
from tests.cli.program import GOOD
from tests.hill.conftest import Place
from tests.hill.site.conftest import PASSWORD, visitor
from tests.hill.test_uploads import zipped

RUN = ("--matches", 1, "--isolation", "none")
NEW = "a quite different password"
LOUD = GOOD.replace("return", "import sys; print('<b>here</b>', file=sys.stderr)\n        return")


def run(site: Place) -> None:
    """Have a runner do what is to be done."""
    site("run", *RUN)


def text(answer: Any) -> str:
    """Return a page's text, whose lines may break anywhere."""
    return " ".join(answer.content.decode().split())


def file(name: str, data: str | bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data.encode() if isinstance(data, str) else data)


# --- accounts


def test_a_link_lets_an_author_set_a_password_once(site: Place) -> None:
    anna = authors.invite("anna")
    link = authors.password_link(anna, "")
    client = visitor()
    page = client.get(link, follow=True)
    assert "You are <strong>anna</strong>" in text(page)
    form = page.request["PATH_INFO"]
    weak = client.post(form, {"new_password1": "anna12", "new_password2": "anna12"})
    assert "too short" in text(weak)
    done = client.post(form, {"new_password1": NEW, "new_password2": NEW})
    assert (done.status_code, done.headers["Location"]) == (302, "/write")
    assert "You have sent no bot yet" in text(client.get("/my/bots"))
    assert "Ask the host for another link" in text(visitor().get(link, follow=True))
    Author.objects.filter(pk=anna.pk).update(is_active=False)
    anna.refresh_from_db()
    assert "Ask the host for another link" in text(visitor().get(authors.password_link(anna, ""), follow=True))
    assert client.get("/my/bots").status_code == 302, "a suspended author is signed out"


def test_everybody_may_join_where_the_host_says_so(site: Place) -> None:
    form = {"name": "carl", "password1": NEW, "password2": NEW, "is_host": "1", "is_active": "0", "id": "1"}
    assert visitor().post("/join", form).status_code == 404
    Policy.objects.create(open_registration=True)
    client = visitor()
    assert client.post("/join", form).headers["Location"] == "/write"
    carl = Author.objects.get(name="carl")
    assert (carl.is_host, carl.is_active) == (False, True)
    for name, reason in (
        ("Carl", "taken"),
        ("host", "taken"),
        ("deleted author 7", "taken"),
        ("a\u202eb", "visible characters"),
        (" ", "required"),
    ):
        answer = text(visitor().post("/join", {**form, "name": name}))
        assert reason in answer, name
    named = {"name": "longestname", "password1": "longestname1", "password2": "longestname1"}
    assert "similar" in text(visitor().post("/join", named))
    for _ in range(40):
        last = visitor().post("/join", {**form, "name": "host"})
    assert last.status_code == 429
    assert Author.objects.count() == 1


def test_forms_want_the_token_of_their_page(site: Place) -> None:
    visitor("anna")
    client = Client(headers={"host": LOCAL[0]}, enforce_csrf_checks=True)
    client.force_login(Author.objects.get(name="anna"), backend="django.contrib.auth.backends.ModelBackend")
    for path in ("/submit", "/account", "/sign-out", "/account/tokens/1/revoke", "/my/bots/1/withdraw"):
        assert client.post(path, {}).status_code == 403, path


@pytest.mark.slow
def test_an_author_changes_the_password(site: Place) -> None:
    client, other = visitor("anna"), visitor("anna")
    form = {"password-old_password": PASSWORD, "password-new_password1": NEW, "password-new_password2": NEW}
    assert client.post("/account", {**form, "do": "password"}).status_code == 302
    assert client.get("/account").status_code == 200
    assert other.get("/account").status_code == 302, "other browsers are signed out"


@pytest.mark.slow
def test_who_deletes_the_account_says_the_password_and_is_gone(site: Place) -> None:
    client = visitor("anna")
    page = text(client.get("/account"))
    assert "What stays: the names of your bots" in page
    assert "type your password again" in text(client.post("/account", {"do": "delete", "delete-password": "no"}))
    assert client.post("/account", {"do": "delete", "delete-password": PASSWORD}).headers["Location"] == "/"
    assert not Author.objects.filter(name="anna").exists()
    assert visitor().post("/sign-in", {"username": "anna", "password": PASSWORD}).status_code == 200
    host = visitor("zoe", is_host=True)
    assert "only host" in text(host.post("/account", {"do": "delete", "delete-password": PASSWORD}))


def test_a_token_is_shown_once_and_revoked(site: Place) -> None:
    client, ben = visitor("anna"), visitor("ben")
    page = text(client.post("/account", {"do": "token", "token-name": "laptop <b>"}))
    found = re.search(r"koth_[\w-]{40,}", page)
    assert found is not None
    assert "laptop &lt;b&gt;" in page
    assert found[0] not in text(client.get("/account"))
    assert tokens.find_author(found[0]) == Author.objects.get(name="anna")
    token = Token.objects.get()
    assert found[0] not in str(token.__dict__)
    assert ben.post(f"/account/tokens/{token.pk}/revoke").status_code == 404
    assert client.post(f"/account/tokens/{token.pk}/revoke").status_code == 302
    assert tokens.find_author(found[0]) is None


# --- bots


@pytest.mark.slow
def test_a_bot_is_sent_and_followed_until_it_plays(site: Place) -> None:
    client = visitor("anna")
    assert client.get("/submit").status_code == 200
    sent = client.post("/submit", {"file": file("fox.py", GOOD)})
    assert sent.status_code == 302
    status = sent.headers["Location"]
    page = text(client.get(status))
    assert ("No runner is at work" in page, "version.js" in page, "data-waits" in page) == (True, True, True)
    named = client.post("/submit", {"file": file("bot.py", LOUD), "name": "hen"})
    assert bytes(Version.objects.latest("pk").archive) == LOUD.encode()
    run(site)
    page = text(client.get(status))
    assert 'The bot passed the check and plays. <a href="/matches/1">Its first match</a>' in " ".join(page.split())
    assert "version.js" not in page, "nothing more is waited for"
    assert "anna/hen, version 1" in text(client.get(named.headers["Location"]))
    assert visitor("ben").get(status).status_code == 404
    assert visitor().get(status).status_code == 302


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ({}, "This field is required."),
        ({"file": file("@x.py", "x")}, "not the name of a file"),
        ({"file": file("x.py", "x"), "name": "<script>"}, ""),
        ({"file": file("a.zip", zipped({"../../x": ""}))}, "lies outside of it"),
        ({"file": file("<img src=x>.zip", b"PK")}, "can&#x27;t be read as a zip"),
    ],
)
def test_what_can_not_be_taken_is_refused_at_once_with_the_reason(
    site: Place, form: dict[str, Any], reason: str
) -> None:
    answer = visitor("anna").post("/submit", form)
    assert reason in text(answer)
    assert "<img src=x" not in text(answer)
    assert answer.status_code == (422 if reason else 302)
    assert Version.objects.count() == (0 if reason else 1)


def test_a_form_sends_bots_of_nobody_else_and_no_other_state(site: Place) -> None:
    visitor("ben")
    ben = Author.objects.get(name="ben")
    visitor("anna").post("/submit", {"file": file("fox.py", GOOD), "author": ben.pk, "state": "taken", "version": 1})
    version = Version.objects.get()
    assert (version.author.name, version.state, version.bot_id) == ("anna", "received", None)


def test_a_frozen_season_takes_no_bots(site: Place) -> None:
    from koth_hill.registry import freeze

    freeze()
    answer = visitor("anna").post("/submit", {"file": file("fox.py", GOOD)})
    assert "Season 1 is frozen: no more bots are accepted" in text(answer)


@pytest.fixture
def played(site: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A site with two versions of anna's fox, ben's hen, and a match of theirs."""
    monkeypatch.setattr("koth_hill.checks.find_problem", lambda *_: "")
    for name, source in (("fox", GOOD), ("fox", LOUD)):
        uploads.receive(authors.invite("anna"), f"{name}.py", source.encode())
        run(site)
    uploads.receive(authors.invite("ben"), "hen.py", GOOD.encode())
    run(site)
    return site


def test_an_author_withdraws_a_bot_and_goes_back_to_an_older_version(played: Place) -> None:
    anna, ben = visitor("anna"), visitor("ben")
    bot = Bot.objects.get(name="anna/fox")
    page = text(anna.get(f"/my/bots/{bot.pk}"))
    assert "Go back to version 1" in page
    assert "Go back to version 2" not in page
    for path in ("", "/withdraw", "/back/1"):
        asked = ben.post(f"/my/bots/{bot.pk}{path}") if path else ben.get(f"/my/bots/{bot.pk}")
        assert asked.status_code == 404, path
    anna.post(f"/my/bots/{bot.pk}/withdraw")
    assert not bot.versions.filter(state="playing").exists()
    anna.post(f"/my/bots/{bot.pk}/back/1")
    newest = bot.versions.latest("number")
    assert (newest.number, newest.state) == (3, "received")
    assert newest.digest == bot.versions.get(number=1).digest
    run(played)
    assert bot.versions.get(state="playing").number == 3
    bot.versions.filter(number=2).update(state="suspended", reason="it cheats")
    assert "version 2 of anna/fox is suspended: it cheats" in text(
        anna.post(f"/my/bots/{bot.pk}/back/2", follow=True)
    )


def test_logs_are_for_their_author_alone(played: Place) -> None:
    match = Match.objects.filter(state="played").latest("pk")
    place = match.seats.get(version__bot__name="anna/fox").place
    anna = visitor("anna")
    page = text(anna.get(f"/matches/{match.pk}/log/{place}"))
    assert "&lt;b&gt;here&lt;/b&gt;" in page
    assert "What happened to this bot" in page
    assert "anna/fox #" in page
    logs._transcript.cache_clear()
    conversation = text(anna.get(f"/matches/{match.pk}/log/{place}/text"))
    assert "| <b>here</b>" in conversation
    assert "# turn 1" in conversation
    assert text(anna.get(f"/matches/{match.pk}/log/{place}/text")) == conversation
    assert logs._transcript.cache_info().hits == 1, "it is not made again"
    for client in (visitor("ben"), visitor("zoe", is_host=True)):
        assert client.get(f"/matches/{match.pk}/log/{place}").status_code == 404
        assert client.get(f"/matches/{match.pk}/log/{place}/text").status_code == 404
    assert visitor().get(f"/matches/{match.pk}/log/{place}").status_code == 302
    assert anna.get(f"/matches/{match.pk}/log/{1 - place}").status_code == 404
    assert anna.get(f"/matches/{10**30}/log/0").status_code == 404


# --- programs


def api(path: str, token: str = "", **more: Any) -> Any:
    """Ask the API."""
    headers = {"host": LOCAL[0], **({"authorization": f"Bearer {token}"} if token else {})}
    client: Any = Client(headers=headers, enforce_csrf_checks=True)
    return client.post(path, more) if more else client.get(path)


def test_programs_send_bots_and_follow_them(played: Place) -> None:
    anna, ben = (tokens.make_token(authors.invite(name), "ci") for name in ("anna", "ben"))
    assert api("/api/me", anna).json() == {"name": "anna", "uploads_left": 18, "largest_upload": 4 << 20}
    sent = api("/api/versions", anna, file=file("owl.py", GOOD))
    assert (sent.status_code, sent.json()["state"]) == (201, "received")
    number = sent.json()["id"]
    run(played)
    assert api(f"/api/versions/{number}", anna).json()["state"] == "playing"
    assert api(f"/api/versions/{number}", ben).status_code == 404
    assert {line["bot"] for line in api("/api/standings").json()["standings"]} == {"anna/fox", "ben/hen", "anna/owl"}
    match = api("/api/seasons/1/matches").json()[-1]["number"]
    assert api(f"/api/matches/{match}/replay").content[:2] == b"\x1f\x8b"
    for token, names in ((anna, {"anna/fox", "anna/owl"}), (ben, {"ben/hen"})):
        found = api(f"/api/matches/{match}/logs", token)
        assert found.status_code == 404 or {log["bot"] for log in found.json()} <= names
    refused = api("/api/versions", anna, file=file("a.zip", b"no"))
    assert (refused.status_code, refused.json()["detail"][:31]) == (422, "a.zip: can't be read as a zip: ")


def test_the_api_wants_a_token_that_is_right(site: Place) -> None:
    token = tokens.make_token(authors.invite("anna"), "ci")
    for path in ("/api/me", "/api/versions", "/api/versions/1", "/api/matches/1/logs"):
        for wrong in ("", "koth_nothing", token[:-1], "\u00e9"):
            assert api(path, wrong).status_code == 401, (path, wrong)
    assert visitor("anna").get("/api/me").status_code == 401, "a browser's session is not a token"
    Author.objects.update(is_active=False)
    assert api("/api/me", token).status_code == 401
    for path in ("/api/seasons/7", "/api/standings?season=7", "/api/matches/7/replay"):
        assert api(path).status_code == 404, path
    assert "/api/versions" in text(visitor().get("/api"))


def test_the_api_says_what_it_refuses(site: Place) -> None:
    """Each status is in its document, and each refusal is one text."""
    token = tokens.make_token(authors.invite("anna"), "ci")
    wrong = {
        f"/api/seasons/{10**30}": "number: Input should be less than or equal to 9223372036854775807",
        f"/api/seasons/{-(10**30)}": "number: Input should be greater than or equal to 0",
        "/api/matches/x/replay": "number: Input should be a valid integer, unable to parse string as an integer",
        "/api/versions?last=x": "last: Input should be a valid integer, unable to parse string as an integer",
    }
    for path, detail in wrong.items():
        found = api(path, token)
        assert (found.status_code, found.json()["detail"]) == (422, detail)
    assert api("/api/versions", token, name="owl").json()["detail"] == "file: Field required"
    paths = api("/api/openapi.json").json()["paths"]
    for path, methods in paths.items():
        for operation in methods.values():
            wanted = (
                {"429"} | ({"401"} if "security" in operation else set()) | ({"422"} if "{number}" in path else set())
            )
            assert wanted < set(operation["responses"]), path
    assert list(paths["/api/matches/{number}/replay"]["get"]["responses"]["200"]["content"]) == ["application/gzip"]


@pytest.mark.slow
def test_the_api_answers_so_often_and_no_more(site: Place) -> None:
    assert {api("/api/hill").status_code for _ in range(125)} == {200, 429}
    assert api("/api/seasons/1").status_code == 429, "also where a token is optional"
