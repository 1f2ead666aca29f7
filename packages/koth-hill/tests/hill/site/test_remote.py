"""`koth submit`, `koth standings` and `koth debug` on a site that another process serves."""

from __future__ import annotations

import json
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

import koth
from koth.errors import KothError
from koth.remote import site as client
from koth_hill import tokens
from koth_hill.connection import open_hill
from koth_hill.models import Author, Season
from koth_hill.standings import standings
from tests.cli.program import GOOD, bot_file
from tests.hill.conftest import Place
from tests.hill.conftest import hill as hill

BROKEN = "class Bot:\n    def do_turn(self, context):\n        return 1 +\n"


@pytest.fixture
def address(hill: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a hill's site; the environment has anna's token."""
    hill.submit("Fox", "bert")
    with open_hill(hill.folder):
        anna = Author.objects.create(name="anna")
        monkeypatch.setenv(client.TOKEN_VARIABLE, tokens.make_token(anna, "laptop"))
    command = [sys.executable, "-m", "koth", "hill", "serve", str(hill.folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().split()[0].rstrip("/")
        server.terminate()


def asked(hill: Place, *words: object) -> Any:
    done = hill.koth(*words, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)


@pytest.mark.slow
def test_a_bot_is_sent_and_followed(hill: Place, address: str, tmp_path: Path) -> None:
    (folder := tmp_path / "owl").mkdir()
    (folder / "bot.py").write_text(GOOD)
    upload = asked(hill, "submit", folder, address)
    assert (upload["file"], upload["state"]) == ("owl.zip", "received")
    assert hill.koth("submit", f"crow={bot_file(tmp_path, 'one', GOOD)}", address).code == 0
    assert hill.koth("submit", bot_file(tmp_path, "my münchen", GOOD + "# mine"), address).code == 0
    hill("run", "--matches", 2, "--isolation", "none")
    assert {line["bot"] for line in hill.standings()["standings"]} == {
        *("Fox", "anna/owl", "anna/crow", "anna/my münchen")
    }
    assert koth.why(address).faults == [], "a reader of an address is open until it was read"


FORMS = (["--format", "json"], ["--format", "csv"], ["--format", "markdown"], ["--explain"], [])


@pytest.mark.slow
def test_standings_of_a_folder_and_of_a_site_are_those_of_the_pages(hill: Place, address: str) -> None:
    hill.submit("Hen", "anna")
    hill("run", "--matches", 3, "--isolation", "none")
    shown = standings(Season.objects.get()).standings
    assert shown[0].rating is not None
    assert hill.standings()["standings"] == [vars(line) for line in shown]

    def printed(place: object, form: list[str]) -> str:
        done = hill.koth("standings", place, *form)
        assert done.code == 0, done.err
        return done.out

    texts = [printed(hill.folder, form) for form in FORMS]
    assert all("Hen" in text for text in texts)
    assert [printed(address, form) for form in FORMS] == texts
    for step in ("freeze", "publish", "open"):
        hill("season", step)
    for where in (hill.folder, address):
        assert [printed(f"{where}/seasons/1", form) for form in FORMS] == texts, "as at its end"
        assert printed(where, []) != texts[-1]
    assert "there is no such season" in hill.koth.refused("standings", f"{address}/seasons/9")


@pytest.mark.slow
def test_waiting_ends_with_the_words_of_the_check(hill: Place, address: str, tmp_path: Path) -> None:
    bad = bot_file(tmp_path, "bad", BROKEN)
    command = [sys.executable, "-m", "koth", "submit", str(bad), address, "--wait"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as sender:
        try:
            assert sender.stdout is not None
            assert " waits at " in sender.stdout.readline()
            hill("run", "--matches", 1, "--isolation", "none")
            assert "refused: " in sender.stdout.read()
        except BaseException:
            sender.kill()  # it would wait for its answer
            raise
    assert sender.returncode == 1


@pytest.mark.slow
def test_a_match_of_the_site_is_debugged(hill: Place, address: str, tmp_path: Path) -> None:
    hill("submit", bot_file(tmp_path, "owl", GOOD))
    hill("run", "--matches", 4, "--isolation", "none")
    done = next(match["match"] for match in hill.matches() if match["state"] == "played")
    words = ("--bot", "Fox", "--turn", 1, "--source", bot_file(tmp_path, "Fox", GOOD), "--isolation", "none")
    told = hill.koth("debug", f"{address}/matches/{done}", *words)
    assert told.code == 0, told.err
    assert "turn 1" in told.out
    assert "name a match or a season, such as" in hill.koth.refused("debug", f"{address}/bots/Fox", *words)
    assert "this match has no replay" in hill.koth.refused("debug", f"{address}/matches/99", *words)


@pytest.mark.slow
def test_what_a_site_refuses_is_told(
    hill: Place, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = hill.koth.refused
    bot = bot_file(tmp_path, "owl", GOOD)
    (folder := tmp_path / "empty").mkdir()
    assert "the zip has no files" in refused("submit", folder, address)
    assert "is a site: name the hill's folder" in refused("hill", "submit", address, bot)
    assert "no such file or folder" in refused("submit", tmp_path / "none", address)
    assert "does not use TLS" in refused("standings", address.replace("http:", "https:"))
    assert "is not the address of a site" in refused("standings", "http://me:word@koth.example.org")
    monkeypatch.setenv(client.TOKEN_VARIABLE, "koth_wrong")
    assert "does not know the token" in refused("submit", bot, address)
    monkeypatch.delenv(client.TOKEN_VARIABLE)
    assert f"set {client.TOKEN_VARIABLE} to a token" in refused("submit", bot, address)


class _Sly(BaseHTTPRequestHandler):
    """A server that sends elsewhere, or answers with no JSON."""

    seen: list[tuple[str, str]] = []  # noqa: RUF012

    def do_GET(self) -> None:
        self.seen.append((self.path, self.headers.get("Authorization", "")))
        if self.path == "/api/hill":
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:{self.server.server_address[1]}/elsewhere")
        else:
            self.send_response(500 if self.path == "/api/matches" else 200)
        self.end_headers()
        self.wfile.write(b"<html>" if self.path.startswith("/api/standings") else b"[" * 60_000)

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing."""


def test_a_token_goes_nowhere_else(hill: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(client.TOKEN_VARIABLE, "koth_secret")
    server = HTTPServer(("127.0.0.1", 0), _Sly)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    place = f"http://127.0.0.1:{server.server_address[1]}"
    assert "if you trust it: the site redirects" in hill.koth.refused("standings", place)
    assert "is not the site of a hill" in hill.koth.refused("standings", f"{place}/seasons/1")
    assert [path for path, _ in _Sly.seen] == ["/api/hill", "/api/standings?season=1"]
    with pytest.raises(KothError, match="answers 500"):
        client.Site(place).get("matches")
    server.shutdown()
    server.server_close()
    assert "connection refused" in hill.koth.refused("standings", place)
    assert "without TLS" in hill.koth.refused("standings", "http://koth.example.org")


def test_what_is_done_in_the_folder_is_refused_on_a_site(hill: Place) -> None:
    assert "is a site" in hill.koth.refused("hill", "season", "https://koth.example.org", "freeze")


def test_a_certificate_that_is_not_trusted_is_told() -> None:
    error = ssl.SSLCertVerificationError()
    error.verify_message = "self-signed certificate"
    assert client._describe_error(error) == "the site's certificate is not trusted: self-signed certificate"


class _Another(_Sly):
    """A server whose JSON is that of something else."""

    says = b""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.says)


@pytest.mark.parametrize("says", [b"null", b"[]", b"{}", b"7", b'[{"match": null}]'])
def test_answers_of_another_shape_are_refused_in_one_line(
    says: bytes, hill: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_Another, "says", says)
    monkeypatch.setenv(client.TOKEN_VARIABLE, "koth_secret")
    server = HTTPServer(("127.0.0.1", 0), _Another)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    place = f"http://127.0.0.1:{server.server_address[1]}"
    bot = bot_file(tmp_path, "owl", GOOD)
    for words in (("standings", place), ("standings", f"{place}/seasons/1"), ("submit", bot, place)):
        assert "gives an answer that koth does not understand" in hill.koth.refused(*words)
    server.shutdown()
    server.server_close()


class _Busy(_Sly):
    """A server that asks to wait, and then answers."""

    answers = 0

    def do_GET(self) -> None:
        _Busy.answers += 1
        self.send_response(429 if _Busy.answers < 3 else 200)
        self.send_header("Retry-After", "7" if _Busy.answers == 1 else "9999")
        self.end_headers()
        self.wfile.write(b"[]")


def test_a_program_waits_once_for_a_site_that_is_asked_too_often(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr(client.time, "sleep", waited.append)
    server = HTTPServer(("127.0.0.1", 0), _Busy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site = client.Site(f"http://127.0.0.1:{server.server_address[1]}")
    with pytest.raises(KothError, match="too many requests"):
        site.get("matches")
    assert (waited, site.get("matches")) == ([7], [])
    server.shutdown()
    server.server_close()


class _Dripping(_Sly):
    """A server that sends a byte at a time, and never ends."""

    over = threading.Event()

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        while not self.over.wait(0.02):
            try:
                self.wfile.write(b" ")
            except OSError:
                return


def test_an_answer_that_never_ends_is_given_up(hill: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "TIMEOUT", 0.5)
    server = HTTPServer(("127.0.0.1", 0), _Dripping)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site = client.Site(f"http://127.0.0.1:{server.server_address[1]}")
    for ask in (lambda: site.get("matches"), lambda: site.fetch_replay(1)):
        with pytest.raises(KothError, match="the site did not answer in time"):
            ask()
    _Dripping.over.set()
    server.shutdown()
    server.server_close()
