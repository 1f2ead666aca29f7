"""`koth hill` and `koth debug` on a site that another process serves."""

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
from tests.cli.program import GOOD, bot_file
from tests.hill.conftest import Place
from tests.hill.conftest import hill as hill

from koth.errors import KothError
from koth.hill import client, tokens
from koth.hill.connection import open_hill
from koth.hill.models import Author

BROKEN = "class Bot:\n    def do_turn(self, context):\n        return 1 +\n"


@pytest.fixture
def address(hill: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a hill's site; the environment has anna's token."""
    hill.submit("Fox", "bert")
    with open_hill(hill.folder):
        anna = Author.objects.create(name="anna")
        monkeypatch.setenv(client.TOKEN_VARIABLE, tokens.make_token(anna, "laptop"))
    command = [sys.executable, "-m", "koth", "serve", str(hill.folder), "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().split()[0].rstrip("/")
        server.terminate()


def asked(hill: Place, *words: object) -> Any:
    done = hill.koth("hill", *words, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_a_bot_is_sent_and_followed(hill: Place, address: str, tmp_path: Path) -> None:
    (folder := tmp_path / "owl").mkdir()
    (folder / "bot.py").write_text(GOOD)
    upload = asked(hill, "submit", address, folder)
    assert (upload["file"], upload["state"]) == ("owl.zip", "waiting")
    assert hill.koth("hill", "submit", address, f"crow={bot_file(tmp_path, 'one', GOOD)}").code == 0
    assert asked(hill, "status", address)["you"]["name"] == "anna"
    hill("run", "--matches", 2, "--isolation", "none")
    told = asked(hill, "status", address)["you"]
    assert {bot["bot"]: bot["versions"][0]["state"] for bot in told["bots"]} == {
        "anna/owl": "playing",
        "anna/crow": "playing",
    }
    assert {line["bot"] for line in asked(hill, "standings", address)["lines"]} == {"Fox", "anna/owl", "anna/crow"}
    assert asked(hill, "bot", address, "anna/owl")["author"] == "anna"
    assert len(asked(hill, "matches", address, "--last", 1)) == 1


def test_both_look_the_same(hill: Place, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    hill("run", "--matches", 2, "--isolation", "none")
    monkeypatch.delenv(client.TOKEN_VARIABLE)
    for words in (["status"], ["standings"], ["matches"], ["bot", "Fox"]):
        here, there = (hill.koth("hill", words[0], where, *words[1:]) for where in (hill.folder, address))
        assert (here.code, here.out) == (there.code, there.out)


def test_waiting_ends_with_the_words_of_the_check(hill: Place, address: str, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "koth",
        "hill",
        "submit",
        address,
        str(bot_file(tmp_path, "bad", BROKEN)),
        "--wait",
    ]
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
    assert "invalid syntax" in hill.koth("hill", "status", address).out


def test_a_match_of_the_site_is_debugged(hill: Place, address: str, tmp_path: Path) -> None:
    hill("submit", bot_file(tmp_path, "owl", GOOD))
    hill("run", "--matches", 4, "--isolation", "none")
    done = next(match["match"] for match in asked(hill, "matches", address) if match["state"] == "played")
    words = ("--bot", "Fox", "--turn", 1, "--source", bot_file(tmp_path, "Fox", GOOD), "--isolation", "none")
    told = hill.koth("debug", f"{address}/matches/{done}", *words)
    assert told.code == 0, told.err
    assert "turn 1" in told.out
    assert "name a match or a season, such as" in hill.koth.refused("debug", f"{address}/bots/Fox", *words)
    assert "this match has no replay" in hill.koth.refused("debug", f"{address}/matches/99", *words)


def test_what_a_site_refuses_is_told(
    hill: Place, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = hill.koth.refused
    bot = bot_file(tmp_path, "owl", GOOD)
    (folder := tmp_path / "empty").mkdir()
    assert "the zip has no files" in refused("hill", "submit", address, folder)
    assert "leave out --author, which is for a hill in a folder" in refused(
        "hill", "submit", address, bot, "--author", "x"
    )
    assert "no such file or folder" in refused("hill", "submit", address, tmp_path / "none")
    assert "there is no bot with this name" in refused("hill", "bot", address, "a/../b")
    assert "does not use TLS" in refused("hill", "status", address.replace("http:", "https:"))
    assert "is not the address of a site" in refused("hill", "status", "http://me:word@koth.example.org")
    monkeypatch.setenv(client.TOKEN_VARIABLE, "koth_wrong")
    assert "does not know the token" in refused("hill", "status", address)
    monkeypatch.delenv(client.TOKEN_VARIABLE)
    assert f"set {client.TOKEN_VARIABLE} to a token" in refused("hill", "submit", address, bot)


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
        self.wfile.write(b"<html>" if self.path == "/api/standings" else b"[" * 60_000)

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing."""


def test_a_token_goes_nowhere_else(hill: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(client.TOKEN_VARIABLE, "koth_secret")
    server = HTTPServer(("127.0.0.1", 0), _Sly)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    place = f"http://127.0.0.1:{server.server_address[1]}"
    assert "if you trust it: the site redirects" in hill.koth.refused("hill", "status", place)
    assert "is not the site of a hill" in hill.koth.refused("hill", "standings", place)
    assert [path for path, _ in _Sly.seen] == ["/api/hill", "/api/standings"]
    assert "is not the site of a hill" in hill.koth.refused("hill", "bot", place, "fox")
    with pytest.raises(KothError, match="answers 500"):
        client.Site(place).get("matches")
    server.shutdown()
    server.server_close()
    assert "connection refused" in hill.koth.refused("hill", "status", place)
    assert "without TLS" in hill.koth.refused("hill", "status", "http://koth.example.org")


def test_what_is_done_in_the_folder_is_refused_on_a_site(hill: Place) -> None:
    assert "is a site" in hill.koth.refused("hill", "withdraw", "https://koth.example.org", "fox")


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
    says: bytes, hill: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_Another, "says", says)
    monkeypatch.setenv(client.TOKEN_VARIABLE, "koth_secret")
    server = HTTPServer(("127.0.0.1", 0), _Another)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    place = f"http://127.0.0.1:{server.server_address[1]}"
    for words in (("status",), ("standings",), ("bot", "fox")):
        answer = hill.koth.refused("hill", words[0], place, *words[1:])
        assert "gives an answer that koth does not understand" in answer
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
